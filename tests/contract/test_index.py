"""What every EvidenceIndex must do."""

import asyncio
from dataclasses import replace
from datetime import date, timedelta

import numpy as np
import pytest

from storage.errors import StoreError, StoreMismatch, StoreRefused
from storage.ports import Collection, Embedder, EvidenceIndex, Hit, HybridQuery, Passage, Stores, Vector
from tests.contract.adapters import EMBEDDER, Place, open_stores
from tests.contract.corpus import NOW, corpus, passage, vector_of
from tests.contract.hostile import HOSTILE, LONE_SURROGATE, SHORT_HOSTILE


def query(text: str = "", limit: int = 5, **weights: float) -> HybridQuery:
    return HybridQuery(text, vector_of(**weights), limit, collections=("facts",))


def texts(hits: list[Hit]) -> list[str]:
    return [hit.passage.text for hit in hits]


@pytest.fixture
async def filled(index: EvidenceIndex) -> EvidenceIndex:
    await index.upsert(corpus())
    return index


class TestWriting:
    async def test_a_passage_comes_back_as_it_was_written(self, index: EvidenceIndex) -> None:
        written = replace(passage("Text", title="Title", published=date(2020, 2, 29)), snippet="Te…", credibility=0.25)
        await index.upsert([(written, vector_of(moon=1))])
        assert await index.get("facts", [written.id]) == [written]
        [hit] = await index.search(query(moon=1))
        assert hit.passage == written

    async def test_writing_twice_is_writing_once(self, filled: EvidenceIndex) -> None:
        assert await filled.upsert(corpus()) == 0
        assert await filled.count("facts") == 12
        before = await filled.search(query("vaccine", vaccine=1))
        await filled.upsert(corpus())
        assert await filled.search(query("vaccine", vaccine=1)) == before

    async def test_the_same_passage_twice_in_one_batch_is_once(self, index: EvidenceIndex) -> None:
        assert await index.upsert([*corpus(), *corpus()]) == 12
        assert await index.count("facts") == 12

    async def test_writing_again_updates_what_is_said_about_a_passage(self, index: EvidenceIndex) -> None:
        first = passage("The text", title="Old")
        await index.upsert([(first, vector_of(moon=1))])
        second = replace(first, title="Zeppelin", credibility=0.9)
        await index.upsert([(second, vector_of(music=1))])
        assert await index.get("facts", [first.id]) == [second]
        [hit] = await index.search(query("zeppelin", music=1))
        assert (hit.passage, round(hit.cosine, 5), hit.lexical) == (second, 1.0, 1.0)
        [by_old_title] = await index.search(query("old", moon=1))
        assert by_old_title.lexical == 0.0

    async def test_ids_depend_on_page_and_text_alone(self) -> None:
        one = passage("Text", url="https://a.org", collection="facts", title="T")
        assert one.id == passage("Text", url="https://a.org", collection="static_gk").id
        assert one.id != passage("Text", url="https://b.org").id
        assert one.id != passage("Text.", url="https://a.org").id

    async def test_a_batch_with_a_bad_vector_writes_nothing(self, index: EvidenceIndex) -> None:
        bad = np.ones(EMBEDDER.dimension, dtype=np.float32)
        with pytest.raises(StoreRefused, match="length one"):
            await index.upsert([*corpus(), (passage("bad"), bad)])
        assert await index.count("facts") == 0

    async def test_an_empty_batch_is_nothing(self, index: EvidenceIndex) -> None:
        assert await index.upsert([]) == 0
        assert await index.collections() == []

    async def test_batches_from_many_tasks_and_two_handles_all_arrive(
        self, index: EvidenceIndex, other: Stores
    ) -> None:
        def batch(n: int) -> list[tuple[Passage, Vector]]:
            return [(passage(f"text {n} {m % 3}", url=f"https://a.org/{m % 3}"), vector_of(moon=1)) for m in range(5)]

        handles = (index, other.index)
        await asyncio.gather(*(handles[n % 2].upsert(batch(n)) for n in range(20)))
        assert await index.count("facts") == 60


