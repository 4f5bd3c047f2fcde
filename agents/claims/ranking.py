"""Ranking: the hybrid score of every candidate, the gatekeeper's word on each, the second rerank, the top kept."""

from collections.abc import Mapping, Sequence

from agents.claims.copies import MOST_COPIES, with_copies_marked
from agents.claims.costs import timed
from agents.claims.evidence import CandidateRow, EvidenceRow
from agents.claims.job import ClaimJob
from agents.claims.judging import Judged, judge_rows
from agents.evidence.ingest import SNIPPET, is_snippet
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.gatekeeper import GateResult, gatekeep
from scoring.identity import url_key
from scoring.policy import Policy
from scoring.ranking import RankingResult, rank
from scoring.rerank import rerank
from scoring.stories import Told, copies
from scoring.values import NEUTRAL, Ranked, Stance

MOST_ROWS = 20
READ_CLOSELY = 12
"""Rows that the stance model reads: more than are ever kept at the first look, few enough to stay quick."""


@timed("ranking")
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
    same = _same_story(gated.rows, services.policy)
    originals = [row for row in gated.rows if row.candidate.id not in same]
    read = await _read_closely(job, found, originals, services)
    stances = dict(zip((row.candidate.id for row in originals), read.rows, strict=False))
    # A copy says what its original says.
    stances |= {copy: stances[original] for copy, original in same.items() if original in stances}
    # 1 - P(neutral) is how much a passage has to say about the claim, on whichever side.
    relevance = {one: 1.0 - stance.neutral for one, stance in stances.items()}
    ordered = [one.row for one in rerank(originals, relevance, services.policy.rerank).rows]
    keep = min(MOST_ROWS, job.submission.top_k + services.policy.loop.top_k_growth * job.loop.iteration)
    kept = ordered[:keep]
    repeated = [row for row in gated.rows if same.get(row.candidate.id) in {one.candidate.id for one in kept}]
    kept += [one.row for one in rerank(repeated, relevance, services.policy.rerank).rows][:MOST_COPIES]
    evidence = tuple(_row(found[row.candidate.id], row, stances.get(row.candidate.id, NEUTRAL)) for row in kept)
    evidence = _only_known_copies(with_copies_marked(evidence, services.policy.stories), same)
    told = Note(
        "ranked",
        {
            "kept": len(evidence),
            "copies": sum(bool(row.same_as) for row in evidence),
            "top_score": round(ranking.top_ranking_score, 4),
        },
    )
    models = {"embedder": services.embedder.name, "stance": services.stance.name}
    loop = job.loop.updated(judged=read.texts)
    job = job.model_copy(update={"candidates": (), "evidence": evidence, "models": models, "loop": loop})
    return StepResult((Send("trust", job.job_id, job),), (told,))


def _gated(job: ClaimJob, ranking: RankingResult, policy: Policy) -> GateResult:
    """The core entity must be named, unless nothing at all names it: then the strict gate would hide everything."""
    core = job.reading.entities[:1] if job.reading is not None else ()
    strict = gatekeep(ranking, must_have=[(one.name, *one.aliases) for one in core], policy=policy.gatekeeper)
    return strict if strict.rows or not core else gatekeep(ranking, policy=policy.gatekeeper)


def _same_story(rows: Sequence[Ranked], policy: Policy) -> Mapping[str, str]:
    """Which rows only repeat another one: they take no place from rows that say something of their own."""
    told = [Told(row.candidate.id, row.candidate.text, url_key(row.candidate.url), row.score.value) for row in rows]
    return copies(told, policy.stories)


def _only_known_copies(rows: Sequence[EvidenceRow], same: Mapping[str, str]) -> tuple[EvidenceRow, ...]:
    """A copy that cannot be told as one from the rows that were kept would count as a source of its own."""
    return tuple(row for row in rows if row.same_as or row.id not in same)


async def _read_closely(
    job: ClaimJob, found: Mapping[str, CandidateRow], rows: Sequence[Ranked], services: Services
) -> Judged:
    """The first rows; what the same model read at an earlier look is known."""
    chosen = [found[row.candidate.id] for row in rows[:READ_CLOSELY]]
    known = job.loop.judged if job.models.get("stance") == services.stance.name else {}
    return await judge_rows(job.claim, chosen, services, known)


def _row(row: CandidateRow, ranked: Ranked, stance: Stance) -> EvidenceRow:
    recency = ranked.score.inputs["recency_boost"]
    lead = is_snippet(row.extraction)
    return EvidenceRow(
        **row.model_dump(),
        score=ranked.score,
        claim_overlap=ranked.claim_overlap,
        entity_overlap=ranked.entity_overlap,
        anchor_match_score=ranked.anchor_match_score,
        # Nobody has read the page that a snippet is of: it is shown, and nothing rests on it.
        admissible=ranked.admissible_for_trust and not lead,
        notes=(*ranked.notes, SNIPPET) if lead else ranked.notes,
        recency=recency if isinstance(recency, float) else 0.5,
        stance=stance,
    )
