"""What the stores do not agree on is found, and mended from what is stored."""

from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest

from agents.evidence.extraction import ExtractedPage
from agents.evidence.ingest import ingest_page, passages_of
from agents.evidence.relations import ingest_relations
from agents.knowledge.checking import Report, verify
from agents.knowledge.repair import Mended, repair
from agents.language.rules.facts import extract_facts
from scoring.values import Triple
from storage.embedded import words
from storage.embedded.codes import write_codes
from storage.embedded.stores import open_knowledge
from storage.ports import Fact, JobRecord, Stores, UrlStatus
from storage.ports.evidence import FACTS
from tests.unit.knowledge.places import Place
from tests.unit.knowledge.world import NOW, target

LATER = NOW + timedelta(minutes=5)
JOB = "job-1"
OWNER = "job-1/1"


def page(number: int, text: str = "") -> ExtractedPage:
    said = (
        text or f"Mayor Jane Morrow opened the bridge number {number} over the river in Kelderwick on Monday morning."
    )
    return ExtractedPage(f"https://site.org/{number}", f"Title {number}", said, None, "site.org", None)


async def seen(stores: Stores, one: ExtractedPage) -> None:
    await stores.ledger.open_job(JobRecord(JOB, "f", b'{"claim": "x"}', NOW))
    await stores.urls.register([one.url], stage=0, claim_ids=[JOB], now=NOW)
    assert await stores.urls.lease([one.url], owner=OWNER, now=NOW) == [one.url]


async def into_index(stores: Stores, one: ExtractedPage, collection: str = FACTS) -> None:
    goal = target(stores)
    await ingest_page(
        one, collection, index=stores.index, embedder=goal.embedder, credibility=goal.credibility, now=NOW
    )


async def into_graph(stores: Stores, one: ExtractedPage) -> None:
    passages = passages_of(one, FACTS, target(stores).credibility, NOW)
    await ingest_relations(one, extract_facts(one.text).triples, passages, graph=stores.graph, now=NOW)


async def acknowledged(stores: Stores, one: ExtractedPage) -> None:
    await stores.urls.acknowledge(one.url, "index", owner=OWNER, now=NOW)
    await stores.urls.acknowledge(one.url, "graph", owner=OWNER, now=NOW)
    await stores.urls.remember(JOB, 0, [one.url], now=NOW)


async def whole(stores: Stores, one: ExtractedPage) -> None:
    await seen(stores, one)
    await into_index(stores, one)
    await into_graph(stores, one)
    await acknowledged(stores, one)


async def mended(stores: Stores) -> tuple[Mended, Report]:
    done = await repair(stores, await verify(stores, LATER), LATER)
    return done, await verify(stores, LATER)


async def test_stores_that_agree_are_sound_and_repair_changes_nothing(stores: Stores) -> None:
    for number in range(3):
        await whole(stores, page(number))
    report = await verify(stores, LATER)
    assert report.is_sound
    assert (report.passages, report.facts) == (3, 3)
    assert await repair(stores, report, LATER) == Mended()


async def test_empty_stores_are_sound(stores: Stores) -> None:
    assert (await verify(stores, NOW)).is_sound


async def test_a_page_marked_as_read_of_which_the_index_holds_nothing_may_be_read_again(stores: Stores) -> None:
    await whole(stores, page(1))
    await whole(stores, page(2))
    await stores.index.delete_by_url(page(1).url)
    report = await verify(stores, LATER)
    assert (report.lost, report.loose) == ((page(1).url,), (page(1).url,))
    assert report.orphans == 1
    done, after = await mended(stores)
    assert (done.forgotten, done.dropped) == (1, 1)
    assert after.is_sound
    assert await stores.urls.get([page(1).url]) == []
    (kept,) = await stores.urls.get([page(2).url])
    assert kept.status is UrlStatus.EXTRACTED


async def test_pages_marked_as_read_are_checked_whoever_read_them_and_however_long_ago(stores: Stores) -> None:
    """No job is known, nor what any job has processed: the registry's own word is enough."""
    for number in (1, 2):
        await stores.urls.register([page(number).url], stage=0, claim_ids=["forgotten"], now=NOW)
        await stores.urls.lease([page(number).url], owner=OWNER, now=NOW)
        await stores.urls.acknowledge(page(number).url, "index", owner=OWNER, now=NOW)
        await stores.urls.acknowledge(page(number).url, "graph", owner=OWNER, now=NOW)
    await into_index(stores, page(1))
    await into_graph(stores, page(1))
    assert (await verify(stores, NOW + timedelta(days=400))).lost == (page(2).url,)


async def test_an_address_that_redirects_to_a_page_is_lost_only_with_that_page(stores: Stores) -> None:
    await whole(stores, page(1))
    await stores.urls.register([page(2).url], stage=0, claim_ids=[JOB], now=NOW)
    await stores.urls.lease([page(2).url], owner=OWNER, now=NOW)
    for store in ("index", "graph"):
        await stores.urls.acknowledge(page(2).url, store, owner=OWNER, now=NOW, known_by=page(1).url)
    assert (await verify(stores, LATER)).is_sound
    await stores.index.delete_by_url(page(1).url)
    assert (await verify(stores, LATER)).lost == (page(1).url, page(2).url)
    done, after = await mended(stores)
    assert (done.forgotten, after.is_sound) == (2, True)


