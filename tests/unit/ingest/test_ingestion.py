"""Documents in bulk: stored once, embedded once, in bounded batches, and from where an interrupted run stopped."""

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agents.evidence.documents import Document, FeedMemory, Piece, Skip, Visit
from agents.evidence.extraction import ExtractedPage
from agents.evidence.http import open_client
from agents.evidence.ingest import ingest_page, missing_from, passages_of
from agents.knowledge import feed_memory
from agents.knowledge.checking import verify
from agents.knowledge.earlier_readings import EarlierReadings
from agents.knowledge.ingestion import BATCH, Ingestion, Tally, Target
from agents.knowledge.sources import plan_sources, read_sources
from scoring.values import Triple
from storage.errors import StoreMismatch, StoreUnavailable
from storage.ports import Embedder, Fact, Hit, HybridQuery, Passage, Stores, Vector
from tests.unit.ingest.makers import ARTICLE, json_lines
from tests.unit.knowledge.places import Place, open_stores
from tests.unit.knowledge.world import NOW, Clock, WordEmbedder, target


def page(number: int, text: str = "") -> ExtractedPage:
    said = text or f"Document number{number} says that Mayor Jane Morrow opened bridge number{number} in Kelderwick."
    return ExtractedPage(f"doc:test/{number}", f"Title {number}", said, None, "", None)


async def pieces(*documents: ExtractedPage | Skip) -> AsyncGenerator[Piece, None]:
    for number, one in enumerate(documents, start=1):
        yield Piece(one if isinstance(one, Skip) else Document(one, "text"), number)


async def corpus(count: int) -> AsyncGenerator[Piece, None]:
    for number in range(count):
        yield Piece(Document(page(number), "text"), number)


async def ingest_files(goal: Target, *names: Path | str, feeds: FeedMemory | None = None) -> Tally:
    async with open_client() as client:
        visit = Visit(client, None, feeds=feeds or FeedMemory())
        return await Ingestion(goal).run(read_sources(plan_sources([str(name) for name in names]), visit))


def embedder_of(goal: Target) -> WordEmbedder:
    assert isinstance(goal.embedder, WordEmbedder)
    return goal.embedder


async def found(stores: Stores, goal: Target, text: str) -> list[Hit]:
    (vector,) = await goal.embedder.embed([text])
    return await stores.index.search(HybridQuery(text, vector, limit=3))


async def test_what_is_ingested_is_found(stores: Stores) -> None:
    goal = target(stores)
    tally = await Ingestion(goal).run(corpus(20))
    assert (tally.documents, tally.new, tally.known) == (20, 20, 0)
    hits = await found(stores, goal, "Title 7 number7")
    assert hits[0].passage.url == "doc:test/7"
    assert (hits[0].passage.collection, hits[0].passage.extraction) == ("static_gk", "text")


async def test_ingesting_again_embeds_and_writes_nothing(stores: Stores) -> None:
    goal = target(stores)
    await Ingestion(goal).run(corpus(30))
    again = target(stores)
    tally = await Ingestion(again).run(corpus(30))
    assert (tally.documents, tally.new, tally.known) == (30, 0, 30)
    assert embedder_of(again).embedded == []


async def test_only_what_changed_is_embedded(stores: Stores) -> None:
    await Ingestion(target(stores)).run(corpus(5))
    goal = target(stores)
    tally = await Ingestion(goal).run(pieces(page(1), page(2, "Something else was said."), page(6)))
    assert (tally.new, tally.known) == (2, 1)
    assert embedder_of(goal).embedded == ["Title 2. Something else was said.", "Title 6. " + page(6).text]


def later(goal: Target) -> Target:
    """The same target on another day."""
    return replace(goal, clock=Clock(NOW + timedelta(days=1)))


async def held(stores: Stores, collection: str = "static_gk") -> list[str]:
    return sorted(passage.text for passage, _ in await stores.index.scan(collection))


