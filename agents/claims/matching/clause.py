"""Where the verbs of a claim stand: on which side of them a word is, in which tense, and how many clauses there are."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from agents.claims.matching import words as lists
from agents.language.rules.verbs import IRREGULAR_PASTS, finite_verbs, is_finite

Side = Literal["doer", "deed", "done_to", "unknown"]
Tense = Literal["past", "present", "any"]

_HELPING = lists.BE | lists.PERFECT | lists.PAST | lists.PRESENT | lists.MODALS.keys() | lists.NEGATORS
_BESIDE_VERBS = frozenset(("longer", "also", "already", "ever"))


@dataclass(slots=True)
class Word:
    """A word of a claim, and where it stands."""

    text: str
    lowered: str
    start: int
    counted: bool = False
    """Whether it is part of a number or a date."""


@dataclass(frozen=True, slots=True)
class Verbs:
    """Where the main verb group begins and ends, and whether it turns the sentence round."""

    start: int | None
    end: int
    passive: bool

    @classmethod
    def of(cls, spoken: Sequence[Word]) -> "Verbs":
        start = _main_verb(spoken)
        if start is None:
            return cls(None, 0, passive=False)
        end = _after_verbs(spoken, start)
        return cls(start, end, _is_passive(spoken, start, end))

    def side(self, at: int, *, agent: bool = False) -> Side:
        """Where the word at that place belongs; an agent is named after "by"."""
        if self.start is None:
            return "unknown"
        if self.start <= at < self.end:
            return "deed"
        return "doer" if agent or (at < self.start and not self.passive) else "done_to"


def _main_verb(spoken: Sequence[Word]) -> int | None:
    """The first finite verb with something before it; a base form only if there is no better one."""
    texts = [word.lowered for word in spoken]
    sure = [at for at in range(1, len(texts)) if not spoken[at].counted and is_finite(texts, at)]
    if sure:
        return sure[0]
    likely = [at for at in finite_verbs(texts) if at > 0 and not spoken[at].counted]
    if likely:
        return likely[0]
    plural = [at for at in range(1, len(texts)) if finite_verbs(["x", f"{texts[at]}s"]) == [1]]
    return plural[0] if plural else None


def _after_verbs(spoken: Sequence[Word], verb: int) -> int:
    """Index after the verb group: auxiliaries, negations, adverbs and one main verb."""
    at = verb
    while at < len(spoken) and (spoken[at].lowered in _HELPING or spoken[at].lowered in _BESIDE_VERBS):
        at += 1
    if at == verb:
        return verb + 1
    return at + 1 if at < len(spoken) and _is_participle(spoken[at].lowered) else at


def _is_participle(word: str) -> bool:
    return word.endswith(("ed", "ing")) or word in IRREGULAR_PASTS or word in lists.PARTICIPLES


def _is_passive(spoken: Sequence[Word], verb: int, after: int) -> bool:
    group = [word.lowered for word in spoken[verb:after]]
    main = group[-1] if group else ""
    return bool(lists.BE.intersection(group[:-1])) and _is_participle(main) and not main.endswith("ing")


def clauses(spoken: Sequence[Word]) -> int:
    """How many groups of finite verbs there are: what is said of whom can be told only where there is one."""
    texts = [word.lowered for word in spoken]
    groups, end = 0, 0
    for at in range(1, len(texts)):
        if at >= end and not spoken[at].counted and is_finite(texts, at):
            groups, end = groups + 1, _after_verbs(spoken, at)
    return groups


def tense(spoken: Sequence[Word]) -> Tense:
    """Past or present where the main verb tells it."""
    verb = _main_verb(spoken)
    if verb is None:
        return "any"
    word = spoken[verb].lowered
    if word in lists.PERFECT or word in lists.SAME_PAST or word in lists.MODALS:
        return "any"
    if word in lists.PAST or word.endswith("ed") or word in IRREGULAR_PASTS:
        return "past"
    return "present"