async def test_more_pages_than_one_look_at_the_registry_shows_are_all_checked(stores: Stores) -> None:
    pages = [f"https://site.org/{number:04}" for number in range(1_100)]
    await stores.urls.register(pages, stage=0, claim_ids=[JOB], now=NOW)
    for url in (pages[3], pages[-1]):
        await stores.urls.lease([url], owner=OWNER, now=NOW)
        await stores.urls.acknowledge(url, "index", owner=OWNER, now=NOW)
        await stores.urls.acknowledge(url, "graph", owner=OWNER, now=NOW)
    assert (await verify(stores, LATER)).lost == (pages[3], pages[-1])


async def test_relations_of_a_page_that_is_gone_are_deleted_and_others_stay(stores: Stores) -> None:
    for number in (1, 2):
        await into_index(stores, page(number))
        await into_graph(stores, page(number))
    await stores.index.delete_by_url(page(1).url)
    done, after = await mended(stores)
    assert done == Mended(dropped=1)
    assert after.is_sound
    assert [fact.url for fact in await stores.graph.scan_facts()] == [page(2).url]


async def test_a_relation_whose_passage_is_gone_goes_alone(stores: Stores) -> None:
    await into_index(stores, page(1))
    ((held, _),) = await stores.index.scan(FACTS)
    good = Fact(Triple("Jane Morrow", "opened", "the bridge"), page(1).url, NOW, passage_id=held.id)
    plain = Fact(Triple("Jane Morrow", "saw", "the bridge"), page(1).url, NOW)
    loose = Fact(Triple("Jane Morrow", "closed", "the bridge"), page(1).url, NOW, passage_id="gone")
    await stores.graph.upsert_facts([good, plain, loose])
    report = await verify(stores, LATER)
    assert report.loose == (page(1).url,)
    done, after = await mended(stores)
    assert done == Mended(dropped=1)
    assert after.is_sound
    assert {fact.id for fact in await stores.graph.facts_from(page(1).url)} == {good.id, plain.id}


async def test_a_relation_without_a_passage_stays_as_long_as_its_page_is_held(stores: Stores) -> None:
    await into_index(stores, page(1))
    plain = Fact(Triple("Jane Morrow", "saw", "the bridge"), page(1).url, NOW)
    loose = Fact(Triple("Jane Morrow", "closed", "the bridge"), page(1).url, NOW, passage_id="gone")
    await stores.graph.upsert_facts([plain, loose])
    done, after = await mended(stores)
    assert done == Mended(dropped=1)
    assert after.is_sound
    assert await stores.graph.facts_from(page(1).url) == [plain]


async def test_a_page_of_which_the_graph_misses_the_relations_gets_them_from_its_passages(stores: Stores) -> None:
    await whole(stores, page(1))
    await seen(stores, page(2))
    await into_index(stores, page(2))  # and then its worker died
    report = await verify(stores, LATER)
    assert report.half_stored == (page(2).url,)
    done, after = await mended(stores)
    assert done == Mended(added=1)
    assert after.is_sound
    (fact,) = await stores.graph.facts_from(page(2).url)
    assert fact.triple.subject == "Mayor Jane Morrow"
    (passage,) = passages_of(page(2), FACTS, target(stores).credibility, NOW)
    assert (fact.passage_id, fact.text) == (passage.id, page(2).text)


async def test_a_page_that_somebody_is_reading_now_is_left_alone(stores: Stores) -> None:
    await seen(stores, page(1))
    await into_index(stores, page(1))
    assert (await verify(stores, NOW)).is_sound
    assert not (await verify(stores, LATER)).is_sound


async def test_a_page_that_states_no_relations_lacks_none(stores: Stores) -> None:
    await into_index(stores, page(1, "It rained all day. Nobody came, and so we went home again, tired and wet."))
    assert (await verify(stores, LATER)).is_sound


async def test_collections_that_jobs_do_not_fill_need_no_relations(stores: Stores) -> None:
    await into_index(stores, page(1), "static_gk")
    assert (await verify(stores, LATER)).is_sound


async def test_a_page_seen_again_after_a_day_is_no_orphan(stores: Stores) -> None:
    await whole(stores, page(1))
    tomorrow = NOW + timedelta(days=2)
    await stores.urls.register([page(1).url], stage=1, claim_ids=["other"], now=tomorrow)
    (record,) = await stores.urls.get([page(1).url])
    assert record.status is UrlStatus.SEEN
    assert (await verify(stores, tomorrow)).is_sound


@pytest.mark.parametrize("damage", ["words", "vector"])
async def test_passages_that_searches_do_not_reach_are_written_anew(place: Place, stores: Stores, damage: str) -> None:
    if place.space:
        pytest.skip("how a server loses a vector is for the tests of its adapter to bring about")
    for number in range(4):
        await whole(stores, page(number))
    ((victim, _), *_) = await stores.index.scan(FACTS)
    knowledge = await open_knowledge(Path(place.folder))
    row = await knowledge.read(
        lambda db: db.execute("SELECT collection, id, slot FROM passages WHERE passage_id = ?", (victim.id,)).fetchone()
    )
    assert row is not None
    collection, rowid, slot = row
    await knowledge.write(
        partial(words.remove, collection=collection, rowid=rowid)
        if damage == "words"
        else partial(write_codes, collection=collection, dimension=8, items=[(slot, None)])
    )
    await knowledge.close()
    report = await verify(stores, LATER)
    assert report.unreachable == {FACTS: (victim.id,)}
    assert not report.is_sound
    done, after = await mended(stores)
    assert done == Mended(rewritten=1)
    assert after.is_sound


def test_a_report_counts_a_page_once_however_many_stores_miss_it() -> None:
    report = Report(lost=("a", "b"), loose=("b",), half_stored=("c",))
    assert report.orphans == 3
    assert replace(report, lost=(), loose=(), half_stored=()).is_sound
