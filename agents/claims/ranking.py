"""Ranking: the hybrid score of every candidate, the gatekeeper's word on each, the second rerank, the top kept."""

from agents.claims.evidence import CandidateRow, EvidenceRow
from agents.claims.job import ClaimJob
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.gatekeeper import gatekeep
from scoring.ranking import rank
from scoring.rerank import rerank
from scoring.values import Ranked

TOP_K_GROWTH = 2
"""Rows more for every loop: what is looked for again is looked at more widely (004 §4)."""
MOST_ROWS = 20


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Score, gate, rerank, keep the top."""
    ranking = rank(
        job.claim,
        job.entities,
        [row.candidate() for row in job.candidates],
        job.as_of,
        services.policy.ranking,
        domain=job.submission.domain,
    )
    gated = gatekeep(ranking)
    ordered = [one.row for one in rerank(gated.rows).rows]
    keep = min(MOST_ROWS, job.submission.top_k + TOP_K_GROWTH * job.loop.count)
    found = {row.id: row for row in job.candidates}
    evidence = tuple(_row(found[ranked.candidate.id], ranked) for ranked in ordered[:keep])
    told = Note("ranked", {"kept": len(evidence), "top_score": round(ranking.top_ranking_score, 4)})
    job = job.model_copy(update={"candidates": (), "evidence": evidence})
    return StepResult((Send("trust", job.job_id, job),), (told,))


def _row(row: CandidateRow, ranked: Ranked) -> EvidenceRow:
    recency = ranked.score.inputs["recency_boost"]
    return EvidenceRow(
        **row.model_dump(),
        score=ranked.score,
        claim_overlap=ranked.claim_overlap,
        entity_overlap=ranked.entity_overlap,
        anchor_match_score=ranked.anchor_match_score,
        admissible=ranked.admissible_for_trust,
        notes=ranked.notes,
        recency=recency if isinstance(recency, float) else 0.5,
    )
