"""Fifty jobs at once: no budget of any of them is passed, by its own record and by what its clients were asked for."""

import asyncio
from collections import Counter
from contextvars import ContextVar
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from agents.claims.budget import LoopBudget
from agents.claims.package import VerdictPackage
from agents.evidence.ports import FetchedPage, PageFetcher, SearchOutcome, WebSearch
from tests.support.small_web import Article
from tests.unit.claims.town import World, world

JOBS = 50
WHOSE: ContextVar[str] = ContextVar("WHOSE")


class CountedFetcher:
    """The real fetcher; counts for whom."""

    def __init__(self, fetcher: PageFetcher) -> None:
        self._fetcher = fetcher
        self.pages: Counter[str] = Counter()
        self.bytes: Counter[str] = Counter()

    async def fetch(self, url: str) -> FetchedPage:
        self.pages[WHOSE.get()] += 1
        page = await self._fetcher.fetch(url)
        self.bytes[WHOSE.get()] += len(page.body)
        return page


class CountedSearch:
    """The real search; counts for whom."""

    def __init__(self, search: WebSearch) -> None:
        self._search = search
        self.queries: Counter[str] = Counter()

    async def search(self, query: str, limit: int, as_of: date | None = None) -> SearchOutcome:
        self.queries[WHOSE.get()] += 1
        return await self._search.search(query, limit, as_of)


PLACES = ("Ellory", "Brannock", "Tarn", "Quill", "Marsh", "Wexley", "Dunmoor", "Fenwick", "Ashby", "Loxley")
EVENTS = ("storm damaged its railings", "ferry was replaced by it", "painters worked on it", "marathon crossed it")


def pages_about(place: str) -> list[Article]:
    """Eight pages on one bridge, which agree on nothing that would settle a claim about it."""
    return [
        Article(
            f"{place.lower()}-{number}.example",
            f"bridge-{number}",
            f"The bridge of Port {place}, part {number}",
            (f"A {EVENTS[number % 4]} in the year {1900 + number * 9}, says the chronicle of Port {place}.",) * 2,
        )
        for number in range(8)
    ]


async def one_job(here: World, number: int) -> VerdictPackage:
    WHOSE.set(f"job-{number}")
    place = PLACES[number % len(PLACES)]
    return await here.package(f"The bridge of Port {place} is {number + 1} metres long.", job_id=f"job-{number}")


async def test_no_budget_is_passed_by_fifty_concurrent_jobs(tmp_path: Path) -> None:
    pages = [page for place in PLACES for page in pages_about(place)]
    budgets = {"query_budget": 3, "urls_per_query": 2, "pages_per_job": 4, "agentic_loop_max_iter": 2}
    async with world(tmp_path, pages, bytes_per_job=12_000_000, **budgets) as here:
        assert here.services.search is not None
        assert here.services.fetcher is not None
        fetcher, search = CountedFetcher(here.services.fetcher), CountedSearch(here.services.search)
        here.services = replace(here.services, fetcher=fetcher, search=search)
        made = await asyncio.gather(*(asyncio.create_task(one_job(here, number)) for number in range(JOBS)))
        fetched = here.web.fetched
    assert len({one.job_id for one in made}) == JOBS
    for one in made:
        loop = one.loop
        assert search.queries[one.job_id] == loop.count <= 3
        assert (one.job_id, fetcher.pages[one.job_id]) == (one.job_id, sum(step.pages for step in loop.steps))
        assert fetcher.pages[one.job_id] <= 4
        assert fetcher.bytes[one.job_id] == sum(step.bytes for step in loop.steps) <= 12_000_000
        assert all(step.pages <= 2 for step in loop.steps)
        assert loop.iterations <= 2
        assert one.timings["end_to_end_seconds"] <= loop.limits["deadline_seconds"]
    assert len(fetched) == len(set(fetched)), "a page was read by two jobs"
    assert max(fetcher.pages.values()) > 1


@pytest.mark.parametrize(
    ("fetched", "taken", "left"),
    [(0, 0, 12), (6, 0, 6), (10, 0, 2), (12, 0, 0), (13, 0, 0), (0, 55_000_000, 1), (0, 55_000_001, 0)],
)
def test_a_page_is_only_fetched_if_the_largest_would_still_fit(fetched: int, taken: int, left: int) -> None:
    assert LoopBudget().pages_left(fetched, taken) == left


def test_a_budget_that_holds_no_page_is_refused() -> None:
    with pytest.raises(ValueError, match="less than one page"):
        LoopBudget(bytes=1_000)
