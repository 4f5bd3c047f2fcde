"""What the numbers of a passage say about the numbers of a claim.

A small network knows that "fewer than 186" is about "187 confirmed cases" and cannot tell which is larger. Here the
numbers that stand for the same thing are found by what surrounds them, and compared.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from agents.language.rules.comparing import DATES, Answer, compare
from agents.language.rules.lexicon import are_kin
from agents.language.rules.measures import Measure, measures
from scoring.text.words import STOP_WORDS, stem

_WORD = re.compile(r"[^\W\d_]{3,}")
_NUMERAL = re.compile(r"\d[\d,.]*")
_BOUNDS = frozenset(("over", "under", "at_least", "at_most"))


class Figures(StrEnum):
    """The answer for a whole claim. "Bound" is a comparison in the claim ("more than 40", "before 1990")."""

    SILENT = "silent"
    AGREE = "agree"
    AGREE_BOUND = "agree_bound"
    CONTRADICT = "contradict"
    CONTRADICT_BOUND = "contradict_bound"
    """Also the same numeral with another unit: 12 miles are not 12 kilometres, whatever else the passage says."""


@dataclass(frozen=True, slots=True)
class FigurePolicy:
    """How numbers of claim and passage are matched. Chosen on the training pairs."""

    left: int = 45
    right: int = 35
    """Characters around a number in which the words that tell what it is about are looked for."""
    words_left: int = 6
    words_right: int = 5
    kin_weight: float = 2.0
    """What the numbers count weighs as much as two shared words around them."""
    nearness_weight: float = 1.5
    """Of the logarithm of the ratio of two numbers; the number meant is mostly the nearest one."""
    farthest: float = 3.0
    too_far: float = 1.2
    """Logarithm of the ratio beyond which numbers that count different things do not contradict each other."""
    smallest_bare_sum: float = 1e4
    """From here on a number without a currency may be the sum that another has a currency for."""


DEFAULT = FigurePolicy()


@dataclass(frozen=True, slots=True)
class _Match:
    answer: Answer
    is_date: bool
    is_bound: bool
    is_unit: bool = False


def read_figures(claim: str, passage: str, policy: FigurePolicy = DEFAULT) -> Figures:
    """How the passage's numbers and dates stand to the claim's."""
    claimed = [measure for measure in _measures(claim) if measure.dimension != "ordinal"]
    if not claimed:
        return Figures.SILENT
    found = _measures(passage)
    return _verdict([_match(measure, claim, found, passage, policy) for measure in claimed])


@lru_cache(maxsize=1024)
def _measures(text: str) -> tuple[Measure, ...]:
    return measures(text)


def _verdict(matches: Sequence[_Match]) -> Figures:
    """One contradicted amount decides; then one contradicted date; to agree, every amount must, or every date."""
    amounts = [match for match in matches if not match.is_date]
    dates = [match for match in matches if match.is_date]
    for kind in (amounts, dates):
        if any(match.answer == "contradict" for match in kind):
            clear = any(match.is_bound or match.is_unit for match in kind)
            return Figures.CONTRADICT_BOUND if clear else Figures.CONTRADICT
    told = amounts or dates
    if any(match.answer != "agree" for match in told):
        return Figures.SILENT
    return Figures.AGREE_BOUND if any(match.is_bound for match in told) else Figures.AGREE


def _match(claimed: Measure, claim: str, found: Sequence[Measure], passage: str, policy: FigurePolicy) -> _Match:
    candidates = [measure for measure in found if _same_kind(claimed, measure, policy)]
    is_date, is_bound = claimed.dimension in DATES, claimed.bound in _BOUNDS
    if not candidates:
        return _Match("silent", is_date, is_bound)
    around = _context(claim, claimed, policy)
    shared = {id(measure): len(around & _context(passage, measure, policy)) for measure in candidates}

    def fit(measure: Measure) -> float:
        nearness = 0.0 if is_date else max(-policy.farthest, -_distance(claimed, measure))
        return policy.kin_weight * _kin(claimed, measure) + shared[id(measure)] + policy.nearness_weight * nearness

    best = max(candidates, key=fit)
    answer = compare(claimed, best)
    is_unit = answer == "contradict" and not is_date and _numeral(claim, claimed) == _numeral(passage, best)
    if answer == "contradict" and not is_unit:
        doubtful = _doubtful(claimed, best, shared[id(best)], len(candidates), policy)
        answer = "unknown" if doubtful else answer
    return _Match(answer, is_date, is_bound, is_unit)


def _numeral(text: str, measure: Measure) -> str:
    """The digits as they are written."""
    found = _NUMERAL.search(text[measure.start : measure.end])
    return found.group() if found else ""


def _doubtful(claimed: Measure, best: Measure, shared: int, candidates: int, policy: FigurePolicy) -> bool:
    """Whether the two numbers may well be about different things."""
    if claimed.dimension in DATES:
        return claimed.bound not in _BOUNDS and candidates > 1
    kin = _kin(claimed, best)
    return not (kin or shared or candidates == 1) or (_distance(claimed, best) > policy.too_far and not kin)


def _same_kind(claimed: Measure, found: Measure, policy: FigurePolicy) -> bool:
    kinds = {claimed.dimension, found.dimension}
    if kinds & DATES:
        return kinds <= DATES and any(a and b for a, b in zip(claimed.parts, found.parts, strict=True))
    if kinds == {"money", "count"}:
        return min(claimed.value, found.value) >= policy.smallest_bare_sum
    if kinds == {"money"}:
        return not claimed.currency or not found.currency or claimed.currency == found.currency
    return len(kinds) == 1


def _distance(claimed: Measure, found: Measure) -> float:
    return abs(math.log((abs(found.value) + 1e-9) / (abs(claimed.value) + 1e-9)))


def _kin(claimed: Measure, found: Measure) -> bool:
    return any(are_kin(mine, theirs) for mine in claimed.nouns for theirs in found.nouns)


def _context(text: str, measure: Measure, policy: FigurePolicy) -> frozenset[str]:
    left = _WORD.findall(text[max(0, measure.start - policy.left) : measure.start])[-policy.words_left :]
    right = _WORD.findall(text[measure.end : measure.end + policy.right])[: policy.words_right]
    return frozenset(stem(word.lower()) for word in (*left, *right) if word.lower() not in STOP_WORDS)
