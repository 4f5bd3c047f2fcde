"""What every UrlRegistry must do."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from storage.errors import StoreRefused, UrlUnknown
from storage.ports import RegistryPolicy, Stores, UrlRecord, UrlRegistry, UrlStatus
from tests.contract.conftest import Together
from tests.contract.hostile import LONE_SURROGATE

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
PAGE = "https://example.org/page"
POLICY = RegistryPolicy()
INSTANT = timedelta(microseconds=1)


async def see(
    urls: UrlRegistry, *pages: str, stage: int = 0, claims: tuple[str, ...] = ("c",), at: datetime = NOW
) -> None:
    await urls.register(pages or (PAGE,), stage=stage, claim_ids=claims, now=at)


async def extract(urls: UrlRegistry, page: str = PAGE, at: datetime = NOW) -> UrlRecord:
    assert await urls.lease([page], owner="me", now=at)
    await urls.acknowledge(page, "index", owner="me", now=at)
    return await urls.acknowledge(page, "graph", owner="me", now=at)


class TestRegistering:
    async def test_a_new_page_is_seen(self, urls: UrlRegistry) -> None:
        [record] = await urls.register([PAGE], stage=1, claim_ids=["a", "b"], now=NOW)
        assert record == UrlRecord(PAGE, UrlStatus.SEEN, 1, frozenset({"a", "b"}), NOW)
        assert await urls.get([PAGE]) == [record]

    async def test_every_spelling_is_the_same_page(self, urls: UrlRegistry) -> None:
        spellings = [PAGE, "HTTPS://EXAMPLE.org:443/page/?utm_source=feed#top", " https://example.org/page "]
        records = await urls.register(spellings, stage=0, claim_ids=["c"], now=NOW)
        assert [record.url for record in records] == [PAGE]
        assert len(await urls.get(spellings)) == 1

    async def test_the_first_stage_stays_and_claims_add_up(self, urls: UrlRegistry) -> None:
        await see(urls, stage=1, claims=("a",))
        [record] = await urls.register([PAGE], stage=0, claim_ids=["b"], now=NOW + INSTANT)
        assert (record.first_stage, record.claims) == (1, frozenset({"a", "b"}))

    async def test_what_is_not_an_address_is_left_out(self, urls: UrlRegistry) -> None:
        odd = [
            "",
            "nonsense",
            "ftp://example.org/x",
            "javascript:alert(1)",
            "https://",
            "https://a.org/\x00",
            "http://[::1",
        ]
        assert await urls.register([*odd, PAGE, LONE_SURROGATE], stage=0, claim_ids=["c"], now=NOW)
        assert await urls.pending(now=NOW) == [PAGE]

    async def test_hostile_addresses_and_claims_are_kept_as_they_are(self, urls: UrlRegistry) -> None:
        page = "https://example.org/'};DROP%20TABLE/東京"
        [record] = await urls.register([page], stage=0, claim_ids=["'; DROP TABLE urls", "}) DETACH"], now=NOW)
        assert record.claims == {"'; DROP TABLE urls", "}) DETACH"}
        assert await urls.pending(now=NOW, claim_id="'; DROP TABLE urls") == [record.url]

    async def test_many_registrations_at_once_agree(self, urls: UrlRegistry, other: Stores) -> None:
        handles = (urls, other.urls)
        await asyncio.gather(
            *(handles[n % 2].register([PAGE], stage=n, claim_ids=[f"c{n}"], now=NOW) for n in range(30))
        )
        [record] = await urls.get([PAGE])
        assert record.claims == {f"c{n}" for n in range(30)}


class TestPending:
    async def test_only_seen_pages_are_pending_oldest_first(self, urls: UrlRegistry) -> None:
        pages = [f"https://example.org/{n}" for n in range(5)]
        for n, page in enumerate(pages):
            await see(urls, page, at=NOW - n * INSTANT)
        await extract(urls, pages[0])
        await urls.lease([pages[1]], owner="me", now=NOW)
        await urls.fail(pages[1], owner="me", reason="404", now=NOW)
        await urls.lease([pages[2]], owner="me", now=NOW)
        assert await urls.pending(now=NOW) == [pages[4], pages[3]]
        assert await urls.pending(now=NOW, limit=1) == [pages[4]]

    async def test_a_claims_pending_pages_are_its_own(self, urls: UrlRegistry) -> None:
        await see(urls, "https://example.org/a", claims=("a",))
        await see(urls, "https://example.org/b", claims=("b",))
        await see(urls, "https://example.org/ab", claims=("a", "b"))
        assert await urls.pending(now=NOW, claim_id="a") == ["https://example.org/a", "https://example.org/ab"]


class TestLeases:
    async def test_a_page_is_leased_to_one_at_a_time(self, urls: UrlRegistry) -> None:
        await see(urls)
        assert await urls.lease([PAGE], owner="me", now=NOW) == [PAGE]
        assert await urls.lease([PAGE], owner="you", now=NOW) == []
        assert await urls.lease([PAGE], owner="me", now=NOW) == [PAGE]

    async def test_unknown_pages_are_not_leased(self, urls: UrlRegistry) -> None:
        assert await urls.lease([PAGE, "nonsense"], owner="me", now=NOW) == []

    async def test_a_dead_workers_lease_passes_on(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        later = NOW + POLICY.lease_for
        assert await urls.lease([PAGE], owner="you", now=later - INSTANT) == []
        assert await urls.pending(now=later) == [PAGE]
        assert await urls.lease([PAGE], owner="you", now=later) == [PAGE]

    async def test_a_released_page_is_free_and_still_seen(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        assert (await urls.release(PAGE, owner="you")).lease_owner == "me"
        record = await urls.release(PAGE, owner="me")
        assert (record.status, record.lease_owner, record.lease_until) == (UrlStatus.SEEN, "", None)
        assert await urls.lease([PAGE], owner="you", now=NOW) == [PAGE]

    async def test_processes_that_ask_for_the_same_pages_share_them_out(
        self, urls: UrlRegistry, in_processes: Together
    ) -> None:
        pages = [f"https://example.org/{n}" for n in range(40)]
        await see(urls, *pages)
        shares = await in_processes("lease_pages", "one", "two", "three")
        assert sorted(page for share in shares for page in share) == sorted(pages)


class TestExtraction:
    async def test_a_page_is_extracted_when_both_stores_have_said_so(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        half = await urls.acknowledge(PAGE, "graph", owner="me", now=NOW)
        assert (half.status, half.acknowledged) == (UrlStatus.SEEN, frozenset({"graph"}))
        again = await urls.acknowledge(PAGE, "graph", owner="me", now=NOW)
        assert again == half
        whole = await urls.acknowledge(PAGE, "index", owner="me", now=NOW + INSTANT)
        assert (whole.status, whole.lease_owner, whole.changed_at) == (UrlStatus.EXTRACTED, "", NOW + INSTANT)

    async def test_an_extracted_page_is_never_leased_again(self, urls: UrlRegistry) -> None:
        await see(urls)
        await extract(urls)
        await see(urls, claims=("later",))
        assert await urls.lease([PAGE], owner="you", now=NOW) == []
        [record] = await urls.get([PAGE])
        assert (record.status, record.claims) == (UrlStatus.EXTRACTED, frozenset({"c", "later"}))

    async def test_whoever_lost_the_lease_extracts_nothing(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        await urls.acknowledge(PAGE, "index", owner="me", now=NOW)
        later = NOW + POLICY.lease_for
        await urls.lease([PAGE], owner="you", now=later)
        assert (await urls.acknowledge(PAGE, "graph", owner="me", now=later)).acknowledged == frozenset()
        assert (await urls.fail(PAGE, owner="me", reason="slow", now=later)).status is UrlStatus.SEEN
        await urls.acknowledge(PAGE, "graph", owner="you", now=later)
        done = await urls.acknowledge(PAGE, "index", owner="you", now=later)
        assert done.status is UrlStatus.EXTRACTED

    async def test_without_a_lease_nothing_is_acknowledged(self, urls: UrlRegistry) -> None:
        await see(urls)
        assert (await urls.acknowledge(PAGE, "index", owner="me", now=NOW)).acknowledged == frozenset()
        with pytest.raises(StoreRefused, match="owner must not be empty"):
            await urls.acknowledge(PAGE, "index", owner="", now=NOW)

    async def test_an_unknown_page_is_refused(self, urls: UrlRegistry) -> None:
        with pytest.raises(UrlUnknown, match="register it first"):
            await urls.acknowledge(PAGE, "index", owner="me", now=NOW)
        with pytest.raises(UrlUnknown, match="register it first"):
            await urls.fail(PAGE, owner="me", reason="", now=NOW)
        with pytest.raises(StoreRefused, match="not an http or https address"):
            await urls.release("nonsense", owner="me")

    async def test_a_failed_page_says_why(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        record = await urls.fail(PAGE, owner="me", reason="HTTP 404", now=NOW)
        assert (record.status, record.reason) == (UrlStatus.FAILED, "HTTP 404")

    async def test_a_page_may_be_read_again_once_it_has_expired_and_is_found_again(self, urls: UrlRegistry) -> None:
        await see(urls)
        await extract(urls)
        later = NOW + POLICY.extracted_for
        assert await urls.pending(now=later) == []
        await see(urls, at=later - INSTANT)
        assert await urls.pending(now=later) == []
        await see(urls, stage=2, at=later)
        [record] = await urls.get([PAGE])
        assert (record.status, record.first_stage, record.acknowledged) == (UrlStatus.SEEN, 0, frozenset())
        assert (await extract(urls, at=later)).status is UrlStatus.EXTRACTED

    async def test_a_failed_page_may_be_tried_again_after_a_while(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        await urls.fail(PAGE, owner="me", reason="HTTP 503", now=NOW)
        await see(urls, at=NOW + POLICY.failed_for)
        [record] = await urls.get([PAGE])
        assert (record.status, record.reason) == (UrlStatus.SEEN, "")

    async def test_a_forgotten_page_is_new(self, urls: UrlRegistry) -> None:
        await see(urls, stage=0, claims=("a",))
        await extract(urls)
        assert await urls.forget(PAGE)
        assert not await urls.forget(PAGE)
        [record] = await urls.register([PAGE], stage=2, claim_ids=["b"], now=NOW)
        assert record == UrlRecord(PAGE, UrlStatus.SEEN, 2, frozenset({"b"}), NOW)


class TestRedirects:
    async def test_an_address_that_redirects_is_marked_with_the_pages_own(self, urls: UrlRegistry) -> None:
        await see(urls)
        await urls.lease([PAGE], owner="me", now=NOW)
        for store in ("index", "graph"):
            record = await urls.acknowledge(PAGE, store, owner="me", now=NOW, known_by="https://example.org/final/")
        assert (record.status, record.known_by) == (UrlStatus.EXTRACTED, "https://example.org/final")
        assert await urls.get([PAGE]) == [record]
        await see(urls, at=NOW + POLICY.extracted_for)
        [revived] = await urls.get([PAGE])
        assert (revived.status, revived.known_by) == (UrlStatus.SEEN, "")


class TestScanning:
    async def test_a_scan_sees_every_page_once_as_it_stands(self, urls: UrlRegistry) -> None:
        pages = [f"https://example.org/{name}" for name in ("b", "é", "a", "東京", "c/d", "c")]
        await see(urls, *pages, claims=("one", "two"))
        await extract(urls, pages[0])
        found: list[UrlRecord] = []
        after = None
        while page := await urls.scan(after=after, limit=4):
            assert len(page) <= 4
            found += page
            after = page[-1].url
        assert {record.url: record for record in found} == {record.url: record for record in await urls.get(pages)}
        assert len(found) == len(pages)
        assert [record.url for record in found if record.status is UrlStatus.EXTRACTED] == [pages[0]]

    async def test_an_empty_registry_has_nothing_to_scan(self, urls: UrlRegistry) -> None:
        assert await urls.scan() == []


class TestJobMemory:
    async def test_pages_of_an_earlier_loop_are_not_processed_again(self, urls: UrlRegistry) -> None:
        a, b, c = (f"https://example.org/{name}" for name in "abc")
        await urls.remember("job", 1, [a, b], now=NOW)
        assert await urls.unprocessed("job", 2, [c, b, a], now=NOW) == [c]
        assert await urls.unprocessed("another job", 2, [b, a], now=NOW) == [b, a]

    async def test_a_loop_that_runs_twice_gets_the_same_pages_again(self, urls: UrlRegistry) -> None:
        await see(urls)
        assert await urls.unprocessed("job", 1, [PAGE], now=NOW) == [PAGE]
        await urls.remember("job", 1, [PAGE], now=NOW)
        await urls.remember("job", 2, [PAGE], now=NOW)
        await extract(urls)
        assert await urls.unprocessed("job", 1, [PAGE], now=NOW) == [PAGE]
        assert await urls.unprocessed("job", 2, [PAGE], now=NOW) == []

    async def test_what_anybody_has_processed_is_left_out_until_it_expires(self, urls: UrlRegistry) -> None:
        read, broken, fresh = (f"https://example.org/{name}" for name in ("read", "broken", "fresh"))
        await see(urls, read, broken, fresh)
        await extract(urls, read)
        await urls.lease([broken], owner="me", now=NOW)
        await urls.fail(broken, owner="me", reason="HTTP 404", now=NOW)
        asked = [read, broken, fresh, "https://example.org/unheard-of"]
        assert await urls.unprocessed("job", 1, asked, now=NOW) == asked[2:]
        assert await urls.unprocessed("job", 1, asked, now=NOW + POLICY.failed_for) == asked[1:]
        assert await urls.unprocessed("job", 1, asked, now=NOW + POLICY.extracted_for) == asked

    async def test_the_memory_is_listed_in_order_and_purged_by_age(self, urls: UrlRegistry) -> None:
        a, b, c = (f"https://example.org/{name}" for name in "abc")
        await urls.remember("job", 1, [c], now=NOW)
        await urls.remember("job", 2, [a, b, c], now=NOW + timedelta(hours=1))
        assert await urls.processed("job") == [c, a, b]
        assert await urls.purge(NOW + POLICY.job_memory_for + INSTANT) == 1
        assert await urls.processed("job") == [a, b]
        assert await urls.processed("nobody") == []