class TestSearching:
    async def test_a_passage_is_found_by_its_meaning(self, filled: EvidenceIndex) -> None:
        hits = await filled.search(query(football=1))
        assert texts(hits)[0] == "Spain won the final two to one."
        assert hits[0].cosine == pytest.approx(1.0, abs=1e-5)
        assert hits[0].lexical == 0.0

    async def test_a_passage_is_found_by_its_words_though_its_vector_is_far(self, filled: EvidenceIndex) -> None:
        hits = await filled.search(query("symphony", football=1))
        assert set(texts(hits)[:2]) == {"Spain won the final two to one.", "The symphony was first performed in 1824."}
        [symphony] = [hit for hit in hits if "symphony" in hit.passage.text]
        assert symphony.lexical == 1.0
        assert symphony.cosine == pytest.approx(0.0, abs=1e-5)

    async def test_words_match_in_any_inflection_and_case(self, filled: EvidenceIndex) -> None:
        [best, *_] = await filled.search(query("VACCINATION vaccine's Landing", moon=1))
        assert "landings" in best.passage.text

    async def test_titles_are_searched_too(self, index: EvidenceIndex) -> None:
        await index.upsert([(passage("Nothing.", title="Zeppelin"), vector_of(moon=1))])
        [hit] = await index.search(query("zeppelin", music=1))
        assert hit.lexical == 1.0

    async def test_both_halves_together_order_as_known(self, filled: EvidenceIndex) -> None:
        """The same top documents on every adapter."""
        cases = {
            "Did Apollo land on the Moon in 1969?": ({"moon": 9, "history": 2}, [0, 2, 1]),
            "measles vaccine deaths": ({"vaccine": 1}, [4, 3]),
            "interest rate of the central bank": ({"economy": 1}, [6, 5]),
            "record warmest year": ({"climate": 1}, [9, 8]),
        }
        known = [p.text for p, _ in corpus()]
        for text, (weights, expected) in cases.items():
            found = texts(await filled.search(query(text, **weights)))
            assert found[: len(expected)] == [known[n] for n in expected], text

    async def test_scores_lie_where_they_are_promised(self, filled: EvidenceIndex) -> None:
        hits = await filled.search(query("measles percent moon", 12, moon=1, vaccine=1))
        assert [hit.fused for hit in hits] == sorted((hit.fused for hit in hits), reverse=True)
        for hit in hits:
            assert 0.0 <= hit.fused <= 1.0
            assert 0.0 <= hit.lexical <= 1.0
            assert -1.0 <= hit.cosine <= 1.0
        assert max(hit.lexical for hit in hits) == 1.0

    async def test_alpha_decides_between_meaning_and_words(self, filled: EvidenceIndex) -> None:
        mixed = query("symphony", 1, football=1)
        assert "Spain" in texts(await filled.search(replace(mixed, alpha=1.0)))[0]
        assert "symphony" in texts(await filled.search(replace(mixed, alpha=0.0)))[0]

    async def test_the_limit_holds(self, filled: EvidenceIndex) -> None:
        assert len(await filled.search(query("percent", 3, economy=1))) == 3

    async def test_domains_and_dates_narrow_both_halves(self, filled: EvidenceIndex) -> None:
        everything = query("percent record year", 12, climate=1)
        for narrowed, expected in (
            (replace(everything, domains=("noaa.gov",)), {8, 9}),
            (replace(everything, domains=("noaa.gov", "vote.org")), {8, 9, 10}),
            (replace(everything, published_after=date(2025, 5, 5)), {4, 5, 6}),
            (replace(everything, published_before=date(2022, 2, 15)), {0, 8}),
            (replace(everything, published_after=date(2025, 1, 1), published_before=date(2025, 2, 23)), {9, 10}),
            (replace(everything, domains=("noaa.gov",), published_after=date(2025, 1, 1)), {9}),
            (replace(everything, domains=("nowhere.org",)), set()),
        ):
            found = {int(hit.passage.title.removeprefix("Page ")) for hit in await filled.search(narrowed)}
            assert found == expected

    async def test_collections_are_searched_together_and_apart(self, index: EvidenceIndex) -> None:
        news = passage("Moon news", url="https://a.org/1", collection="current_affairs_24h")
        known = passage("Moon facts", url="https://a.org/2", collection="static_gk")
        await index.upsert([(news, vector_of(moon=1)), (known, vector_of(moon=1, history=1))])
        both = HybridQuery("moon", vector_of(moon=1))
        assert texts(await index.search(both)) == ["Moon news", "Moon facts"]
        assert texts(await index.search(replace(both, collections=("static_gk",)))) == ["Moon facts"]

    async def test_a_passage_in_two_collections_is_found_once(self, index: EvidenceIndex) -> None:
        one = passage("Moon", collection="static_gk")
        await index.upsert([(one, vector_of(moon=1)), (replace(one, collection="facts"), vector_of(moon=1))])
        assert len(await index.search(HybridQuery("moon", vector_of(moon=1)))) == 1

    async def test_a_collection_that_does_not_exist_is_empty(self, index: EvidenceIndex) -> None:
        assert await index.search(query("moon", moon=1)) == []
        assert await index.count("facts") == 0

    async def test_a_text_without_words_or_direction_finds_nothing_and_harms_nothing(
        self, filled: EvidenceIndex
    ) -> None:
        assert await filled.search(query("")) == []
        assert await filled.search(query("?! … ,")) == []
        await filled.upsert([(passage("…"), vector_of())])
        assert texts(await filled.search(query("", 1, football=1))) == ["Spain won the final two to one."]

    async def test_what_is_written_is_found_at_once_by_every_handle(self, filled: EvidenceIndex, other: Stores) -> None:
        await filled.upsert([(passage("Zeppelins fly."), vector_of(music=1, moon=1))])
        for handle in (filled, other.index):
            assert texts(await handle.search(query("zeppelin", 1, music=1, moon=1))) == ["Zeppelins fly."]


