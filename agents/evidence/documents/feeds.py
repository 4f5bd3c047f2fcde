"""RSS and Atom: the pages that a feed points to."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.evidence.documents.addresses import web_address

MAX_ENTRIES = 500
"""Feeds carry some tens of entries; one with thousands is an archive, to be ingested from files."""


@dataclass(frozen=True, slots=True)
class FeedEntry:
    """A page that a feed points to."""

    url: str
    title: str


def read_feed(raw: bytes) -> list[FeedEntry] | str:
    """The entries of a feed, newest first as feeds have them; or the sentence that says why there are none."""
    import feedparser

    feed: Any = feedparser.parse(raw)  # bytes, not an address: it fetches nothing
    if not feed.get("version"):
        return "not an RSS or Atom feed"
    found: dict[str, FeedEntry] = {}
    for entry in feed.entries[:MAX_ENTRIES]:
        url = _address(entry)
        if url:
            found.setdefault(url, FeedEntry(url, str(entry.get("title", ""))))
    return list(found.values()) if found else "the feed names no pages"


def _address(entry: Mapping[str, Any]) -> str | None:
    return web_address(entry.get("link")) or web_address(entry.get("id"))
