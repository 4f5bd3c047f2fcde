"""The refresh swaps in a whole new collection or changes nothing, and readers never see anything in between."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import SearchResult
from agents.knowledge.queries import DEFAULT_QUERIES, best_first, queries_about
from agents.knowledge.refresh import RefreshFailed, RefreshPolicy, fresh_name, refresh
from storage.errors import StoreFull
from storage.ports import Collection, HybridQuery, JobRecord, Passage, Stores, Vector
from storage.ports.evidence import CURRENT_AFFAIRS
from tests.unit.knowledge.world import NOW, MemoryWeb, WordEmbedder, world

POLICY = RefreshPolicy(max_pages=30)


async def live(stores: Stores) -> list[str]:
    """The editions that the live collection holds, each once."""
    rows = await stores.index.scan(CURRENT_AFFAIRS, limit=1_000)
    return sorted({passage.text.split()[0] for passage, _ in rows})


async def names(stores: Stores) -> list[str]:
    return [collection.name for collection in await stores.index.collections()]


async def test_the_first_refresh_makes_the_collection(stores: Stores) -> None:
    web = MemoryWeb.edition("monday")
    done = await refresh(world(stores, web), POLICY)
    assert (done.pages, done.unanswered) == (30, 0)
    assert done.passages == await stores.index.count(CURRENT_AFFAIRS) > 30
    assert await live(stores) == ["monday"]
    assert await names(stores) == [CURRENT_AFFAIRS]


async def test_the_next_refresh_takes_its_place_and_leaves_nothing_of_it(stores: Stores) -> None:
    await refresh(world(stores, MemoryWeb.edition("monday")), POLICY)
    await refresh(world(stores, MemoryWeb.edition("tuesday")), POLICY)
    assert await live(stores) == ["tuesday"]
    assert await names(stores) == [CURRENT_AFFAIRS]


async def test_credible_domains_are_read_first(stores: Stores) -> None:
    web = MemoryWeb.edition("monday")
    await refresh(world(stores, web), replace(POLICY, max_pages=4, results_per_query=40))
    assert {url.split("/")[2] for url in web.fetched} == {"site3.org"}


async def test_what_recent_jobs_were_about_is_searched_for_as_well(stores: Stores) -> None:
    for number, claim in enumerate(["Jane Morrow opened the Iron Bridge.", "Jane Morrow resigned."]):
        submission = json.dumps({"job_id": f"j{number}", "claim": claim}).encode()
        await stores.ledger.open_job(JobRecord(f"j{number}", "f", submission, NOW))
    web = MemoryWeb.edition("monday")
    await refresh(world(stores, web), POLICY)
    assert web.queries[: len(DEFAULT_QUERIES)] == list(DEFAULT_QUERIES)
    assert web.queries[len(DEFAULT_QUERIES)] == "Jane Morrow"


def test_submissions_that_are_no_claims_name_nothing() -> None:
    assert queries_about([b"", b"[]", b'{"claim": 5}', b"\xff", b'{"claim": "nothing here"}'], 5) == []


def result(url: str) -> SearchResult:
    return SearchResult(url, url, "", None, 1.0)


def test_results_are_mixed_over_queries_and_lists_of_articles_are_left_out() -> None:
    found = [
        [result("https://a.org/2026/01/01/one"), result("https://a.org/2026/01/01/two")],
        [result("https://b.org/"), result("https://b.org/2026/01/01/three"), result("nonsense")],
        [result("https://a.org/2026/01/01/one?utm_source=x"), result("https://good.org/2026/01/01/four")],
    ]
    assert best_first(found, SourceCredibility.of(["good.org"]), 10) == [
        "https://good.org/2026/01/01/four",
        "https://a.org/2026/01/01/one",
        "https://a.org/2026/01/01/two",
        "https://b.org/2026/01/01/three",
    ]
    assert len(best_first(found, SourceCredibility.of([]), 2)) == 2


class FailingIndex:
    """The index of a world, with one of its doors shut."""

    def __init__(self, stores: Stores, failing: str, after: int = 0) -> None:
        self._index = stores.index
        self._failing = failing
        self._after = after

    def _pass(self, door: str) -> None:
        if door == self._failing:
            self._after -= 1
            if self._after < 0:
                raise StoreFull("no room left to write; free some disk space")

    async def collections(self) -> list[Collection]:
        return await self._index.collections()

    async def get(self, collection: str, ids: Sequence[str]) -> list[Passage]:
        return await self._index.get(collection, ids)

    async def upsert(self, items: Sequence[tuple[Passage, Vector]]) -> int:
        self._pass("upsert")
        return await self._index.upsert(items)

    async def keep_only(self, collection: str, pages: Mapping[str, Sequence[str]], *, fetched_before: datetime) -> int:
        self._pass("keep_only")
        return await self._index.keep_only(collection, pages, fetched_before=fetched_before)

    async def swap(self, fresh: str, live: str) -> None:
        self._pass("swap")
        await self._index.swap(fresh, live)

    async def drop(self, collection: str) -> None:
        self._pass("drop")
        await self._index.drop(collection)


def broken_search(web: MemoryWeb) -> None:
    web.silent_queries.add("*")


def broken_pages(web: MemoryWeb) -> None:
    web.broken |= set(web.pages)


def empty_web(web: MemoryWeb) -> None:
    web.pages.clear()


def cut_cable(web: MemoryWeb) -> None:
    web.fail_after = 0


@pytest.mark.parametrize("breaks", [broken_search, broken_pages, empty_web, cut_cable])
async def test_a_web_that_gives_nothing_leaves_the_live_collection_untouched(
    stores: Stores, breaks: Callable[[MemoryWeb], None]
) -> None:
    await refresh(world(stores, MemoryWeb.edition("monday")), POLICY)
    before = await stores.index.scan(CURRENT_AFFAIRS, limit=1_000)
    web = MemoryWeb.edition("tuesday")
    breaks(web)
    with pytest.raises(RefreshFailed, match="the old collection stays"):
        await refresh(world(stores, web), POLICY)
    after = await stores.index.scan(CURRENT_AFFAIRS, limit=1_000)
    assert [passage for passage, _ in after] == [passage for passage, _ in before]
    assert await names(stores) == [CURRENT_AFFAIRS]


@pytest.mark.parametrize("door", ["upsert", "keep_only", "swap"])
async def test_a_store_that_fails_leaves_the_live_collection_untouched(stores: Stores, door: str) -> None:
    await refresh(world(stores, MemoryWeb.edition("monday")), POLICY)
    failing = FailingIndex(stores, door)
    broken = replace(world(stores, MemoryWeb.edition("tuesday")), index=failing)  # type: ignore[arg-type]  # what it uses
    with pytest.raises(StoreFull):
        await refresh(broken, POLICY)
    assert await live(stores) == ["monday"]
    assert await names(stores) == [CURRENT_AFFAIRS]


async def test_a_refresh_that_is_cancelled_leaves_the_live_collection_untouched(stores: Stores) -> None:
    await refresh(world(stores, MemoryWeb.edition("monday")), POLICY)
    reached = asyncio.Event()

    class Stuck(MemoryWeb):
        async def fetch(self, url: str) -> object:  # type: ignore[override]  # never returns
            reached.set()
            await asyncio.Event().wait()
            raise AssertionError

    web = Stuck(MemoryWeb.edition("tuesday").pages)
    task = asyncio.create_task(refresh(world(stores, web), POLICY))
    await asyncio.wait_for(reached.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await live(stores) == ["monday"]
    assert await names(stores) == [CURRENT_AFFAIRS]


async def test_some_searches_and_some_pages_may_fail(stores: Stores) -> None:
    web = MemoryWeb.edition("monday")
    web.silent_queries |= set(DEFAULT_QUERIES[:5])
    web.broken |= set(list(web.pages)[::4])
    done = await refresh(world(stores, web), POLICY)
    assert done.unanswered == 5
    assert done.skipped["unreachable"] > 0
    assert done.pages + done.skipped.total() == 30


async def test_without_a_web_search_the_refresh_says_what_to_set(stores: Stores) -> None:
    with pytest.raises(RefreshFailed, match="TAVILY_API_KEY"):
        await refresh(world(stores, None), POLICY)


async def test_what_a_dead_refresh_left_behind_is_cleared_and_a_running_one_is_left_alone(stores: Stores) -> None:
    embedder = WordEmbedder()
    (vector,) = await embedder.embed(["x"])
    dead = fresh_name(CURRENT_AFFAIRS, NOW - timedelta(hours=7), "dead")
    running = fresh_name(CURRENT_AFFAIRS, NOW - timedelta(minutes=5), "running")
    for name in (dead, running):
        await stores.index.upsert([(Passage(name, "https://a.org/1", "x", NOW), vector)])
    await refresh(world(stores, MemoryWeb.edition("monday")), POLICY)
    assert await names(stores) == [CURRENT_AFFAIRS, running]


async def test_two_refreshes_at_once_end_with_one_of_them_whole(stores: Stores, other: Stores) -> None:
    one, two = world(stores, MemoryWeb.edition("monday")), world(other, MemoryWeb.edition("tuesday"))
    done = await asyncio.gather(refresh(one, POLICY), refresh(two, POLICY))
    (edition,) = await live(stores)
    winner = done[("monday", "tuesday").index(edition)]
    assert await stores.index.count(CURRENT_AFFAIRS) == winner.passages
    assert await names(stores) == [CURRENT_AFFAIRS]


class Reader:
    """Searches the live collection for as long as it is let, and keeps what it saw."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self.seen: Counter[tuple[str, ...]] = Counter()
        self.counts: set[int] = set()

    async def read(self, stop: asyncio.Event) -> None:
        (vector,) = await WordEmbedder().embed(["Mayor Jane Morrow opened the bridge"])
        query = HybridQuery("Mayor Jane Morrow opened the bridge", vector, limit=40, collections=(CURRENT_AFFAIRS,))
        while not stop.is_set():
            hits = await self._stores.index.search(query)
            self.seen[tuple(sorted({hit.passage.text.split()[0] for hit in hits}))] += 1
            self.counts.add(await self._stores.index.count(CURRENT_AFFAIRS))


async def test_four_readers_see_all_of_the_old_or_all_of_the_new_and_never_an_error(
    stores: Stores, other: Stores
) -> None:
    sizes = [(await refresh(world(stores, MemoryWeb.edition("edition0")), POLICY)).passages]
    readers = [Reader(stores), Reader(stores), Reader(other), Reader(other)]
    stop = asyncio.Event()
    reading = [asyncio.create_task(reader.read(stop)) for reader in readers]
    for number in range(1, 4):
        sizes.append((await refresh(world(stores, MemoryWeb.edition(f"edition{number}")), POLICY)).passages)
        while not all(reader.seen[f"edition{number}",] for reader in readers):
            await asyncio.wait(reading, timeout=0.05, return_when=asyncio.FIRST_COMPLETED)
            assert not any(task.done() for task in reading)
    stop.set()
    await asyncio.wait_for(asyncio.gather(*reading), 30)
    for reader in readers:
        assert set(reader.seen) <= {(f"edition{number}",) for number in range(4)}
        assert reader.counts <= set(sizes)