class TestDeleting:
    async def test_a_page_is_deleted_from_all_collections_or_one(self, index: EvidenceIndex) -> None:
        here = passage("Moon", url="https://a.org")
        there = replace(here, collection="static_gk")
        more = passage("Moon again", url="https://a.org")
        await index.upsert([(p, vector_of(moon=1)) for p in (here, there, more, passage("Moon", url="https://b.org"))])
        assert await index.delete_by_url("https://a.org", "static_gk") == 1
        assert await index.delete_by_url("https://a.org") == 2
        assert await index.delete_by_url("https://a.org") == 0
        assert [hit.passage.url for hit in await index.search(query("moon", moon=1))] == ["https://b.org"]

    async def test_old_passages_are_deleted(self, index: EvidenceIndex) -> None:
        old = passage("Old moon", url="https://a.org/1", fetched=NOW - timedelta(days=2))
        new = passage("New moon", url="https://a.org/2")
        await index.upsert([(old, vector_of(moon=1)), (new, vector_of(moon=1))])
        assert await index.delete_fetched_before(NOW - timedelta(days=1), "facts") == 1
        assert await index.delete_fetched_before(NOW - timedelta(days=1), "nowhere") == 0
        assert texts(await index.search(query("moon", moon=1))) == ["New moon"]

    async def test_a_new_reading_of_a_page_takes_the_place_of_earlier_ones(self, index: EvidenceIndex) -> None:
        yesterday = NOW - timedelta(days=1)
        same, gone = (passage(text, url="https://a.org", fetched=yesterday) for text in ("Same moon", "Old moon"))
        fresh = passage("New moon", url="https://a.org")
        elsewhere = passage("Old moon", url="https://b.org", fetched=yesterday)
        kept_apart = replace(gone, collection="static_gk")
        await index.upsert([(p, vector_of(moon=1)) for p in (same, gone, fresh, elsewhere, kept_apart)])
        reading = {"https://a.org": [same.id, fresh.id], "https://nowhere.org": []}
        assert await index.keep_only("facts", reading, fetched_before=NOW) == 1
        assert await index.keep_only("facts", reading, fetched_before=NOW) == 0
        assert await index.keep_only("nowhere", reading, fetched_before=NOW) == 0
        assert await index.get("facts", [p.id for p in (same, gone, fresh, elsewhere)]) == [same, fresh, elsewhere]
        assert await index.count("static_gk") == 1
        assert await index.unreachable("facts") == []

    async def test_what_somebody_else_read_since_stays(self, index: EvidenceIndex) -> None:
        mine = passage("My moon", url="https://a.org", fetched=NOW - timedelta(seconds=1))
        theirs = passage("Their moon", url="https://a.org")
        await index.upsert([(p, vector_of(moon=1)) for p in (mine, theirs)])
        assert await index.keep_only("facts", {"https://a.org": [mine.id]}, fetched_before=mine.fetched) == 0
        assert await index.count("facts") == 2

    async def test_many_pages_are_read_anew_in_one_call(self, index: EvidenceIndex) -> None:
        pages = [f"https://a.org/{n}" for n in range(300)]
        for text, at in (("old", NOW - timedelta(days=1)), ("new", NOW)):
            await index.upsert(
                [
                    (passage(f"{text} moon", url=url, fetched=at), vector_of(moon=1, music=n))
                    for n, url in enumerate(pages)
                ]
            )
        reading = {url: [passage("new moon", url=url).id] for url in pages}
        assert await index.keep_only("facts", reading, fetched_before=NOW) == 300
        assert {p.text for p, _ in await index.scan("facts")} == {"new moon"}

    async def test_a_reader_finds_a_page_at_every_moment_of_its_replacement(
        self, index: EvidenceIndex, other: Stores
    ) -> None:
        url = "https://a.org"
        begun, finished = asyncio.Event(), asyncio.Event()
        seen: list[int] = []

        async def read() -> None:
            while not finished.is_set():
                seen.append(len(await other.index.search(query("moon", moon=1))))
                begun.set()

        def edition(n: int) -> Passage:
            return passage(f"Moon edition {n}", url=url, fetched=NOW + timedelta(seconds=n))

        await index.upsert([(edition(0), vector_of(moon=1))])
        async with asyncio.TaskGroup() as readers, asyncio.timeout(60):
            readers.create_task(read())
            await begun.wait()
            for n in range(1, 15):
                await index.upsert([(edition(n), vector_of(moon=1))])
                await index.keep_only("facts", {url: [edition(n).id]}, fetched_before=edition(n).fetched)
            finished.set()
        assert set(seen) <= {1, 2}
        assert texts(await index.search(query("moon", moon=1))) == ["Moon edition 14"]

    async def test_the_room_of_deleted_passages_is_used_again(self, filled: EvidenceIndex) -> None:
        for _ in range(3):
            for p, _vector in corpus()[:6]:
                assert await filled.delete_by_url(p.url) == 1
            assert await filled.upsert(corpus()) == 6
        assert await filled.count("facts") == 12
        assert await filled.unreachable("facts") == []
        assert texts(await filled.search(query("moon", 1, moon=9, history=3))) == [corpus()[0][0].text]

    async def test_a_dropped_collection_is_gone(self, filled: EvidenceIndex) -> None:
        await filled.drop("facts")
        await filled.drop("facts")
        assert await filled.collections() == []
        assert await filled.search(query("moon", moon=1)) == []
        assert await filled.upsert(corpus()) == 12


