"""Whether two claims say the same, by everything that can be told from their words; each difference has a name."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

from agents.claims.matching import words as lists
from agents.claims.matching.statement import Figure, Statement, Term, statement
from scoring.text.words import stem

Difference = Literal[
    "question", "negation", "quantifier", "modality", "tense", "hedge", "number", "counted", "word", "name", "role"
]


def differences(earlier: str, later: str) -> tuple[Difference, ...]:
    """Everything in which the two differ; nothing means that the verdict of one is the verdict of the other."""
    return tuple(dict.fromkeys(_differ(statement(earlier), statement(later))))


def _differ(one: Statement, other: Statement) -> Iterator[Difference]:
    if one.asked != other.asked:
        yield "question"
    if one.denied != other.denied:
        yield "negation"
    if one.quantifiers != other.quantifiers:
        yield "quantifier"
    if one.modals != other.modals:
        yield "modality"
    if {one.tense, other.tense} == {"past", "present"}:
        yield "tense"
    if (one.hedged, one.reported) != (other.hedged, other.reported):
        yield "hedge"
    yield from _figures(one.figures, other.figures)
    if one.steering != other.steering:
        yield "word"
    yield from _terms(one, other)


def _figures(one: Sequence[Figure], other: Sequence[Figure]) -> Iterator[Difference]:
    """The same figures; those of one dimension in the same order, and each of the same things."""
    for dimension in {figure.dimension for figure in (*one, *other)}:
        mine = [figure for figure in one if figure.dimension == dimension]
        theirs = [figure for figure in other if figure.dimension == dimension]
        if [_amount(figure) for figure in mine] != [_amount(figure) for figure in theirs]:
            yield "number"
            continue
        for first, second in zip(mine, theirs, strict=True):
            if first.counted and second.counted and first.counted.isdisjoint(second.counted):
                yield "counted"


def _amount(figure: Figure) -> tuple[float, str, str]:
    return figure.value, figure.bound, figure.currency


def _terms(one: Statement, other: Statement) -> Iterator[Difference]:
    mine, theirs = one.terms, other.terms
    if Counter(term.form for term in mine) != Counter(term.form for term in theirs):
        odd = {term.form for term in mine} ^ {term.form for term in theirs}
        yield "name" if any(term.name and term.form in odd for term in (*mine, *theirs)) else "word"
        return
    if any(_other_name(term, theirs) for term in mine) or any(_other_name(term, mine) for term in theirs):
        yield "name"
    simple = max(one.clauses, other.clauses) <= 1
    if not _word_for_word(mine, theirs) and not (simple and _same_roles(mine, theirs)):
        yield "role"


def _other_name(term: Term, others: Sequence[Term]) -> bool:
    """A name is compared as it is spelled: Adam is not Adams, although their stems are one."""
    kindred = [other for other in others if stem(other.spelled) == stem(term.spelled)]
    return term.name and bool(kindred) and all(term.spelled != other.spelled for other in kindred)


def _word_for_word(one: Sequence[Term], other: Sequence[Term]) -> bool:
    return [(term.form, term.side, term.preposition) for term in one] == [
        (term.form, term.side, term.preposition) for term in other
    ]


def _same_roles(one: Sequence[Term], other: Sequence[Term]) -> bool:
    """Moved only as a sentence may be turned without turning who does what to whom."""
    places, others = _places(one), _places(other)
    if places is None or others is None or any(term.side == "unknown" for term in (*one, *other)):
        return False
    symmetric = any(term.form in lists.SYMMETRIC for term in one)
    pairs = [(term, others[form]) for form, term in places.items()]
    if any(not _fits(mine, theirs, symmetric=symmetric) for mine, theirs in pairs):
        return False
    # A word may enter a phrase ("Lyon robbery", "robbery in Lyon"); if another leaves one, the two changed places.
    moved = [mine for mine, theirs in pairs if bool(mine.preposition) != bool(theirs.preposition)]
    if len({bool(term.preposition) for term in moved if term.form not in lists.MOVABLE}) > 1:
        return False
    return _in_order(one, others, symmetric=symmetric) == _in_order(other, places, symmetric=symmetric)


def _places(terms: Sequence[Term]) -> dict[str, Term] | None:
    """By form; nothing if a word is said twice, because then nobody knows which one moved."""
    by_form = {term.form: term for term in terms}
    return by_form if len(by_form) == len(terms) else None


def _fits(one: Term, other: Term, *, symmetric: bool) -> bool:
    if not _fits_phrase(one.preposition, other.preposition):
        return False
    if one.side == other.side or symmetric or one.form in lists.MOVABLE:
        return True
    return bool(one.preposition and other.preposition) and "deed" not in (one.side, other.side)


def _fits_phrase(one: str, other: str) -> bool:
    """The same preposition, two that only say where, or one that leads to a word before its noun."""
    if one == other or (one in lists.PLACING and other in lists.PLACING):
        return True
    return not (one and other) and (one or other) in lists.JOINING


def _in_order(terms: Sequence[Term], others: dict[str, Term], *, symmetric: bool) -> list[object]:
    """What may not change its order: the plain words of each side, and the words in phrases among themselves."""
    plain: dict[str, list[str]] = {"doer": [], "done_to": []}
    phrases: list[str] = []
    for term in terms:
        other = others[term.form]
        if term.form in lists.MOVABLE:
            continue
        if term.preposition and other.preposition:
            phrases.append(term.form)
        elif not (term.preposition or other.preposition or term.side == "deed"):
            plain[term.side].append(term.form)
    sides: list[object] = [plain["doer"], plain["done_to"]]
    return [*(sorted(map(str, sides)) if symmetric else sides), phrases]
