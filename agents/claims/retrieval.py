"""Retrieval: what the stores hold about the claim and each of its parts, with the reason each row was found."""

import asyncio
from collections.abc import Sequence

from agents.claims.copies import copies_last, search_past_copies
from agents.claims.costs import spent, timed
from agents.claims.evidence import ROW_LIMIT, TEXT_LIMIT, CandidateRow
from agents.claims.job import ClaimJob
from agents.claims.matching.earlier import worded_anew
from agents.claims.parts.fan_out import fan_out, is_decomposed
from agents.claims.reading import read_once
from agents.evidence.language import marked_language
from agents.language.ports import embed_queries, vector_share
from agents.language.tasks.claim import ClaimText
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import GraphCandidate, Hit, HybridQuery
from storage.ports.evidence import CURRENT_AFFAIRS, FACTS, STATIC_KNOWLEDGE, content_hash


@timed("retrieval")
async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Search with the whole claim and with its parts, in the index and in the graph at once, and merge."""
    began = services.clock()
    job = await _read(job, services)
    if job.reading is not None and job.reading.is_only_orders:
        return _nothing_to_verify(job)
    if is_decomposed(job):
        # It is kept as it is now, for the verdict that its parts make.
        return await fan_out(spent(job, "retrieval", began, services.clock()), services)
    job, lent = await _with_earlier(job, services)
    rows, late = await look_up(job, services, lent)
    job = job.model_copy(update={"candidates": rows, "evidence": ()})
    told = {"candidates": len(rows), "from_graph": sum(row.origin == "kg" for row in rows), "after_as_of": late}
    return StepResult((Send("ranking", job.job_id, job),), (Note("retrieved", told),))


async def look_up(
    job: ClaimJob, services: Services, lent: Sequence[CandidateRow] = ()
) -> tuple[tuple[CandidateRow, ...], int]:
    """What is found for a claim that has been read, the nearest first; and how many rows are later than its date.

    Rows that an earlier job lends are looked at too, where they were not found anyway."""
    queries = list(dict.fromkeys((job.claim, *job.subclaims)))
    by_query, by_graph = await asyncio.gather(_indexed(queries, job, services), _related(job, services))
    found: dict[str, CandidateRow] = {}
    for number, hits in enumerate(by_query):
        reason = "claim" if number == 0 else f"part {number}"
        for hit in hits:
            _merge(found, _passage_row(hit, reason, services))
    for candidate in by_graph:
        _merge(found, _fact_row(candidate, services))
    for row in lent:
        found.setdefault(row.id, row)
    in_time = [row for row in found.values() if row.published is None or row.published <= job.as_of]
    limit = min(ROW_LIMIT, services.budget.candidates)
    return tuple(copies_last(in_time, services.policy.stories)[:limit]), len(found) - len(in_time)


async def _read(job: ClaimJob, services: Services) -> ClaimJob:
    """The first visit reads the claim; later ones find it read."""
    if job.reading is not None:
        return job
    text = ClaimText(job.submission.claim, job.submission.domain, job.as_of)
    reading = await read_once(
        text, services.language, services.ledger, job_id=job.job_id, attempt=job.attempt, quota=job.quota
    )
    return job.model_copy(update={"reading": reading, "quota": reading.quota})


async def _with_earlier(job: ClaimJob, services: Services) -> tuple[ClaimJob, tuple[CandidateRow, ...]]:
    """The first look borrows the evidence of a job that asked the same in other words."""
    earlier = await worded_anew(job, services) if job.loop.count == 0 else None
    if earlier is None:
        return job, ()
    match, rows = earlier
    return job.model_copy(update={"match": match}), rows


def _nothing_to_verify(job: ClaimJob) -> StepResult:
    """A text that gives orders and claims nothing is neither looked up nor searched for."""
    job = job.model_copy(update={"loop": job.loop.updated(stop_reason="nothing_to_verify")})
    told = Note("nothing_to_verify", {"removed": job.reading.removed if job.reading is not None else 0})
    return StepResult((Send("adjudication", job.job_id, job),), (told,))


async def _indexed(queries: Sequence[str], job: ClaimJob, services: Services) -> list[list[Hit]]:
    vectors = await embed_queries(services.embedder, queries)
    collections, limit, alpha = _collections(job, services), _per_query(job, services), vector_share(services.embedder)
    return await asyncio.gather(
        *(
            search_past_copies(
                services.index,
                HybridQuery(text=query, vector=vector, limit=limit, alpha=alpha, collections=collections),
                services.policy.stories,
            )
            for query, vector in zip(queries, vectors, strict=True)
        )
    )


async def _related(job: ClaimJob, services: Services) -> list[GraphCandidate]:
    return await services.graph.candidates(job.entities, _per_query(job, services)) if job.entities else []


def _collections(job: ClaimJob, services: Services) -> tuple[str, ...]:
    """All of them; the last of several sets looks at current affairs only, and at what jobs have fetched (004 §4)."""
    last = 1 < services.budget.iterations <= job.loop.iteration
    return (CURRENT_AFFAIRS, FACTS) if last else (CURRENT_AFFAIRS, STATIC_KNOWLEDGE, FACTS)


def _per_query(job: ClaimJob, services: Services) -> int:
    """More passages with every set of queries."""
    return services.budget.per_query + services.policy.loop.top_k_growth * job.loop.iteration


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