class TestEmbedders:
    async def test_collections_know_their_embedder(self, filled: EvidenceIndex) -> None:
        assert await filled.collections() == [Collection("facts", EMBEDDER, 12)]

    @pytest.mark.parametrize("embedder", [Embedder("another", 8), Embedder("test-embedder", 16)])
    async def test_another_embedder_is_refused_in_one_clear_line(
        self, filled: EvidenceIndex, place: Place, embedder: Embedder
    ) -> None:
        stores = await open_stores(place, embedder)
        vector = np.zeros(embedder.dimension, dtype=np.float32)
        vector[0] = 1.0
        try:
            with pytest.raises(StoreMismatch, match=r"'facts' holds vectors of test-embedder \(8 dimensions\)"):
                await stores.index.search(HybridQuery("moon", vector, collections=("facts",)))
            with pytest.raises(StoreMismatch, match="ingest the collection again"):
                await stores.index.upsert([(passage("new"), vector)])
        finally:
            await stores.close()

    async def test_a_vector_of_the_wrong_size_is_refused(self, index: EvidenceIndex) -> None:
        short = np.ones(1, dtype=np.float32)
        with pytest.raises(StoreMismatch, match="test-embedder, which makes 8 dimensions"):
            await index.upsert([(passage("text"), short)])
        with pytest.raises(StoreMismatch, match="8 dimensions"):
            await index.search(HybridQuery("text", short))