async def test_a_changed_document_replaces_what_it_used_to_say(stores: Stores) -> None:
    await Ingestion(target(stores)).run(pieces(page(1, "Same. " * 100 + "Old end."), page(2, "Another one.")))
    before = await stores.index.count("static_gk")
    tally = await Ingestion(later(target(stores))).run(pieces(page(1, "Same. " * 100 + "New end.")))
    assert (tally.new, tally.outdated) == (1, 1)
    assert await stores.index.count("static_gk") == before
    texts = await held(stores)
    assert any(text.endswith("New end.") for text in texts)
    assert not any(text.endswith("Old end.") for text in texts)
    assert "Another one." in texts
    again = await Ingestion(later(target(stores))).run(pieces(page(1, "Same. " * 100 + "New end.")))
    assert (again.new, again.outdated) == (0, 0)


class Watching:
    """An index that is looked at right before anything is deleted from it."""

    def __init__(self, stores: Stores, broken: bool = False) -> None:
        self._index = stores.index
        self._broken = broken
        self.before: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def keep_only(self, collection: str, pages: Mapping[str, Sequence[str]], *, fetched_before: datetime) -> int:
        self.before = sorted(passage.text for passage, _ in await self._index.scan(collection))
        if self._broken:
            raise StoreUnavailable("the disk is gone")
        return await self._index.keep_only(collection, pages, fetched_before=fetched_before)


async def test_the_new_text_is_there_before_the_old_one_goes(stores: Stores) -> None:
    await Ingestion(target(stores)).run(pieces(page(1, "Old.")))
    watching = Watching(stores)
    await Ingestion(replace(later(target(stores)), index=watching)).run(pieces(page(1, "New.")))  # type: ignore[arg-type]  # what a run uses
    assert watching.before == ["New.", "Old."]
    assert await held(stores) == ["New."]


async def test_a_run_that_died_before_the_old_text_went_is_made_good_by_the_next(stores: Stores) -> None:
    await Ingestion(target(stores)).run(pieces(page(1, "Old.")))
    broken = Watching(stores, broken=True)
    with pytest.raises(StoreUnavailable):
        await Ingestion(replace(later(target(stores)), index=broken)).run(pieces(page(1, "New.")))  # type: ignore[arg-type]  # what a run uses
    assert await held(stores) == ["New.", "Old."]
    tally = await Ingestion(later(target(stores))).run(pieces(page(1, "New.")))
    assert (tally.new, tally.outdated) == (0, 1)
    assert await held(stores) == ["New."]


async def test_records_that_share_an_address_are_one_document(stores: Stores) -> None:
    first = [page(1, f"Paragraph {n}.") for n in range(3)]
    await Ingestion(target(stores)).run(pieces(*first))
    again = await Ingestion(later(target(stores))).run(pieces(*first))
    assert (again.new, again.outdated) == (0, 0)
    tally = await Ingestion(later(target(stores))).run(pieces(first[0], page(1, "Paragraph 7."), first[2]))
    assert (tally.new, tally.outdated) == (1, 1)
    assert await held(stores) == ["Paragraph 0.", "Paragraph 2.", "Paragraph 7."]


async def test_a_very_long_run_settles_its_documents_on_the_way(stores: Stores) -> None:
    goal = target(stores)
    await Ingestion(goal).run(pieces(*(page(n, "Old.") for n in range(3))))
    earlier = EarlierReadings("static_gk", stores.index, None, NOW + timedelta(days=1), kept=2)
    new = [
        await ingest_page(
            page(n, text),
            "static_gk",
            index=stores.index,
            embedder=goal.embedder,
            credibility=goal.credibility,
            now=NOW,
        )
        for n, text in ((0, "New."), (1, "New."), (0, "More."), (2, "New."))
    ]
    gone = [await earlier.note(passages[0].url, [one.id for one in passages]) for passages in new[:2]]
    assert gone == [0, 3]  # the second reading of the first document is gone with the old: its run is not over
    assert await earlier.note(new[2][0].url, [new[2][0].id]) == 0  # settled already, so nothing of it goes again
    assert await earlier.note(new[3][0].url, [new[3][0].id]) == 0
    assert await earlier.settle() == 1
    assert await earlier.settle() == 0


