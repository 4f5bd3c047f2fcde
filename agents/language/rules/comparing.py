"""What one number or date says about another: it agrees, it contradicts, or nothing follows."""

from collections.abc import Mapping
from typing import Literal

from agents.language.rules.lexicon import are_kin
from agents.language.rules.measures import Measure

Answer = Literal["agree", "contradict", "unknown", "silent"]

# A round number may be a rounded one: within this share it is the same number (50,000 and 49,780).
ROUNDING = 0.01
# "About" and its like allow a tenth, the usual licence of rounded figures in news.
APPROXIMATION = 0.10
# Below this, a bare number ("45") is too little to be the same sum as one with a currency.
SMALLEST_BARE_SUM = 1e4

DATES = frozenset(("date", "year"))


def comparable(claimed: Measure, found: Measure) -> bool:
    """Whether the two could be the numbers of the same fact."""
    kinds = {claimed.dimension, found.dimension}
    if kinds <= DATES:
        return any(mine and theirs for mine, theirs in zip(claimed.parts, found.parts, strict=True))
    if kinds == {"money", "count"}:
        return not (claimed.nouns or found.nouns) and min(claimed.value, found.value) >= SMALLEST_BARE_SUM
    if len(kinds) > 1:
        return False
    if claimed.dimension == "money":
        return not claimed.currency or not found.currency or claimed.currency == found.currency
    return claimed.dimension not in ("count", "ordinal") or _counts_the_same(claimed, found)


def _counts_the_same(claimed: Measure, found: Measure) -> bool:
    if not claimed.nouns or not found.nouns:
        return claimed.nouns == found.nouns  # "a rating of 9.6" and "a score of 9.7" count nothing
    return any(are_kin(mine, theirs) for mine in claimed.nouns for theirs in found.nouns)


def compare(claimed: Measure, found: Measure) -> Answer:
    """What `found` says about `claimed`; the two must be `comparable`."""
    if claimed.dimension in DATES:
        return _compare_dates(claimed, found)
    if claimed.dimension == "ordinal":
        return "agree" if claimed.value == found.value else "contradict"
    low, high = _interval(claimed)
    found_low, found_high = _interval(found)
    if found_low >= low and found_high <= high:
        return "agree"
    if found_high < low or found_low > high:
        return "contradict"
    return "agree" if claimed.value == found.value and claimed.bound in ("exact", "about") else "unknown"


def _interval(measure: Measure) -> tuple[float, float]:
    """The values that the words allow. An open bound excludes its own number by a hair."""
    value = measure.value
    hair = abs(value) * 1e-9 + 1e-12
    slack = abs(value) * (APPROXIMATION if measure.bound == "about" else _rounding(value))
    ranges: Mapping[str, tuple[float, float]] = {
        "over": (value + hair, float("inf")),
        "under": (float("-inf"), value - hair),
        "at_least": (value, float("inf")),
        "at_most": (float("-inf"), value),
    }
    return ranges.get(measure.bound, (value - slack, value + slack))


def _rounding(value: float) -> float:
    """50,000 may stand for 49,780, but 49,780 only for itself."""
    if abs(value) < 100 or value != int(value):
        return 0.0
    digits = str(int(abs(value)))
    return ROUNDING if len(digits) - len(digits.rstrip("0")) >= len(digits) // 2 else 0.0


def _compare_dates(claimed: Measure, found: Measure) -> Answer:
    shared = [(mine, theirs) for mine, theirs in zip(claimed.parts, found.parts, strict=True) if mine and theirs]
    mine, theirs = tuple(pair[0] for pair in shared), tuple(pair[1] for pair in shared)
    if claimed.bound in ("over", "under"):
        if theirs == mine:
            return "unknown"
        return "agree" if (theirs > mine) == (claimed.bound == "over") else "contradict"
    if found.bound in ("over", "under"):
        return "unknown"
    if mine != theirs:
        return "contradict"
    # A claim that names the day is not shown by a source that names the year alone.
    return "agree" if len(shared) == sum(1 for part in claimed.parts if part) else "unknown"
