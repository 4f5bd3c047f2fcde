"""One document in the bytes of a file or of an answer from the web: HTML, PDF, Markdown or plain text."""

import html
import re
from dataclasses import dataclass

from agents.evidence.documents.addresses import web_address
from agents.evidence.documents.pdf import PdfText, read_pdf
from agents.evidence.documents.records import clean
from agents.evidence.documents.text import PlainText, decoded, read_markdown, read_plain
from agents.evidence.documents.values import Document, Reading, Skip
from agents.evidence.extraction import ExtractedPage, ExtractionPolicy, domain_of, extract_now
from agents.evidence.language import language_of

HEAD_BYTES = 100_000
"""A page names its own address in its head; scripts before it rarely take more."""
_LINK = re.compile(rb"<link\b[^>]{0,1000}>", re.IGNORECASE)
_CANONICAL = re.compile(rb"\brel\s*=\s*[\"']?canonical\b", re.IGNORECASE)
_HREF = re.compile(rb"\bhref\s*=\s*(?:\"([^\"]+)\"|'([^']+)'|([^\s>]+))", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Body:
    """Bytes, what they are, the address they are known by, and the name that people know them by."""

    data: bytes
    kind: str
    address: str
    where: str


def read_body(body: Body, reading: Reading, *, saved: bool = False) -> Document | Skip:
    """The document in `body`. A page saved to a file is known by the address it names for itself, if it names one."""
    if body.kind == "html":
        return _page(body, reading, saved=saved)
    if body.kind == "pdf":
        found = read_pdf(body.data, reading.policy)
        if not isinstance(found, PdfText):
            return Skip(body.where, *found)
        return _document(body.address, PlainText(found.title, found.text), "pypdf", reading)
    text = decoded(body.data)
    if text is None:
        return Skip(body.where, "not_text", "neither UTF-8 nor UTF-16 text; convert it first")
    plain = read_markdown(text, reading.latest) if body.kind == "markdown" else read_plain(text)
    if not plain.text:
        return Skip(body.where, "no_text", "no text but mark-up")
    return _document(web_address(plain.url) or body.address, plain, body.kind, reading)


def _document(address: str, plain: PlainText, method: str, reading: Reading) -> Document:
    page = ExtractedPage(
        url=address,
        title=clean(plain.title)[: reading.policy.max_title_chars],
        text=clean(plain.text),
        published=plain.published,
        domain=domain_of(address),
        language=language_of(plain.text),
        reader=method,
    )
    return Document(page, method)


def _page(body: Body, reading: Reading, *, saved: bool) -> Document | Skip:
    address = (canonical_address(body.data) if saved else None) or body.address
    limits = ExtractionPolicy(max_bytes=reading.policy.max_text_bytes)
    page = extract_now(body.data, address, latest=reading.latest, policy=limits)
    if not isinstance(page, ExtractedPage):
        return Skip(body.where, page.reason, page.detail)
    return Document(page, page.reader)


def canonical_address(page: bytes) -> str | None:
    """The address that a page gives itself (`<link rel="canonical">`), if it is one on the web."""
    for link in _LINK.findall(page[:HEAD_BYTES]):
        href = _HREF.search(link) if _CANONICAL.search(link) else None
        if href:
            value = next(part for part in href.groups() if part)
            return web_address(html.unescape(value.decode("utf-8", "replace")))
    return None