async def test_relations_follow_the_document_they_were_read_from(stores: Stores) -> None:
    stays = "Mayor Jane Morrow opened the bridge in Kelderwick."
    goes = "Councillor Ines Halloway closed the school in Kelderwick."
    await Ingestion(target(stores, relations=True)).run(pieces(page(1, f"{stays} {goes}")))
    first = {fact.triple.subject: fact for fact in await stores.graph.facts_from(page(1).url)}
    assert {fact.text for fact in first.values()} == {stays, goes}
    # A relation that the rules would not find, as a language model might have.
    told = Fact(Triple("Jane Morrow", "was in", "Kelderwick"), page(1).url, NOW, text=stays)
    known = replace(told, passage_id=first["Mayor Jane Morrow"].passage_id)
    await stores.graph.upsert_facts([known])
    await Ingestion(later(target(stores, relations=True))).run(pieces(page(1, f"It was a fine day. {stays}")))
    ((passage, _),) = await stores.index.scan("static_gk")
    facts = await stores.graph.facts_from(page(1).url)
    assert {fact.triple.subject for fact in facts} == {"Mayor Jane Morrow", "Jane Morrow"}
    assert {(fact.passage_id, fact.text) for fact in facts} == {(passage.id, stays)}
    assert (await verify(stores, NOW + timedelta(days=2))).is_sound


async def test_relations_of_a_passage_that_another_collection_holds_stay(stores: Stores) -> None:
    said = "Mayor Jane Morrow opened the bridge in Kelderwick."
    await Ingestion(target(stores, "facts", relations=True)).run(pieces(page(1, said)))
    await Ingestion(target(stores, relations=True)).run(pieces(page(1, said)))
    await Ingestion(later(target(stores, relations=True))).run(pieces(page(1, "Nothing of the kind.")))
    assert [fact.text for fact in await stores.graph.facts_from(page(1).url)] == [said]
    assert (await verify(stores, NOW + timedelta(days=2))).is_sound


async def test_batches_stay_bounded_however_long_a_document_is(stores: Stores) -> None:
    goal = target(stores)
    long = page(1, " ".join(f"Sentence number {n} of a very long report is about bridges." for n in range(6_000)))
    tally = await Ingestion(goal).run(pieces(page(0), long, page(2)))
    assert embedder_of(goal).largest == BATCH <= 500
    assert tally.new == await stores.index.count("static_gk") > 2 * BATCH


class Stops:
    """An index that fails, or holds its breath, at the n-th write."""

    def __init__(self, stores: Stores, after: int) -> None:
        self._index = stores.index
        self._left = after
        self.reached = asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def upsert(self, items: Sequence[tuple[Passage, Vector]]) -> int:
        self._left -= 1
        if self._left < 0:
            self.reached.set()
            raise StoreUnavailable("the disk is gone")
        return await self._index.upsert(items)


async def test_a_run_that_broke_off_goes_on_where_it_stopped(stores: Stores) -> None:
    broken = replace(target(stores), index=Stops(stores, after=2))  # type: ignore[arg-type]  # what a run uses of it
    run = Ingestion(broken)
    with pytest.raises(StoreUnavailable):
        await run.run(corpus(1_000))
    kept = await stores.index.count("static_gk")
    assert kept == run.tally.new == 2 * BATCH
    goal = target(stores)
    tally = await Ingestion(goal).run(corpus(1_000))
    assert (tally.new, tally.known) == (1_000 - kept, kept)
    assert len(embedder_of(goal).embedded) == 1_000 - kept