class TestSwapping:
    @staticmethod
    def generation(n: int, collection: str, size: int = 12) -> list[tuple[Passage, Vector]]:
        return [
            (passage(f"generation {n}", url=f"https://a.org/{m}", collection=collection), vector_of(moon=1, music=m))
            for m in range(size)
        ]

    async def test_the_fresh_collection_takes_the_place_of_the_live_one(self, filled: EvidenceIndex) -> None:
        await filled.upsert([(passage("Fresh moon", collection="fresh"), vector_of(moon=1))])
        await filled.swap("fresh", "facts")
        assert await filled.collections() == [Collection("facts", EMBEDDER, 1)]
        [hit] = await filled.search(query("moon", moon=1))
        assert (hit.passage.text, hit.passage.collection) == ("Fresh moon", "facts")
        assert await filled.upsert(corpus()) == 12

    async def test_there_need_be_no_live_collection(self, index: EvidenceIndex) -> None:
        await index.upsert([(passage("Fresh moon", collection="fresh"), vector_of(moon=1))])
        await index.swap("fresh", "facts")
        assert await index.count("facts") == 1

    async def test_a_fresh_collection_that_does_not_exist_leaves_the_live_one(self, filled: EvidenceIndex) -> None:
        with pytest.raises(StoreError, match="no collection 'fresh'"):
            await filled.swap("fresh", "facts")
        assert await filled.count("facts") == 12

    async def test_readers_see_one_generation_whole(self, index: EvidenceIndex, other: Stores) -> None:
        await index.upsert(self.generation(0, "facts"))
        handles = (index, other.index, index, other.index)
        has_read = [asyncio.Event() for _ in handles]
        finished = asyncio.Event()
        seen: list[set[str]] = []

        async def read(handle: EvidenceIndex, done: asyncio.Event) -> None:
            while not finished.is_set():
                hits = await handle.search(query("generation", 12, moon=1))
                seen.append({hit.passage.text for hit in hits} if len(hits) == 12 else set())
                done.set()

        async with asyncio.TaskGroup() as readers, asyncio.timeout(60):
            for handle, done in zip(handles, has_read, strict=True):
                readers.create_task(read(handle, done))
            for n in range(1, 6):
                await index.upsert(self.generation(n, "fresh"))
                await index.swap("fresh", "facts")
                for done in has_read:
                    done.clear()
                    await done.wait()
            finished.set()
        assert {len(generations) for generations in seen} == {1}
        assert {text for generations in seen for text in generations} >= {f"generation {n}" for n in range(1, 6)}


