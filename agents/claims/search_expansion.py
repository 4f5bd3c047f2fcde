"""Search expansion: one query, its best new pages fetched, read and stored, then back to retrieval."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agents.claims.job import ClaimJob
from agents.errors import Permanent
from agents.evidence.extraction import ExtractedPage, extract
from agents.evidence.ingest import ingest_page
from agents.evidence.ports import NobodyAnswered, PageFetcher, PageUnavailable, SearchResult, WebSearch
from agents.evidence.relations import ingest_relations
from agents.evidence.urls import skip_reason
from agents.language.quota import QuotaState
from agents.language.tasks.facts import Page
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import normal_url
from storage.ports.evidence import FACTS

WIDER = 3
"""Results asked for, as a multiple of the pages wanted: many will be known or unwanted."""


class Web(NamedTuple):
    """The two halves of looking outside."""

    search: WebSearch
    fetcher: PageFetcher


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """One visit is one loop: the next planned query, never more."""
    if services.search is None or services.fetcher is None:
        raise Permanent("no web search is configured, so no job should have come here")
    web = Web(services.search, services.fetcher)
    query, rest = job.loop.plan[0], job.loop.plan[1:]
    try:
        results = await web.search.search(query, services.budget.urls_per_query * WIDER)
    except NobodyAnswered as error:
        # The evidence that the job has is still with it, so it is decided on that.
        job = job.stopped("no_provider")
        return StepResult((Send("adjudication", job.job_id, job),), (Note("unanswered", {"reason": str(error)}),))
    skipped: Counter[str] = Counter(job.loop.urls_skipped)
    chosen = await _choose(results, job, services, skipped)
    pages, failed = await _read_pages(chosen, job, services, web.fetcher)
    skipped.update(failed)
    quota = await _store(pages, job, services)
    read = [page.url for page in pages]
    await services.urls.remember(job.job_id, job.loop.count, chosen, now=services.clock())
    loop = job.loop.model_copy(
        update={
            "count": job.loop.count + 1,
            "plan": rest,
            "queries": (*job.loop.queries, query),
            "urls_processed": (*job.loop.urls_processed, *read),
            "urls_skipped": dict(skipped),
        }
    )
    told = Note("searched", {"query": query, "results": len(results), "pages": len(read)})
    job = job.model_copy(update={"loop": loop, "quota": quota, "evidence": (), "candidates": ()})
    return StepResult((Send("retrieval", job.job_id, job),), (told,))


async def _choose(results: list[SearchResult], job: ClaimJob, services: Services, skipped: Counter[str]) -> list[str]:
    """New article pages, best first, up to the cap, each leased to this job; what is passed over is counted."""
    now, cap = services.clock(), services.budget.urls_per_query
    wanted = []
    for result in results:
        reason = _unwanted(result, job)
        if reason is None:
            wanted.append(normal_url(result.url))
        else:
            skipped[reason] += 1
    await services.urls.register(wanted, stage=job.loop.count, claim_ids=[job.job_id], now=now)
    fresh = await services.urls.unprocessed(job.job_id, job.loop.count, wanted, now=now)
    granted = await services.urls.lease(fresh[:cap], owner=_owner(job), now=now)
    for reason, count in (
        ("processed", len(wanted) - len(fresh)),
        ("over_cap", len(fresh[cap:])),
        ("fetched_by_another", len(fresh[:cap]) - len(granted)),
    ):
        if count:
            skipped[reason] += count
    return granted


def _unwanted(result: SearchResult, job: ClaimJob) -> str | None:
    if result.published is not None and result.published > job.as_of:
        return "after_as_of"
    return skip_reason(result.url)


async def _read_pages(
    urls: Sequence[str], job: ClaimJob, services: Services, fetcher: PageFetcher
) -> tuple[list[ExtractedPage], list[str]]:
    """Fetch and read pages together; the reasons of those that could not be."""
    outcomes = await asyncio.gather(*(_read_page(url, job, services, fetcher) for url in urls))
    pages = [outcome for outcome in outcomes if isinstance(outcome, ExtractedPage)]
    return pages, [outcome for outcome in outcomes if isinstance(outcome, str)]


async def _read_page(url: str, job: ClaimJob, services: Services, fetcher: PageFetcher) -> ExtractedPage | str:
    now = services.clock()
    try:
        fetched = await fetcher.fetch(url)
    except PageUnavailable as error:
        await services.urls.fail(url, owner=_owner(job), reason=error.reason, now=now)
        return error.reason
    page = await extract(fetched.body, url, latest=now.date())
    if isinstance(page, ExtractedPage):
        return page
    await services.urls.fail(url, owner=_owner(job), reason=page.reason, now=now)
    return page.reason


async def _store(pages: Sequence[ExtractedPage], job: ClaimJob, services: Services) -> QuotaState:
    """Passages into the index, relations into the graph, each acknowledged when its store has it."""
    asked = [Page(page.url, page.text, page.title, page.published) for page in pages]
    facts, quota = await services.language.read_pages(job.claim, asked, job.quota)
    for page in pages:
        now = services.clock()
        await ingest_page(
            page, FACTS, index=services.index, embedder=services.embedder, credibility=services.credibility, now=now
        )
        await services.urls.acknowledge(page.url, "index", owner=_owner(job), now=now)
        await ingest_relations(page, facts[page.url].triples, graph=services.graph, now=now)
        await services.urls.acknowledge(page.url, "graph", owner=_owner(job), now=services.clock())
    return quota


def _owner(job: ClaimJob) -> str:
    """A step that runs again owns what it owned before."""
    return f"{job.job_id}/{job.attempt}"
