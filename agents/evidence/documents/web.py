"""Addresses that somebody named: a page, a document or a feed with its pages, fetched within bounds.

What was named may lie anywhere, this machine included. What a feed or a redirect points to was not named: on the
same site it is fetched as well, elsewhere only by the product's own fetcher and its rules.
"""

import asyncio
import gzip
import io
import zlib
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

import httpx

from agents.errors import StageError
from agents.evidence.documents.addresses import web_address
from agents.evidence.documents.feeds import FeedEntry, read_feed
from agents.evidence.documents.kinds import BY_CONTENT_TYPE, READABLE, UNTOLD_TYPES, kind_of_answer
from agents.evidence.documents.opened import Opened, read_documents
from agents.evidence.documents.values import Piece, Reading, Skip, SkipReason
from agents.evidence.http import BoundedHttp, FetchPolicy
from agents.evidence.ports import FetchedPage, PageFetcher, PageUnavailable

CONTENT_TYPES = (*BY_CONTENT_TYPE, *UNTOLD_TYPES)
NAMED = FetchPolicy(max_bytes=20_000_000)
"""Somebody asked for exactly this document, and reports in PDF often exceed what a page may have."""
AT_ONCE = 5
"""Pages of a feed fetched at a time, as 002 batches its fetches."""
WEIGHT = 100_000
"""What an address counts in a progress bar that is measured in bytes: about one page."""

_REASONS: dict[str, SkipReason] = {
    "too_large": "too_large",
    "headers_too_large": "too_large",
    "bomb": "too_large",
    "content_type": "unknown_type",
    "encoding": "unknown_type",
    "not_found": "unreachable",
    "busy": "unreachable",
    "bad_status": "unreachable",
    "connect": "unreachable",
    "dns": "unreachable",
    "first_byte_timeout": "timeout",
    "idle_timeout": "timeout",
    "total_timeout": "timeout",
    "slow_drip": "timeout",
}
"""A reader's words for what keeps a page from coming; everything else we refuse ourselves."""


@dataclass(frozen=True, slots=True)
class FeedMemory:
    """The pages of feeds that need not be read again, and those that this run has read."""

    known: frozenset[str] = frozenset()
    read: set[str] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class Visit:
    """How addresses are read in one run."""

    client: httpx.AsyncClient
    outside: PageFetcher | None
    reading: Reading = field(default_factory=Reading)
    feeds: FeedMemory = field(default_factory=FeedMemory)


def is_address(text: str) -> bool:
    """Whether this names something on the web rather than a file."""
    return text.lower().startswith(("http://", "https://"))


async def read_address(url: str, visit: Visit) -> AsyncGenerator[Piece, None]:
    """The documents behind a named address; of a feed, those of its pages."""
    fetched = await _fetch(url, url, visit)
    if isinstance(fetched, Skip):
        yield Piece(fetched, WEIGHT)
    elif kind_of_answer(fetched.final_url, fetched.content_type, fetched.body) == "feed":
        async for piece in read_entries(fetched.body, url, visit):
            yield piece
    else:
        for item, _ in await asyncio.to_thread(_read, fetched, visit):
            yield Piece(item, WEIGHT)


async def read_entries(feed: bytes, named: str, visit: Visit) -> AsyncGenerator[Piece, None]:
    """The documents that a feed points to, a few at a time."""
    entries = await asyncio.to_thread(read_feed, feed)
    if isinstance(entries, str):
        yield Piece(Skip(named, "unreadable", entries), WEIGHT)
        return
    for start in range(0, len(entries), AT_ONCE):
        some = entries[start : start + AT_ONCE]
        answers = await asyncio.gather(*(_read_entry(entry, named, visit) for entry in some))
        for number, pieces in enumerate(answers, start=start + 1):
            for item, _ in pieces:
                yield Piece(item, WEIGHT * number // len(entries))


async def _read_entry(entry: FeedEntry, named: str, visit: Visit) -> list[Piece]:
    if entry.url in visit.feeds.known:
        return [Piece(Skip(entry.url, "read_today", "read from a feed today already"), WEIGHT)]
    fetched = await _fetch(entry.url, named, visit)
    if isinstance(fetched, Skip):
        return [Piece(fetched, WEIGHT)]
    visit.feeds.read.add(entry.url)
    return await asyncio.to_thread(_read, fetched, visit)


def _read(fetched: FetchedPage, visit: Visit) -> list[Piece]:
    url = web_address(fetched.url) or fetched.url
    kind = kind_of_answer(fetched.final_url, fetched.content_type, fetched.body)
    if kind is None or kind == "feed":
        what = "a feed within a feed" if kind else fetched.content_type
        return [Piece(Skip(url, "unknown_type", f"{what} is not read, only {READABLE}"), WEIGHT)]
    opened = Opened(io.BytesIO(fetched.body), kind, url, url, len(fetched.body))
    try:
        return list(read_documents(opened, visit.reading))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        return [Piece(Skip(url, "unreadable", "the compressed file is damaged or cut off"), WEIGHT)]


async def _fetch(url: str, named: str, visit: Visit) -> FetchedPage | Skip:
    """The bytes behind `url`, which is `named` itself or something it points to."""
    site = urlsplit(named).hostname or ""
    try:
        if same_site(site, urlsplit(url).hostname or ""):
            http = BoundedHttp(visit.client, site, NAMED)
            return await http.get(url, _only_on(site, url), CONTENT_TYPES)
        if visit.outside is None:
            return Skip(url, "refused", f"lies outside {site or 'what you named'}; name it yourself to have it read")
        return await visit.outside.fetch(url)
    except PageUnavailable as error:
        reason = _REASONS.get(error.reason, "refused")
        return Skip(url, reason, str(error).removeprefix(f"{url}: "))
    except StageError as error:
        return Skip(url, "unreachable", str(error).removeprefix(f"{url}: "))


def _only_on(site: str, url: str) -> Callable[[str], str]:
    def route(hop: str) -> str:
        parts = urlsplit(hop)
        if parts.scheme not in {"http", "https"} or not same_site(site, parts.hostname or ""):
            raise PageUnavailable("refused", url, f"redirects to {hop[:200]}; name that address to have it read")
        return hop

    return route


def same_site(named: str, other: str) -> bool:
    """The same host, or one of the two lies under the other, `www.` aside."""
    one, two = named.lower().removeprefix("www."), other.lower().removeprefix("www.")
    return bool(one and two) and (one == two or one.endswith(f".{two}") or two.endswith(f".{one}"))
