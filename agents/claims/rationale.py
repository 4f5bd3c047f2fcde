"""The verdict in two to four sentences that cite evidence of the package, and nothing else."""

from agents.claims.job import ClaimJob
from agents.claims.package import Citation
from agents.claims.verdict import Decision
from agents.language.rules.rationale import CitedPassage, write_rationale
from scoring.adaptive_trust import AdaptiveTrust
from scoring.values import SegmentStatus

_WHY_NOT = {
    "no_admissible_evidence": "no source that speaks about it was found",
    "proposal_abstained": "the sources found take no side",
}


def rationale(job: ClaimJob, decision: Decision, trust: AdaptiveTrust, cited: tuple[Citation, ...]) -> str:
    """From the cited passages, the parts that stayed open, and the lock that made it abstain."""
    passages = [CitedPassage(one.evidence_id, one.quote, one.stance, one.domain, one.published) for one in cited]
    several = len(trust.segments) > 1
    open_parts = [one.text for one in trust.segments if several and one.status is SegmentStatus.UNKNOWN]
    reason = next((_WHY_NOT[lock] for lock in decision.reconciled.locks if lock in _WHY_NOT), "")
    return write_rationale(job.claim, decision.verdict, passages, open_parts, reason)
