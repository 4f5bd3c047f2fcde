"""A fetched page as a document: HTML by the readers of articles, PDF and plain text by those of documents."""

import asyncio
from datetime import date

from agents.evidence.documents.bodies import Body, read_body
from agents.evidence.documents.kinds import kind_of_answer
from agents.evidence.documents.values import Document, Reading, ReadingPolicy, Skip
from agents.evidence.extraction import ExtractedPage, extract
from agents.evidence.ports import FetchedPage

LIMITS = ReadingPolicy(max_text_bytes=5_000_000, max_pdf_bytes=5_000_000, max_pdf_pages=500, pdf_seconds=20.0)
"""Narrower than for files that somebody names: a page among many must not hold up its job."""
_READ_AS_TEXT = frozenset(("text", "markdown", "pdf"))


async def read_fetched(fetched: FetchedPage, url: str, *, latest: date | None = None) -> Document | Skip:
    """The document in what was fetched, known as `url`; never raises, and never holds up the event loop."""
    kind = kind_of_answer(url, fetched.content_type, fetched.body)
    if kind == "html":
        page = await extract(fetched.html, url, latest=latest)
        return Document(page, page.reader) if isinstance(page, ExtractedPage) else Skip(url, page.reason, page.detail)
    if kind not in _READ_AS_TEXT:
        return Skip(url, "unknown_type", f"{fetched.content_type} is not read as an article")
    if not fetched.body.strip():
        return Skip(url, "empty", "the page is empty")
    body = Body(fetched.body, kind, url, url)
    try:
        async with asyncio.timeout(LIMITS.pdf_seconds + 1.0):
            return await asyncio.to_thread(read_body, body, Reading(latest, LIMITS))
    except TimeoutError:
        return Skip(url, "timeout", f"could not be read within {LIMITS.pdf_seconds:g} seconds")
