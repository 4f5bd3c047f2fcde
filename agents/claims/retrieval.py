"""Retrieval: what the stores hold about the claim and each of its parts, with the reason each row was found."""

import asyncio
from collections.abc import Sequence

from agents.claims.evidence import ROW_LIMIT, TEXT_LIMIT, CandidateRow, copies_last
from agents.claims.fan_out import fan_out, is_decomposed
from agents.claims.job import ClaimJob
from agents.claims.reading import read_once
from agents.evidence.language import marked_language
from agents.language.ports import embed_queries
from agents.language.tasks.claim import ClaimText
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import GraphCandidate, Hit, HybridQuery
from storage.ports.evidence import content_hash


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Search with the whole claim and with its parts, in the index and in the graph at once, and merge."""
    job = await _read(job, services)
    if is_decomposed(job):
        return await fan_out(job, services)
    rows = await look_up(job, services)
    job = job.model_copy(update={"candidates": rows, "evidence": ()})
    told = Note("retrieved", {"candidates": len(rows), "from_graph": sum(row.origin == "kg" for row in rows)})
    return StepResult((Send("ranking", job.job_id, job),), (told,))


async def look_up(job: ClaimJob, services: Services) -> tuple[CandidateRow, ...]:
    """What is found for a claim that has been read, the nearest first."""
    queries = list(dict.fromkeys((job.claim, *job.subclaims)))
    by_query, by_graph = await asyncio.gather(_indexed(queries, services), _related(job, services))
    found: dict[str, CandidateRow] = {}
    for number, hits in enumerate(by_query):
        reason = "claim" if number == 0 else f"part {number}"
        for hit in hits:
            _merge(found, _passage_row(hit, reason, services))
    for candidate in by_graph:
        _merge(found, _fact_row(candidate, services))
    limit = min(ROW_LIMIT, services.budget.candidates)
    in_time = [row for row in found.values() if row.published is None or row.published <= job.as_of]
    return tuple(copies_last(in_time, services.policy.stories)[:limit])


async def _read(job: ClaimJob, services: Services) -> ClaimJob:
    """The first visit reads the claim; later ones find it read."""
    if job.reading is not None:
        return job
    text = ClaimText(job.submission.claim, job.submission.domain, job.as_of)
    reading = await read_once(
        text, services.language, services.ledger, job_id=job.job_id, attempt=job.attempt, quota=job.quota
    )
    loop = job.loop.model_copy(update={"plan": reading.queries})
    return job.model_copy(update={"reading": reading, "quota": reading.quota, "loop": loop})


async def _indexed(queries: Sequence[str], services: Services) -> list[list[Hit]]:
    vectors = await embed_queries(services.embedder, queries)
    return await asyncio.gather(
        *(
            services.index.search(HybridQuery(text=query, vector=vector, limit=services.budget.per_query))
            for query, vector in zip(queries, vectors, strict=True)
        )
    )


async def _related(job: ClaimJob, services: Services) -> list[GraphCandidate]:
    return await services.graph.candidates(job.entities, services.budget.per_query) if job.entities else []


def _passage_row(hit: Hit, reason: str, services: Services) -> CandidateRow:
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
        language=marked_language(passage.extraction),
        found_by=(f"{reason} by {matched}",),
    )


def _fact_row(candidate: GraphCandidate, services: Services) -> CandidateRow:
    fact = candidate.fact
    triple = fact.triple
    text = fact.text or f"{triple.subject} {triple.relation} {triple.object}."
    return CandidateRow(
        id=fact.id,
        text=text[:TEXT_LIMIT],
        origin="kg",
        title=fact.title,
        url=fact.url,
        domain=fact.domain,
        kg=candidate.score,
        credibility=services.credibility.prior(fact.domain),
        published=fact.published,
        fetched=fact.observed,
        content_hash=content_hash(text),
        extraction="graph",
        triple=triple,
        passage_id=fact.passage_id,
        found_by=(f"graph by {', '.join(candidate.matched)} within {candidate.hops} hops",),
    )


def _merge(found: dict[str, CandidateRow], row: CandidateRow) -> None:
    """A passage found twice keeps its better similarity and both reasons."""
    known = found.get(row.id)
    if known is None:
        found[row.id] = row
        return
    better = row if row.semantic_raw > known.semantic_raw else known
    found[row.id] = better.model_copy(update={"found_by": known.found_by + row.found_by})
