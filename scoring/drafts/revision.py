"""Whether a draft is revised once more, and what is said when revising ends (003 §6)."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from scoring.checks import unit
from scoring.drafts.quality import LedgerEntry, QualityPolicy, evidence_coverage
from scoring.drafts.verdicts import DraftVerdict

DecisionCode = Literal[
    "max_revisions", "coverage_met", "critical_claims_lack_evidence", "claims_contradict_evidence", "coverage_too_low"
]
WarningCode = Literal["NO_IMPROVEMENT", "UNSUPPORTED_CLAIMS"]
Strategy = Literal["remove_or_qualify", "match_wording_to_evidence", "correct_to_evidence"]


@dataclass(frozen=True, slots=True)
class RevisionPolicy:
    """At most two revisions, and the coverage that makes one unnecessary."""

    max_revisions: int = 2
    quality: QualityPolicy = field(default_factory=QualityPolicy)


DEFAULT = RevisionPolicy()


@dataclass(frozen=True, slots=True)
class RevisionDecision:
    """Whether to revise, the reason as a code and as a sentence, and what the writer is told to do."""

    should_revise: bool
    code: DecisionCode
    reason: str
    instructions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RevisionAttempt:
    """One version of the draft and the coverage it reached."""

    response: str
    coverage: float

    def __post_init__(self) -> None:
        unit("coverage", self.coverage)


@dataclass(frozen=True, slots=True)
class RevisionWarning:
    code: WarningCode
    message: str
    details: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RevisionTermination:
    """The last version of the draft and what remains wrong with it."""

    final_response: str
    warnings: tuple[RevisionWarning, ...]


def decide_revision(
    entries: Sequence[LedgerEntry], revision_count: int, policy: RevisionPolicy = DEFAULT
) -> RevisionDecision:
    """The limit first, then coverage, then what is worst: critical claims without evidence, contradictions, the rest.

    003's order lets a draft of sufficient coverage pass here with a claim still missing or contradicted. Its gates
    do not, and they are reported beside this decision.
    """
    if revision_count < 0:
        raise ValueError(f"revision_count must not be negative, got {revision_count!r}")
    if revision_count >= policy.max_revisions:
        return RevisionDecision(False, "max_revisions", "Maximum number of revisions reached")
    coverage, needed = evidence_coverage(entries).value, policy.quality.min_coverage
    if coverage >= needed:
        return RevisionDecision(False, "coverage_met", "Coverage threshold met")
    if missing := [entry.claim.text for entry in entries if entry.is_critical_unsupported]:
        instructions = tuple(f'Remove or qualify this claim: "{text}"' for text in missing)
        return RevisionDecision(True, "critical_claims_lack_evidence", "Critical claims lack evidence", instructions)
    if wrong := [entry.claim.text for entry in entries if entry.verdict is DraftVerdict.CONTRADICTED]:
        instructions = tuple(f'Correct this claim to what the evidence says: "{text}"' for text in wrong)
        return RevisionDecision(True, "claims_contradict_evidence", "Claims contradict evidence", instructions)
    # Rounded down, so that a coverage just below the threshold never reads as having reached it.
    reason = f"Coverage {math.floor(coverage * 100)}% below {needed * 100:g}% threshold"
    return RevisionDecision(True, "coverage_too_low", reason, ("Strengthen citations or remove unsupported claims",))


def revision_strategy(verdict: DraftVerdict) -> Strategy | None:
    """What a writer does with one claim (003 §6.2); a supported claim is left alone."""
    strategies: dict[DraftVerdict, Strategy] = {
        DraftVerdict.NOT_FOUND: "remove_or_qualify",
        DraftVerdict.WEAK: "match_wording_to_evidence",
        DraftVerdict.CONTRADICTED: "correct_to_evidence",
    }
    return strategies.get(verdict)


def terminate_revision(history: Sequence[RevisionAttempt], entries: Sequence[LedgerEntry]) -> RevisionTermination:
    """The last attempt, with a warning if revising did not help and one if material claims stay without evidence."""
    if not history:
        raise ValueError("history must hold at least the first draft")
    warnings: list[RevisionWarning] = []
    if len(history) > 1 and evidence_coverage(entries).value <= history[0].coverage:
        warnings.append(RevisionWarning("NO_IMPROVEMENT", "Revising did not improve evidence coverage"))
    unsupported = tuple(
        entry.claim.text for entry in entries if entry.is_material and entry.verdict is DraftVerdict.NOT_FOUND
    )
    if unsupported:
        message = f"{len(unsupported)} material claims could not be verified"
        warnings.append(RevisionWarning("UNSUPPORTED_CLAIMS", message, unsupported))
    return RevisionTermination(final_response=history[-1].response, warnings=tuple(warnings))
