"""Search expansion: one query, its best new pages fetched, read and stored, then back to retrieval."""

import asyncio
from collections import Counter

from agents.claims.job import ClaimJob
from agents.claims.planning import plan_queries
from agents.errors import Permanent
from agents.evidence.extraction import ExtractedPage, extract
from agents.evidence.ingest import ingest_page
from agents.evidence.ports import PageUnavailable, SearchResult
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.urls import is_listing
from storage.ports.evidence import FACTS


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """One visit is one loop: the next planned query, never more."""
    if services.search is None or services.fetcher is None:
        raise Permanent("no web search is configured, so no job should have come here")
    plan = job.loop.plan if job.loop.count else plan_queries(job.claim, job.subclaims, job.submission.domain)
    query, rest = plan[0], plan[1:]
    results = await services.search.search(query, services.budget.urls_per_query * 3)
    skipped: Counter[str] = Counter(job.loop.urls_skipped)
    chosen = _choose(results, job, services, skipped)
    stored = await asyncio.gather(*(_take(result, job, services) for result in chosen))
    for reason in (outcome for outcome in stored if isinstance(outcome, str)):
        skipped[reason] += 1
    fetched = [result.url for result, outcome in zip(chosen, stored, strict=True) if isinstance(outcome, int)]
    loop = job.loop.model_copy(
        update={
            "count": job.loop.count + 1,
            "plan": rest,
            "queries": (*job.loop.queries, query),
            "urls_processed": (*job.loop.urls_processed, *fetched),
            "urls_skipped": dict(skipped),
        }
    )
    told = Note("searched", {"query": query, "results": len(results), "pages": len(fetched)})
    job = job.model_copy(update={"loop": loop, "evidence": (), "candidates": ()})
    return StepResult((Send("retrieval", job.job_id, job),), (told,))


def _choose(
    results: list[SearchResult], job: ClaimJob, services: Services, skipped: Counter[str]
) -> list[SearchResult]:
    """New article pages, best first, up to the cap; what is passed over is counted by reason."""
    chosen: list[SearchResult] = []
    for result in results:
        reason = _unwanted(result, job)
        if reason is None and len(chosen) >= services.budget.urls_per_query:
            reason = "over_cap"
        if reason is None:
            chosen.append(result)
        else:
            skipped[reason] += 1
    return chosen


def _unwanted(result: SearchResult, job: ClaimJob) -> str | None:
    if is_listing(result.url):
        return "listing"
    if result.published is not None and result.published > job.as_of:
        return "after_as_of"
    return "processed" if result.url in job.loop.urls_processed else None


async def _take(result: SearchResult, job: ClaimJob, services: Services) -> int | str:
    """Fetch, read and store one page: how many passages were new, or why there are none."""
    assert services.fetcher is not None
    now = services.clock()
    try:
        fetched = await services.fetcher.fetch(result.url)
    except PageUnavailable as error:
        return error.reason
    page = await extract(fetched.body, result.url, latest=now.date())
    if not isinstance(page, ExtractedPage):
        return page.reason
    return await ingest_page(
        page, FACTS, index=services.index, embedder=services.embedder, credibility=services.credibility, now=now
    )