class TestLookingAfter:
    async def test_a_scan_sees_every_passage_once_with_its_vector(self, filled: EvidenceIndex) -> None:
        found = []
        after = None
        while page := await filled.scan("facts", after=after, limit=5):
            found += page
            after = page[-1][0].id
        assert [p.id for p, _ in found] == sorted(p.id for p, _ in corpus())
        written = {p.id: (p, vector) for p, vector in corpus()}
        for p, vector in found:
            assert p == written[p.id][0]
            np.testing.assert_array_equal(vector, written[p.id][1])

    async def test_nothing_is_unreachable_and_repair_changes_nothing(self, filled: EvidenceIndex) -> None:
        before = await filled.search(query("moon", 12, moon=1))
        assert await filled.unreachable("facts") == []
        assert await filled.unreachable("nowhere") == []
        assert await filled.repair("facts", [p.id for p, _ in corpus()]) == 12
        assert await filled.repair("facts", ["no such id"]) == 0
        assert await filled.search(query("moon", 12, moon=1)) == before

    async def test_pages_are_known_in_whatever_collection_they_lie(self, filled: EvidenceIndex) -> None:
        here, there = corpus()[0][0].url, "https://a.org/東京?a=1&b='"
        await filled.upsert([(passage("Moon", url=there, collection="static_gk"), vector_of(moon=1))])
        many = [f"https://nowhere.org/{n}" for n in range(600)]
        assert await filled.pages_held([*many, here, there]) == {here, there}
        await filled.drop("static_gk")
        assert await filled.pages_held([here, there]) == {here}
        assert await filled.pages_held([]) == set()

    async def test_get_leaves_out_what_is_not_there(self, filled: EvidenceIndex) -> None:
        first, second = corpus()[0][0], corpus()[1][0]
        assert await filled.get("facts", [second.id, "unknown", first.id]) == [second, first]
        assert await filled.get("nowhere", [first.id]) == []


class TestWhatIsStored:
    @pytest.mark.parametrize("text", HOSTILE)
    async def test_hostile_text_comes_back_as_it_went_in(self, filled: EvidenceIndex, text: str) -> None:
        written = replace(passage(text, title=text, domain=text, url=f"https://a.org/{text}"), snippet=text)
        await filled.upsert([(written, vector_of(moon=1, music=1))])
        assert await filled.get("facts", [written.id]) == [written]
        hits = await filled.search(replace(query(text, 1, moon=1, music=1), domains=(text,)))
        assert [hit.passage for hit in hits] == [written]
        assert await filled.delete_by_url(written.url) == 1
        assert await filled.count("facts") == 12

    @pytest.mark.parametrize("name", SHORT_HOSTILE)
    async def test_hostile_collection_names_stay_names_or_are_refused(self, filled: EvidenceIndex, name: str) -> None:
        try:
            await filled.upsert([(passage("Moon", collection=name), vector_of(moon=1))])
        except StoreRefused:
            pass
        else:
            assert await filled.count(name) == 1
        assert await filled.count("facts") == 12

    async def test_empty_text_is_stored_and_found_by_its_vector(self, index: EvidenceIndex) -> None:
        await index.upsert([(passage(""), vector_of(moon=1))])
        assert texts(await index.search(query(moon=1))) == [""]

    async def test_what_is_no_passage_is_refused(self) -> None:
        with pytest.raises(StoreRefused, match="text is not valid Unicode"):
            passage(LONE_SURROGATE)
        with pytest.raises(StoreRefused, match="collection must not be empty"):
            passage("text", collection="")
        with pytest.raises(StoreRefused, match=r"cut https://example\.org/page into chunks"):
            passage("x" * 1_000_001)
        with pytest.raises(StoreRefused, match="fetched needs a time zone"):
            passage("text", fetched=NOW.replace(tzinfo=None))
        with pytest.raises(StoreRefused, match="credibility must lie in"):
            replace(passage("text"), credibility=1.5)
        with pytest.raises(StoreRefused, match="limit must be at least 1"):
            query("moon", 0)
