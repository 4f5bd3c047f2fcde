"""Retrieval: what the stores hold about the claim and each of its parts, with the reason each row was found."""

from agents.claims.evidence import ROW_LIMIT, TEXT_LIMIT, CandidateRow
from agents.claims.job import ClaimJob
from agents.language.rules.decompose import decompose
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.text import entities
from storage.ports import Hit, HybridQuery


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Search with the whole claim and with its parts, and merge what is found."""
    parts = job.subclaims or decompose(job.claim, services.decomposition)
    queries = list(dict.fromkeys((job.claim, *parts)))
    vectors = await services.embedder.embed(queries)
    found: dict[str, CandidateRow] = {}
    for number, (query, vector) in enumerate(zip(queries, vectors, strict=True)):
        reason = "claim" if number == 0 else f"part {number}"
        hits = await services.index.search(HybridQuery(text=query, vector=vector, limit=services.budget.per_query))
        for hit in hits:
            _merge(found, _row(hit, reason, services))
    limit = min(ROW_LIMIT, services.budget.candidates)
    rows = sorted(found.values(), key=lambda row: (-row.semantic, row.id))[:limit]
    known = {"subclaims": parts, "entities": job.entities or entities(job.claim)}
    job = job.model_copy(update={**known, "candidates": tuple(rows), "evidence": ()})
    return StepResult((Send("ranking", job.job_id, job),), (Note("retrieved", {"candidates": len(rows)}),))


def _row(hit: Hit, reason: str, services: Services) -> CandidateRow:
    passage = hit.passage
    matched = "words" if hit.lexical > hit.cosine else "meaning"
    return CandidateRow(
        id=passage.id,
        text=passage.text[:TEXT_LIMIT],
        origin="vector",
        title=passage.title,
        url=passage.url,
        domain=passage.domain,
        collection=passage.collection,
        semantic_raw=hit.cosine,
        semantic=services.embedder.calibration(hit.cosine),
        credibility=passage.credibility,
        published=passage.published,
        fetched=passage.fetched,
        content_hash=passage.content_hash,
        extraction=passage.extraction,
        found_by=(f"{reason} by {matched}",),
    )


def _merge(found: dict[str, CandidateRow], row: CandidateRow) -> None:
    """A passage found twice keeps its better similarity and both reasons."""
    known = found.get(row.id)
    if known is None:
        found[row.id] = row
        return
    better = row if row.semantic_raw > known.semantic_raw else known
    found[row.id] = better.model_copy(update={"found_by": known.found_by + row.found_by})
