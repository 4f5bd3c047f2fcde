"""Ranking: the hybrid score of every candidate, the gatekeeper's word on each, the second rerank, the top kept."""

from collections.abc import Sequence

from agents.claims.evidence import CandidateRow, EvidenceRow
from agents.claims.job import ClaimJob
from agents.claims.judging import judge_rows
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.gatekeeper import GateResult, gatekeep
from scoring.policy import Policy
from scoring.ranking import RankingResult, rank
from scoring.rerank import rerank
from scoring.values import NEUTRAL, Ranked, Stance

TOP_K_GROWTH = 2
"""Rows more for every loop: what is looked for again is looked at more widely (004 §4)."""
MOST_ROWS = 20
READ_CLOSELY = 12
"""Rows that the stance model reads: more than are ever kept at the first look, few enough to stay quick."""


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Score, gate, read the best closely, rerank by what was read, keep the top."""
    found = {row.id: row for row in job.candidates}
    ranking = rank(
        job.claim,
        job.entities,
        [row.candidate() for row in job.candidates],
        job.as_of,
        services.policy.ranking,
        domain=job.submission.domain,
    )
    gated = _gated(job, ranking, services.policy)
    stances = await _read_closely(job, gated.rows, services)
    # 1 - P(neutral) is how much a passage has to say about the claim, on whichever side.
    relevance = {one: 1.0 - stance.neutral for one, stance in stances.items()}
    ordered = [one.row for one in rerank(gated.rows, relevance, services.policy.rerank).rows]
    keep = min(MOST_ROWS, job.submission.top_k + TOP_K_GROWTH * job.loop.count)
    evidence = tuple(
        _row(found[row.candidate.id], row, stances.get(row.candidate.id, NEUTRAL)) for row in ordered[:keep]
    )
    told = Note("ranked", {"kept": len(evidence), "top_score": round(ranking.top_ranking_score, 4)})
    job = job.model_copy(update={"candidates": (), "evidence": evidence})
    return StepResult((Send("trust", job.job_id, job),), (told,))


def _gated(job: ClaimJob, ranking: RankingResult, policy: Policy) -> GateResult:
    """The core entity must be named, unless nothing at all names it: then the strict gate would hide everything."""
    core = job.reading.entities[:1] if job.reading is not None else ()
    strict = gatekeep(ranking, must_have=[(one.name, *one.aliases) for one in core], policy=policy.gatekeeper)
    return strict if strict.rows or not core else gatekeep(ranking, policy=policy.gatekeeper)


async def _read_closely(job: ClaimJob, rows: Sequence[Ranked], services: Services) -> dict[str, Stance]:
    chosen = rows[:READ_CLOSELY]
    texts = [(row.candidate.title, row.candidate.text) for row in chosen]
    judged = await judge_rows(job.claim, texts, services)
    return {row.candidate.id: stance for row, stance in zip(chosen, judged, strict=True)}


def _row(row: CandidateRow, ranked: Ranked, stance: Stance) -> EvidenceRow:
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
        stance=stance,
    )
