"""Pages taken and read in the name of a job: known by where they were found in the end, and read once."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import FetchedPage, PageUnavailable, SearchResult
from agents.evidence.visits import SAME_PAGE, ReadPage, Unread, Visitor, Visits
from storage.embedded.stores import open_embedded
from storage.ports import Embedder, UrlRegistry, UrlStatus

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)
BRIDGE = "https://gazette.example/news/2026/05/bridge-opens-to-traffic"
OLD = "https://gazette.example/old/stories/bridge-opens-to-traffic"
SHORT = "https://short.example/stories/a-link-to-the-bridge-story"


def html(subject: str) -> bytes:
    text = f"The {subject} was opened on Friday by the mayor, who walked across it with two hundred children. " * 5
    return f"<html><head><title>{subject}</title></head><body><article><p>{text}</p></article></body></html>".encode()


class Web:
    """Pages in memory, and where old addresses lead; whatever else is asked for is not there."""

    def __init__(self) -> None:
        self.pages = {BRIDGE: html("bridge"), f"{BRIDGE}-in-pictures": b"<html><body></body></html>"}
        self.moved = {OLD: BRIDGE, SHORT: f"{BRIDGE}?utm_source=short", f"{OLD}-2": f"{BRIDGE}-in-pictures"}
        self.fetched: list[str] = []

    async def fetch(self, url: str) -> FetchedPage:
        self.fetched.append(url)
        final = self.moved.get(url, url)
        body = self.pages.get(final.partition("?")[0])
        if body is None:
            raise PageUnavailable("not_found", url, "there is no such page")
        return FetchedPage(url, final, "text/html", "utf-8", body)


@pytest.fixture
async def registry(tmp_path: Path) -> AsyncIterator[UrlRegistry]:
    stores = await open_embedded(tmp_path, Embedder("none", 4))
    yield stores.urls
    await stores.close()


def visits(registry: UrlRegistry, web: Web, job_id: str = "a", loop: int = 0) -> Visits:
    return Visits(Visitor(job_id, 1, loop), registry, web, lambda: NOW)


def results(*urls: str) -> list[SearchResult]:
    return [SearchResult("Title", url, "", None, 1.0) for url in urls]


async def read_all(going: Visits, *urls: str, limit: int = 10) -> tuple[list[ReadPage | Unread], dict[str, int]]:
    chosen = await going.choose(results(*urls), limit, credibility=SourceCredibility.of(()), as_of=date(2026, 5, 1))
    read = [await going.read(result) for result in chosen.results]
    for one in read:
        if isinstance(one, ReadPage):
            await going.stored(one, "index")
            await going.stored(one, "graph")
    return read, chosen.skipped


async def test_a_page_is_known_by_the_address_at_which_redirects_end(registry: UrlRegistry) -> None:
    (read,), _ = await read_all(visits(registry, Web()), OLD)
    assert isinstance(read, ReadPage)
    assert (read.page.url, read.page.domain, read.asked) == (BRIDGE, "gazette.example", OLD)
    records = await registry.get([OLD, BRIDGE])
    assert {record.url: record.status for record in records} == {OLD: UrlStatus.EXTRACTED, BRIDGE: UrlStatus.EXTRACTED}


async def test_two_addresses_that_lead_to_one_page_are_read_once(registry: UrlRegistry) -> None:
    read, _ = await read_all(visits(registry, Web()), OLD, SHORT)
    assert [one.page.url if isinstance(one, ReadPage) else one.reason for one in read] == [BRIDGE, SAME_PAGE]


async def test_a_page_chosen_under_its_own_address_is_not_read_through_a_redirect_as_well(
    registry: UrlRegistry,
) -> None:
    read, _ = await read_all(visits(registry, Web()), OLD, BRIDGE)
    assert [one.asked if isinstance(one, ReadPage) else one.reason for one in read] == [SAME_PAGE, BRIDGE]


async def test_a_redirect_to_a_page_that_another_job_has_read_is_not_read_again(registry: UrlRegistry) -> None:
    await read_all(visits(registry, Web(), "first"), BRIDGE)
    (read,), _ = await read_all(visits(registry, Web(), "second"), OLD)
    assert isinstance(read, Unread)
    assert read.reason == SAME_PAGE


async def test_a_page_under_another_jobs_lease_is_left_to_it(registry: UrlRegistry) -> None:
    first, second = visits(registry, Web(), "first"), visits(registry, Web(), "second")
    credibility = SourceCredibility.of(())
    await first.choose(results(BRIDGE), 5, credibility=credibility)
    chosen = await second.choose(results(BRIDGE), 5, credibility=credibility)
    assert (chosen.results, chosen.skipped) == ((), {"fetched_by_another": 1})
    # The same page under an older address: ours to fetch, not to read.
    (read,), _ = await read_all(second, OLD)
    assert isinstance(read, Unread)
    assert read.reason == SAME_PAGE


async def test_what_cannot_be_fetched_or_read_is_marked_with_its_reason_at_both_addresses(
    registry: UrlRegistry,
) -> None:
    gone = "https://gazette.example/news/2026/05/a-page-that-is-gone"
    read, _ = await read_all(visits(registry, Web()), gone, f"{OLD}-2")
    assert [one.reason for one in read if isinstance(one, Unread)] == ["not_found", "no_text"]
    records = await registry.get([gone, f"{OLD}-2", f"{BRIDGE}-in-pictures"])
    assert [(record.status, record.reason) for record in records] == [
        (UrlStatus.FAILED, "not_found"),
        (UrlStatus.FAILED, "no_text"),
        (UrlStatus.FAILED, "no_text"),
    ]


async def test_pages_that_were_read_are_passed_over_by_later_loops_and_other_jobs(registry: UrlRegistry) -> None:
    web = Web()
    going = visits(registry, web)
    (read,), _ = await read_all(going, OLD)
    assert isinstance(read, ReadPage)
    await going.remember(read.keys)
    for later in (visits(registry, web, "a", 1), visits(registry, web, "b")):
        assert await read_all(later, OLD, BRIDGE) == ([], {"processed": 2})
    assert web.fetched == [OLD]


async def test_a_step_that_was_interrupted_goes_on_with_the_same_pages(registry: UrlRegistry) -> None:
    web = Web()
    urls = [f"https://site{n}.example/news/2026/05/the-story-number-{n}" for n in range(6)]
    web.pages |= {url: html(f"bridge {n}") for n, url in enumerate(urls)}
    (read,), _ = await read_all(visits(registry, web), urls[0], limit=1)
    assert isinstance(read, ReadPage)
    # It dies here: one page is stored, and the next loop's choice of two was made and nothing of it fetched.
    first = await visits(registry, web, loop=1).choose(results(*urls), 2, credibility=SourceCredibility.of(()))
    stored = await visits(registry, web, loop=1).read(first.results[0])
    assert isinstance(stored, ReadPage)
    for store in ("index", "graph"):
        await visits(registry, web, loop=1).stored(stored, store)
    again = await visits(registry, web, loop=1).choose(results(*urls), 2, credibility=SourceCredibility.of(()))
    assert again.results == first.results[1:]
    assert again.done == (first.results[0].url,)


async def test_a_page_that_is_given_back_is_free_for_others(registry: UrlRegistry) -> None:
    first, second = visits(registry, Web(), "first"), visits(registry, Web(), "second")
    chosen = await first.choose(results(BRIDGE), 5, credibility=SourceCredibility.of(()))
    await first.give_back(chosen.results)
    assert (await second.choose(results(BRIDGE), 5, credibility=SourceCredibility.of(()))).results == chosen.results
