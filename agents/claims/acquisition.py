"""Pages for one job, batch by batch: each is read and stored before the next is begun (002).

A worker that dies in the middle loses what was in flight, never more than one batch.
"""

import asyncio
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agents.claims.job import ClaimJob
from agents.evidence.ingest import ingest_page, snippet_passage, store_passages
from agents.evidence.ports import SearchResult
from agents.evidence.relations import ingest_relations
from agents.evidence.replacing import replace_earlier
from agents.evidence.visits import SAME_PAGE, ReadPage, Unread, Visits
from agents.language.quota import QuotaState
from agents.language.tasks.facts import Page
from agents.results import Notes
from agents.services import Services
from storage.ports import UrlStatus, normal_url
from storage.ports.evidence import FACTS

OUT_OF_TIME = "out_of_time"
TOO_LARGE = "too_large"
POLL_SECONDS = 0.2
"""Between two looks at whether another job has finished with a page: a fetch takes longer than that."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What came of the pages: where they are known now, what they weighed and cost, why others did not come."""

    quota: QuotaState
    read: tuple[str, ...] = ()
    bytes: int = 0
    cost: float = 0.0
    skipped: Counter[str] = field(default_factory=Counter)


async def gather_pages(
    results: Sequence[SearchResult],
    job: ClaimJob,
    visits: Visits,
    services: Services,
    *,
    seconds: float,
    notes: Notes,
) -> Gathered:
    """Fetch, read and store, `batch` pages at a time; what does not come within `seconds` is given back."""
    gathered = Gathered(job.quota)
    size = services.budget.batch
    ends = asyncio.get_running_loop().time() + seconds
    for start in range(0, len(results), size):
        batch = results[start : start + size]
        notes.add("extract_batch_started", batch_size=len(batch))
        left = max(0.0, ends - asyncio.get_running_loop().time())
        outcomes = await _read(batch, visits, left)
        pages = [one for one in outcomes if isinstance(one, ReadPage)]
        spent = await _store(pages, job.claim, gathered.quota, visits, services)
        await _store_leads(batch, outcomes, services)
        gathered = _with_batch(gathered, outcomes, spent, services.budget.page_bytes)
        notes.add("extract_batch_finished", success_count=len(pages))
    return gathered


async def _read(batch: Sequence[SearchResult], visits: Visits, seconds: float) -> list[ReadPage | Unread]:
    """The outcome for each page of a batch, all fetched at once."""
    tasks = {asyncio.ensure_future(visits.read(result)): result for result in batch}
    try:
        done, late = await asyncio.wait(tasks, timeout=seconds)
    finally:
        for task in tasks:
            task.cancel()
    await asyncio.gather(*late, return_exceptions=True)
    await visits.give_back([tasks[task] for task in late])
    return [task.result() if task in done else Unread(normal_url(tasks[task].url), OUT_OF_TIME) for task in tasks]


async def _store(
    pages: Sequence[ReadPage], claim: str, quota: QuotaState, visits: Visits, services: Services
) -> QuotaState:
    """Passages into the index, relations into the graph, each acknowledged when its store has it."""
    asked = [Page(one.page.url, one.page.text, one.page.title, one.page.published) for one in pages]
    facts, quota = await services.language.read_pages(claim, asked, quota)
    for read in pages:
        page, now = read.page, services.clock()
        passages = await ingest_page(
            page, FACTS, index=services.index, embedder=services.embedder, credibility=services.credibility, now=now
        )
        await visits.stored(read, "index")
        await ingest_relations(page, facts[page.url].triples, passages, graph=services.graph, now=now)
        reading = {page.url: [passage.id for passage in passages]}
        await replace_earlier(FACTS, reading, index=services.index, graph=services.graph, before=now)
        await visits.stored(read, "graph")
    # A page that a redirect led to is known by its own address as well.
    await visits.remember([one.page.url for one in pages])
    return quota


async def _store_leads(
    batch: Sequence[SearchResult], outcomes: Sequence[ReadPage | Unread], services: Services
) -> None:
    """The lowest rung of the ladder (002): of a page that cannot be read, what the engine shows of it is kept."""
    lost = [
        result
        for result, outcome in zip(batch, outcomes, strict=True)
        if isinstance(outcome, Unread) and outcome.reason not in (OUT_OF_TIME, SAME_PAGE)
    ]
    now = services.clock()
    leads = (snippet_passage(result, FACTS, services.credibility, now) for result in lost)
    await store_passages([lead for lead in leads if lead is not None], services.index, services.embedder)


def _with_batch(
    gathered: Gathered, outcomes: Sequence[ReadPage | Unread], quota: QuotaState, page_bytes: int
) -> Gathered:
    pages = [one for one in outcomes if isinstance(one, ReadPage)]
    unread = [one for one in outcomes if isinstance(one, Unread)]
    # Of a page that was too large nobody knows how much had come; it counts for all that was set aside for it.
    lost = sum(page_bytes if one.reason == TOO_LARGE else one.size for one in unread)
    return replace(
        gathered,
        quota=quota,
        read=(*gathered.read, *(one.page.url for one in pages)),
        bytes=gathered.bytes + sum(one.size for one in pages) + lost,
        cost=gathered.cost + sum(one.cost for one in outcomes),
        skipped=gathered.skipped + Counter(one.reason for one in unread),
    )


async def await_others(urls: Sequence[str], services: Services, seconds: float) -> int:
    """Wait until nobody reads these pages any more; how many were read. What others read is evidence for all."""
    ends = asyncio.get_running_loop().time() + seconds
    while True:
        records, now = await services.urls.get(urls), services.clock()
        busy = any(
            one.status is UrlStatus.SEEN and one.lease_until is not None and one.lease_until > now for one in records
        )
        if not busy or asyncio.get_running_loop().time() >= ends:
            return sum(one.status is UrlStatus.EXTRACTED for one in records)
        await asyncio.sleep(POLL_SECONDS)
