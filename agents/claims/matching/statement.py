"""A claim taken apart so that it can be held against another: who, what, to whom, how many, and under which terms."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from agents.claims.matching import words as lists
from agents.claims.matching.clause import Side, Tense, Verbs, Word, clauses, tense
from agents.language.rules.measures import Measure, measures
from scoring.text.cues import is_hedged, is_reporting
from scoring.text.entities import entities
from scoring.text.words import is_content

_TOKEN = re.compile(r"n['’]t\b|[^\W_]+(?:[.'’-][^\W_]+)*|[,;:()!?]", re.IGNORECASE)
_CONTRACTION = re.compile(r"(?i)\b(\w+?)n['’]t\b")
_NO_ONE = re.compile(r"(?i)\bno[ -]one\b")
_POSSESSIVE = re.compile(r"['’]s?$")
_STOPS = frozenset(",;:()!?")


@dataclass(frozen=True, slots=True)
class Term:
    """A word that carries meaning: its canonical form, how it was spelled, and its place in what is said."""

    form: str
    spelled: str
    name: bool
    side: Side
    preposition: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A number or a date with its unit and its bound, and what it counts."""

    value: float
    dimension: str
    bound: str
    currency: str
    counted: frozenset[str]


@dataclass(frozen=True, slots=True)
class Statement:
    """What a claim says, as far as two claims are compared."""

    terms: tuple[Term, ...]
    figures: tuple[Figure, ...]
    denied: tuple[str, ...]
    """What each negation stands before."""
    quantifiers: tuple[tuple[str, str], ...]
    """Each with the side it stands on, or the word it stands before: all of some is not some of all."""
    modals: frozenset[str]
    steering: tuple[tuple[str, int], ...]
    tense: Tense
    clauses: int
    hedged: bool
    reported: bool
    asked: bool


@lru_cache(maxsize=4096)
def statement(claim: str) -> Statement:
    """Reads one claim; cached, as a claim that is looked up meets several earlier ones."""
    text = _NO_ONE.sub("nobody", _CONTRACTION.sub(r"\1 not", claim))
    found = measures(text)
    spoken = [Word(m.group(), m.group().lower(), m.start()) for m in _TOKEN.finditer(text)]
    for word in spoken:
        word.counted = any(one.start <= word.start < one.end for one in found if one.dimension != "ordinal")
    return Statement(
        terms=_without_initials(_terms(spoken, text)),
        figures=tuple(_figure(one) for one in found if one.dimension != "ordinal"),
        denied=_denied(spoken),
        quantifiers=_quantifiers(spoken),
        modals=frozenset(lists.MODALS[word.lowered] for word in spoken if _is_modal(word)),
        steering=tuple(sorted(Counter(_steering(spoken, found)).items())),
        tense=tense(spoken),
        clauses=clauses(spoken),
        hedged=is_hedged(claim),
        reported=is_reporting(claim),
        asked=claim.rstrip().endswith("?"),
    )


def _quantifiers(spoken: Sequence[Word]) -> tuple[tuple[str, str], ...]:
    verbs = Verbs.of(spoken)
    found: list[tuple[str, str]] = []
    for at, word in enumerate(spoken):
        if word.lowered in lists.QUANTIFIERS and not word.counted:
            side = verbs.side(at)
            where = _form_after(spoken, at) if side == "unknown" else "done_to" if side == "deed" else side
            found.append((lists.QUANTIFIERS[word.lowered], where))
    return tuple(sorted(found))


def _denied(spoken: Sequence[Word]) -> tuple[str, ...]:
    """By what follows each negation: "is not poisoned, drink" is not "is poisoned, do not drink"."""
    negators = [at for at, word in enumerate(spoken) if word.lowered in lists.NEGATORS and not word.counted]
    return tuple(sorted(_form_after(spoken, at) for at in negators))


def _form_after(spoken: Sequence[Word], at: int) -> str:
    """The first word of meaning after that place."""
    following = (spoken[n] for n in range(at + 1, len(spoken)) if _carries_meaning(spoken[n], spoken, n))
    return next((lists.canonical(one.lowered) for one in following), "")


def _is_modal(word: Word) -> bool:
    """The month is written with a capital letter."""
    return word.lowered in lists.MODALS and not word.counted and word.text != "May"