async def test_a_cancelled_run_leaves_whole_batches_and_an_honest_tally(stores: Stores) -> None:
    waiting = asyncio.Event()

    async def stalling() -> AsyncGenerator[Piece, None]:
        async for piece in corpus(BATCH + 1):
            yield piece
        waiting.set()
        await asyncio.Event().wait()

    run = Ingestion(target(stores))
    task = asyncio.create_task(run.run(stalling()))
    await asyncio.wait_for(waiting.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await stores.index.count("static_gk") == run.tally.new == BATCH


async def test_another_embedders_collection_is_refused_before_anything_is_read(place: Place, stores: Stores) -> None:
    await Ingestion(target(stores)).run(corpus(1))

    read = []

    async def watched() -> AsyncGenerator[Piece, None]:
        async for piece in corpus(1):
            read.append(piece)
            yield piece

    goal = target(stores)
    embedder_of(goal).name = "another"
    with pytest.raises(StoreMismatch, match="holds vectors of test-embedder"):
        await Ingestion(goal).run(watched())
    assert read == []
    opened = await open_stores(place, Embedder("another", 8))
    try:
        with pytest.raises(StoreMismatch):
            await opened.index.search(HybridQuery("x", (await WordEmbedder().embed(["x"]))[0]))
    finally:
        await opened.close()


async def test_two_writers_on_the_same_stores_both_finish(stores: Stores, other: Stores) -> None:
    one, two = target(stores), target(other)
    tallies = await asyncio.gather(Ingestion(one).run(corpus(600)), Ingestion(two).run(corpus(600)))
    assert await stores.index.count("static_gk") == 600
    # A server cannot tell which of two writers was first, so what both wrote may count for both.
    assert sum(tally.new for tally in tallies) >= 600
    assert [tally.new + tally.known for tally in tallies] == [600, 600]


async def test_the_tally_says_what_was_skipped_and_why(stores: Stores, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    json_lines(folder / "c.jsonl", [{"id": 1, "text": "One."}, {"id": 2}, "x"])
    (folder / "p.png").write_bytes(b"x")
    tally = await ingest_files(target(stores), folder)
    assert tally.documents == 1
    assert tally.skipped == {"no_text": 1, "bad_line": 1, "unknown_type": 1}
    assert [skip.reason for skip in tally.examples] == ["no_text", "bad_line", "unknown_type"]
    assert tally.consumed == plan_sources([str(folder)]).size


async def test_credible_sites_are_known_by_the_addresses_of_records(stores: Stores, tmp_path: Path) -> None:
    records = [{"url": "https://credible.org/a", "text": "One."}, {"url": "https://b.org/a", "text": "Two."}]
    goal = target(stores)
    await ingest_files(goal, json_lines(tmp_path / "c.jsonl", records))
    held = {one.domain: one.credibility for one, _ in await stores.index.scan("static_gk")}
    assert held["credible.org"] > held["b.org"]


async def test_relations_join_the_graph_when_asked_for_and_only_then(stores: Stores) -> None:
    await Ingestion(target(stores)).run(corpus(3))
    assert (await stores.graph.counts()).facts == 0
    tally = await Ingestion(target(stores, relations=True)).run(corpus(3))
    assert tally.relations == (await stores.graph.counts()).facts == 3
    again = await Ingestion(target(stores, relations=True)).run(corpus(3))
    assert again.relations == 0


async def test_a_page_is_stored_the_same_way_one_by_one_and_in_bulk(stores: Stores) -> None:
    goal = target(stores)
    one = replace(page(1, ARTICLE), url="https://a.org/1")
    (passage,) = await ingest_page(
        one, "static_gk", index=stores.index, embedder=goal.embedder, credibility=goal.credibility, now=NOW
    )
    assert await stores.index.get("static_gk", [passage.id]) == [passage]
    tally = await Ingestion(goal).run(pieces(one))
    assert (tally.new, tally.known) == (0, 1)


async def test_a_passage_that_a_page_repeats_is_looked_for_once(stores: Stores) -> None:
    goal = target(stores)
    passages = passages_of(page(1), "facts", goal.credibility, NOW)
    assert await missing_from(stores.index, passages * 3) == passages
    assert await missing_from(stores.index, []) == []


async def test_pages_of_feeds_are_remembered_for_the_day_once_they_are_stored(stores: Stores) -> None:
    clock = Clock()
    memory = FeedMemory(read={"https://a.org/1", "https://a.org/2"})
    await feed_memory.remember(stores.urls, "static_gk", memory, ["https://a.org/1", "doc:x"], clock())
    assert (await feed_memory.recall(stores.urls, "static_gk", clock())).known == {"https://a.org/1"}
    assert (await feed_memory.recall(stores.urls, "facts", clock())).known == frozenset()
    clock.now = clock.now.replace(day=clock.now.day + 1)
    assert (await feed_memory.recall(stores.urls, "static_gk", clock())).known == frozenset()
