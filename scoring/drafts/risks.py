"""What a reader must be warned about: no evidence, sources that disagree, sources that are old (003 §8)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

RiskType = Literal["no_evidence", "conflict", "outdated_source"]
Severity = Literal["medium", "high"]

DAYS_PER_YEAR = 365
NO_EVIDENCE_RESPONSE = (
    "The documents provided contain nothing relevant to this question, so it cannot be answered from them."
)


@dataclass(frozen=True, slots=True)
class FreshnessPolicy:
    """A document is outdated when it is more than this many days old."""

    max_age_days: int = 365


DEFAULT = FreshnessPolicy()


@dataclass(frozen=True, slots=True)
class RiskFlag:
    type: RiskType
    severity: Severity
    description: str


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two chunks that cannot both be right about the claim."""

    supporting: str
    contradicting: str

    @property
    def summary(self) -> str:
        return f"{self.supporting} supports what {self.contradicting} contradicts"


def no_evidence_flag() -> RiskFlag:
    """Raised when retrieval came back empty; the ledger then has no entries and a coverage of 0."""
    return RiskFlag(type="no_evidence", severity="high", description="No document matched the query")


def find_conflicts(supporting: Sequence[str], contradicting: Sequence[str]) -> tuple[Conflict, ...]:
    """Every contradicting chunk against the best supporting one: one line each, not every pair of the two sides."""
    if not supporting:
        return ()
    return tuple(Conflict(supporting=supporting[0], contradicting=chunk_id) for chunk_id in contradicting)


def conflict_flag(conflicts: Sequence[Conflict]) -> RiskFlag:
    """The flag that a claim with conflicting evidence carries."""
    sources = len({end for conflict in conflicts for end in (conflict.supporting, conflict.contradicting)})
    return RiskFlag(type="conflict", severity="high", description=f"{sources} sources disagree on this claim")


def check_freshness(inferred_date: date | None, today: date, policy: FreshnessPolicy = DEFAULT) -> RiskFlag | None:
    """A warning for a document older than the limit; a document without a date cannot be called old."""
    if inferred_date is None:
        return None
    age = (today - inferred_date).days
    if age <= policy.max_age_days:
        return None
    years = age // DAYS_PER_YEAR
    span = f"{age} days" if years == 0 else f"{years} year{'s' if years > 1 else ''}"
    return RiskFlag(type="outdated_source", severity="medium", description=f"Source document is {span} old")
