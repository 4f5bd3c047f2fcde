"""Leads: what a search engine says of a page that could not be read, kept for what it is."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest

from agents.claims.acquisition import OUT_OF_TIME, _store_leads
from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import ExtractedPage
from agents.evidence.ingest import SNIPPET_LEAST, ingest_page, is_snippet, snippet_passage, store_passages
from agents.evidence.language import marked_language
from agents.evidence.ports import SearchResult
from agents.evidence.replacing import replace_earlier
from agents.evidence.visits import SAME_PAGE, Unread
from agents.language.embedders.static import StaticEmbedder
from storage.ports.evidence import FACTS
from streams.bootstrap import open_services
from streams.settings import Settings

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
SAYS = "The Harbour Bridge in Port Ellory   was closed\nto all traffic on Monday, the port authority said."
RESULT = SearchResult("Bridge closed", "https://Paper.example/news/bridge?utm_source=x", SAYS, date(2026, 2, 2), 0.9)
CREDIBILITY = SourceCredibility.of(["paper.example"])


def test_a_lead_is_the_snippet_of_its_page_and_half_as_credible() -> None:
    lead = snippet_passage(RESULT, FACTS, CREDIBILITY, NOW)
    assert lead is not None
    assert lead.text == " ".join(SAYS.split())
    assert (lead.url, lead.domain) == ("https://paper.example/news/bridge", "paper.example")
    assert (lead.title, lead.published, lead.fetched) == ("Bridge closed", date(2026, 2, 2), NOW)
    assert lead.credibility == pytest.approx(CREDIBILITY.prior("paper.example") / 2)
    assert is_snippet(lead.extraction)


@pytest.mark.parametrize(
    ("text", "kept"), [("", False), ("x" * (SNIPPET_LEAST - 1), False), (" " * 99, False), ("x" * SNIPPET_LEAST, True)]
)
def test_what_says_too_little_is_no_lead(text: str, kept: bool) -> None:
    assert (snippet_passage(replace(RESULT, snippet=text), FACTS, CREDIBILITY, NOW) is not None) is kept


def test_a_lead_in_another_language_is_marked() -> None:
    german = "Die Hafenbrücke in Port Ellory wurde am Montag für den gesamten Verkehr gesperrt, sagte die Behörde."
    lead = snippet_passage(replace(RESULT, snippet=german), FACTS, CREDIBILITY, NOW)
    assert lead is not None
    assert (is_snippet(lead.extraction), marked_language(lead.extraction)) == (True, "de")


@pytest.mark.parametrize("extraction", ["trafilatura", "trafilatura/de", "pdf", "graph", ""])
def test_what_was_read_is_no_lead(extraction: str) -> None:
    assert not is_snippet(extraction)


@pytest.mark.parametrize(
    ("reason", "kept"), [("not_found", 1), ("robots", 1), ("no_text", 1), (OUT_OF_TIME, 0), (SAME_PAGE, 0)]
)
async def test_a_lead_is_kept_of_a_page_that_will_not_come_and_of_no_other(
    tmp_path: Path, reason: str, kept: int
) -> None:
    async with open_services(Settings(data_dir=tmp_path, embedder="static", search_providers=("none",))) as services:
        await _store_leads([RESULT], [Unread(RESULT.url, reason)], services)
        assert await services.index.count(FACTS) == kept


async def test_the_page_takes_the_place_of_its_lead_once_it_is_read(tmp_path: Path) -> None:
    lead = snippet_passage(RESULT, FACTS, CREDIBILITY, NOW)
    assert lead is not None
    page = ExtractedPage(lead.url, "Bridge closed", "The bridge is closed for repairs. " * 5, None, lead.domain, "en")
    later = NOW + timedelta(hours=1)
    async with open_services(Settings(data_dir=tmp_path, embedder="static", search_providers=("none",))) as services:
        index, embedder = services.index, StaticEmbedder()
        await store_passages([lead], index, embedder)
        read = await ingest_page(page, FACTS, index=index, embedder=embedder, credibility=CREDIBILITY, now=later)
        reading = {page.url: [one.id for one in read]}
        assert await replace_earlier(FACTS, reading, index=index, graph=services.graph, before=later) == 1
        assert await index.get(FACTS, [lead.id]) == []
        assert await index.count(FACTS) == len(read)
