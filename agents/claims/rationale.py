"""The verdict in two to four sentences that cite evidence of the package, and nothing else."""

import re

from agents.claims.job import ClaimJob
from agents.claims.package import Citation
from agents.claims.verdict import Decision
from agents.language.rules.rationale import CitedPassage, write_rationale

_CITED = re.compile(r"\[([^\]]+)\]")
_WHY_NOT = {
    "no_admissible_evidence": "no source that speaks about it was found",
    "proposal_abstained": "the sources found take no side",
}


def rationale(job: ClaimJob, decision: Decision, cited: tuple[Citation, ...]) -> str:
    """The model's words if they argue for this verdict and cite only what is cited; else words by rule."""
    proposed = job.proposal
    ids = {one.evidence_id for one in cited}
    if proposed.rationale and proposed.verdict is decision.verdict and set(_CITED.findall(proposed.rationale)) <= ids:
        return proposed.rationale
    passages = [CitedPassage(one.evidence_id, one.quote, one.stance, one.domain, one.published) for one in cited]
    reason = next((_WHY_NOT[lock] for lock in decision.reconciled.locks if lock in _WHY_NOT), "")
    if job.loop.stop_reason == "nothing_to_verify":
        reason = "it gives orders and claims nothing"
    return write_rationale(job.claim, decision.verdict, passages, reason=reason)
