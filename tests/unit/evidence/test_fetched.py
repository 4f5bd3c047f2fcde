"""What was fetched is read by what it is: articles, documents, plain text."""

from datetime import date

import pytest

from agents.evidence.documents import Document, Skip
from agents.evidence.fetched import read_fetched
from agents.evidence.ports import FetchedPage
from tests.unit.ingest.makers import pdf

URL = "https://council.example/reports/2025/bridge-report"
SENTENCE = "Weir Bridge in Kelderwick reopened to traffic on 2 October 2025 after eight months of repairs. "


def fetched(body: bytes, kind: str) -> FetchedPage:
    return FetchedPage(URL, URL, kind, None, body)


async def test_the_text_of_a_pdf_is_read() -> None:
    found = await read_fetched(fetched(pdf([SENTENCE.strip()] * 2), "application/pdf"), URL)
    assert isinstance(found, Document)
    assert (found.method, found.page.url, found.page.domain) == ("pypdf", URL, "council.example")
    assert SENTENCE.strip() in found.page.text


async def test_plain_text_is_read_as_it_is() -> None:
    found = await read_fetched(fetched((SENTENCE * 3).encode(), "text/plain"), URL)
    assert isinstance(found, Document)
    assert (found.method, found.page.text, found.page.language) == ("text", (SENTENCE * 3).strip(), "en")


async def test_a_page_gives_its_date() -> None:
    head = '<meta property="article:published_time" content="2025-10-03T07:30:00+00:00">'
    page = f"<html><head>{head}</head><body><article><p>{SENTENCE * 3}</p></article></body></html>"
    found = await read_fetched(fetched(page.encode(), "text/html"), URL)
    assert isinstance(found, Document)
    assert found.page.published == date(2025, 10, 3)


@pytest.mark.parametrize(
    ("body", "kind", "reason"),
    [
        (b"", "text/plain", "empty"),
        (b" ", "application/pdf", "empty"),
        (b"%PDF-1.7 and then nothing", "application/pdf", "unreadable"),
        (pdf([""]), "application/pdf", "no_text"),
        (b"\xff\xd8\xff\xe0 not a text", "text/plain", "not_text"),
        (b"<html><body></body></html>", "text/html", "no_text"),
        (b"<rss><channel></channel></rss>", "text/html", "unknown_type"),
        (b"{}", "application/json", "unknown_type"),
    ],
)
async def test_what_cannot_be_read_says_why(body: bytes, kind: str, reason: str) -> None:
    found = await read_fetched(fetched(body, kind), URL)
    assert isinstance(found, Skip)
    assert found.reason == reason
