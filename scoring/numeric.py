"""Whether closely matching evidence gives the figure that a claim gives: agrees, differs, or says nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.checks import unit
from scoring.coverage import DEFAULT as COVERAGE
from scoring.coverage import Segment
from scoring.text import Quantity, quantities, tokens
from scoring.text.lexicon import word_set
from scoring.values import Evidence


class NumericRelation(StrEnum):
    """What the evidence says of the claim's figures."""

    AGREES = "agrees"
    DIFFERS = "differs"
    SILENT = "silent"


@dataclass(frozen=True, slots=True)
class NumericPolicy:
    """No specification gives a tolerance or says how close a passage must be."""

    # Rounded figures agree ("1,200" and "1,187"), neighbouring ones do not ("12 %" and "13 %").
    tolerance: float = 0.02
    # The match that coverage calls strong: a figure in a looser passage is probably about something else.
    close_match: float = COVERAGE.strong_match

    def __post_init__(self) -> None:
        unit("tolerance", self.tolerance)
        unit("close_match", self.close_match)


DEFAULT = NumericPolicy()
# Years and dates are left out: a passage mentions many, and most are not the claim's.
_COMPARED = frozenset(("count", "percent", "money", "measure", "fraction"))
# "More than 500" is not contradicted by 700: a bounded figure cannot be compared by equality.
_BOUNDS = word_set("more less fewer over under above below least most up nearly almost about around roughly")


def numeric_relation(
    claim: str, segments: Sequence[Segment], evidence: Iterable[Evidence], policy: NumericPolicy = DEFAULT
) -> NumericRelation:
    """Compares the claim's figures with those of the passages that match it closely."""
    close = {link.evidence_id for segment in segments for link in segment.links if link.match >= policy.close_match}
    return compare_figures(claim, [item.text for item in evidence if item.id in close], policy)


def compare_figures(claim: str, texts: Iterable[str], policy: NumericPolicy = DEFAULT) -> NumericRelation:
    """Agrees or differs only if the texts that speak to the figures are of one mind."""
    wanted = [quantity for quantity in quantities(claim) if quantity.kind in _COMPARED]
    if not wanted or not _BOUNDS.isdisjoint(tokens(claim)):
        return NumericRelation.SILENT
    said = {_in_text(wanted, quantities(text), policy) for text in texts} - {NumericRelation.SILENT}
    return said.pop() if len(said) == 1 else NumericRelation.SILENT


def _in_text(wanted: Sequence[Quantity], found: Sequence[Quantity], policy: NumericPolicy) -> NumericRelation:
    """Differs only where the text has exactly one figure of that kind and unit, so that it must be the one meant."""
    agreeing = 0
    for quantity in wanted:
        rivals = [other for other in found if (other.kind, other.unit) == (quantity.kind, quantity.unit)]
        if any(_close(quantity.value, other.value, policy.tolerance) for other in rivals):
            agreeing += 1
        elif len(rivals) == 1:
            return NumericRelation.DIFFERS
    return NumericRelation.AGREES if agreeing == len(wanted) else NumericRelation.SILENT


def _close(a: float, b: float, tolerance: float) -> bool:
    return abs(a - b) <= tolerance * max(abs(a), abs(b))
