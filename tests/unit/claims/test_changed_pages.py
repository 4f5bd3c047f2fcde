"""A page that reads differently when it is read again: what it used to say is no evidence any more."""

from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from agents.claims import search_expansion
from agents.claims.job import ClaimJob
from agents.claims.submission import Submission
from agents.knowledge.checking import verify
from agents.services import Services
from storage.ports import Stores
from storage.ports.evidence import FACTS
from tests.unit.claims.conftest import BY_TOPIC, world
from tests.unit.knowledge.world import NOW, Clock, MemoryWeb

URL = "https://site1.org/news/bridge-opened-today-in-town"
CLAIM = "Mayor Jane Morrow opened the bridge in Tollbeck."


@pytest.fixture
async def empty(tmp_path: Path) -> AsyncIterator[Services]:
    """A worker whose web is in memory and whose clock is set by hand."""
    async with world(tmp_path) as services:
        yield replace(services, clock=Clock())


def article(subject: str) -> str:
    said = " ".join(f"Mayor Jane Morrow opened the {subject} number {n} in Kelderwick on Monday." for n in range(12))
    return f"<html><head><title>Opened</title></head><body><article><p>{said}</p></article></body></html>"


async def read(services: Services, job_id: str, text: str) -> None:
    """One claim as far as search expansion, on a web of one page."""
    web = MemoryWeb({URL: article(text)})
    looking = replace(services, search=web, fetcher=web)
    topic, model = "claims", Submission(job_id=job_id, claim=CLAIM)
    while topic != "search-expansion":
        (send,) = (await BY_TOPIC[topic].handle(model, looking)).sends
        topic, model = send.to, send.value
    assert isinstance(model, ClaimJob)
    await search_expansion.handle(model, looking)
    assert web.fetched == [URL]


async def stored(services: Services) -> str:
    return " ".join([passage.text for passage, _ in await services.index.scan(FACTS)])


async def test_a_page_read_again_after_a_day_replaces_what_it_said(empty: Services) -> None:
    await read(empty, "first", "bridge")
    assert "opened the bridge" in await stored(empty)
    before = {fact.text for fact in await empty.graph.facts_from(URL)}
    assert any("bridge" in text for text in before)

    assert isinstance(empty.clock, Clock)
    empty.clock.move(timedelta(days=2))
    await read(empty, "second", "hospital")
    assert "opened the hospital" in await stored(empty)
    assert "bridge" not in await stored(empty)
    facts = await empty.graph.facts_from(URL)
    assert facts
    held = {passage.id: passage.text for passage, _ in await empty.index.scan(FACTS)}
    for fact in facts:
        assert "hospital" in fact.text
        assert fact.text in held[fact.passage_id]
    stores = Stores(empty.ledger, empty.index, empty.graph, empty.urls, empty.answers)
    assert (await verify(stores, NOW + timedelta(days=3))).is_sound


async def test_a_relation_found_in_the_graph_brings_its_sentence_and_points_to_its_passage(empty: Services) -> None:
    await read(empty, "first", "bridge")
    intake = await BY_TOPIC["claims"].handle(Submission(job_id="second", claim=CLAIM), empty)
    (send,) = (await BY_TOPIC["retrieval"].handle(intake.sends[0].value, empty)).sends
    assert isinstance(send.value, ClaimJob)
    related = [row for row in send.value.candidates if row.origin == "kg"]
    assert related
    for row in related:
        (passage,) = await empty.index.get(FACTS, [row.passage_id])
        assert row.text in passage.text
        assert (row.url, row.domain, row.title) == (passage.url, passage.domain, passage.title)
        assert row.content_hash