def _steering(spoken: Sequence[Word], found: Sequence[Measure]) -> list[str]:
    """Without those that belong to a number's bound ("more than 500"), which the figure holds already."""
    bounded = [one.start for one in found if one.bound != "exact"]
    kept = []
    for word in spoken:
        in_bound = any(0 <= start - word.start <= 16 for start in bounded)
        if word.lowered in lists.STEERING and not in_bound:
            kept.append(word.lowered)
    return kept


def _figure(found: Measure) -> Figure:
    counted = frozenset(lists.canonical(one) for one in found.nouns) if found.dimension == "count" else frozenset()
    return Figure(round(found.value, 6), found.dimension, found.bound, found.currency, counted)


def _terms(spoken: Sequence[Word], text: str) -> list[Term]:
    verbs = Verbs.of(spoken)
    names = {part.lower() for name in entities(text) for part in re.findall(r"[^\W_]+", name)}
    terms: list[Term] = []
    preposition, filled, agent = "", False, False
    of_from: int | None = None
    for at, word in enumerate(spoken):
        if word.counted:
            filled = True
            continue
        if word.lowered in _STOPS or at == verbs.start:
            preposition, filled, agent, of_from = "", False, False, None
        if verbs.passive and word.lowered == "by" and at >= verbs.end:
            preposition, filled, agent, of_from = "", False, True, None
            continue
        if word.lowered == "of" and terms and terms[-1].side != "deed" and not terms[-1].name:
            of_from = _start_of_phrase(terms)
            continue
        if word.lowered in lists.DIRECTED or word.lowered in lists.LOOSE or word.lowered == "of":
            preposition, filled, agent, of_from = word.lowered, False, False, None
            continue
        if word.lowered in lists.DETERMINERS and filled and of_from is None:
            preposition, filled = "", False
        if not _carries_meaning(word, spoken, at):
            continue
        plain = _POSSESSIVE.sub("", word.lowered)
        term = Term(_form(word, plain, spoken), plain, plain in names, verbs.side(at, agent=agent), preposition)
        filled = True
        if of_from is not None:  # "members of the council" as "council members"
            terms.insert(of_from, term)
            of_from += 1
        else:
            terms.append(term)
    return terms


def _without_initials(terms: Sequence[Term]) -> tuple[Term, ...]:
    """Without an acronym whose words stand right before it: "European Medicines Agency (EMA)"."""
    kept: list[Term] = []
    for term in terms:
        initials = "".join(one.spelled[0] for one in kept[-len(term.spelled) :])
        if len(term.spelled) < 3 or initials != term.spelled:
            kept.append(term)
    return tuple(kept)


def _start_of_phrase(terms: Sequence[Term]) -> int:
    """Where the phrase begins that the last term belongs to."""
    at = len(terms)
    while at > 0 and terms[at - 1].side != "deed" and _same_phrase(terms[at - 1], terms[-1]):
        at -= 1
    return at


def _same_phrase(one: Term, other: Term) -> bool:
    return (one.side, one.preposition) == (other.side, other.preposition)


def _carries_meaning(word: Word, spoken: Sequence[Word], at: int) -> bool:
    lowered = word.lowered
    if not word.text[0].isalnum() or lowered in lists.NEGATORS or lowered in lists.QUANTIFIERS:
        return False
    if lowered in lists.CALLS or lowered in lists.STEERING:
        return False
    if lowered in lists.COURTESY and at + 1 < len(spoken) and spoken[at + 1].text[:1].isupper():
        return False
    if lowered in lists.PRONOUNS or is_content(lowered) or _is_letter(word, at):
        return True
    return _is_acronym(word, spoken)


def _form(word: Word, plain: str, spoken: Sequence[Word]) -> str:
    if plain in lists.PRONOUNS:  # "us" is nobody's name, "US" is
        return word.text if _is_acronym(word, spoken) else lists.PRONOUNS[plain]
    return lists.canonical(plain)


def _is_acronym(word: Word, spoken: Sequence[Word]) -> bool:
    return word.text.isalpha() and word.text.isupper() and len(word.text) > 1 and not _is_loud(spoken)


def _is_letter(word: Word, at: int) -> bool:
    """ "Vitamin D", "hepatitis A": a letter that names something, not the article or the pronoun."""
    return len(word.text) == 1 and (word.lowered not in ("a", "i") or (at > 0 and word.text == "A"))


def _is_loud(spoken: Sequence[Word]) -> bool:
    """Whether all of it is in capitals, so that capitals mean nothing."""
    return all(word.text.isupper() for word in spoken if word.text.isalpha())
