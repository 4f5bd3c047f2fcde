"""What a document is, by the name of its file or by the content type that a server gives it."""

import re
from pathlib import PurePath
from typing import Literal
from urllib.parse import urlsplit

Kind = Literal["html", "markdown", "text", "pdf", "lines", "json", "feed"]

BY_SUFFIX: dict[str, Kind] = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
    ".text": "text",
    ".pdf": "pdf",
    ".jsonl": "lines",
    ".ndjson": "lines",
    ".json": "json",
    ".rss": "feed",
    ".atom": "feed",
    ".xml": "feed",
}
BY_CONTENT_TYPE: dict[str, Kind] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/markdown": "markdown",
    "text/plain": "text",
    "application/pdf": "pdf",
    "application/x-ndjson": "lines",
    "application/jsonl": "lines",
    "application/json": "json",
    "application/rss+xml": "feed",
    "application/atom+xml": "feed",
    "application/rdf+xml": "feed",
    "application/xml": "feed",
    "text/xml": "feed",
}
UNTOLD_TYPES = ("application/octet-stream", "application/gzip", "application/x-gzip")
"""Content types that say nothing about what is inside; the name in the address has to."""
READABLE = "HTML, Markdown, text, PDF, JSON lines and feeds, each also as .gz"

_FEED = re.compile(rb"<(?:rss|feed|rdf:RDF)\b", re.IGNORECASE)
_SNIFFED_BYTES = 2_000


def kind_of(name: str) -> Kind | None:
    """What a file's name says it is; `.gz` is looked through."""
    return BY_SUFFIX.get(PurePath(name.lower().removesuffix(".gz")).suffix)


def kind_of_answer(url: str, content_type: str, body: bytes) -> Kind | None:
    """What a server's answer is. Feeds are often served as plain XML or even as HTML, so their first tag counts."""
    told = BY_CONTENT_TYPE.get(content_type)
    if told in ("html", "feed", "text") and _FEED.search(body[:_SNIFFED_BYTES]):
        return "feed"
    named = kind_of(PurePath(urlsplit(url).path).name)
    return named if told is None or (told == "text" and named) else told
