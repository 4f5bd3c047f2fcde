"""UrlRegistry: which pages are known, which were read, and who is reading one now (002's invariants)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Literal, Protocol
from urllib.parse import urlsplit

from storage.errors import StoreRefused

MAX_URL = 2_048
"""Longer addresses are not pages but data in an address bar; browsers and proxies cut them off as well."""

Store = Literal["index", "graph"]


class UrlStatus(StrEnum):
    """`seen` is the only one that may be fetched."""

    SEEN = "seen"
    EXTRACTED = "extracted"
    FAILED = "failed"


def normal_url(url: str) -> str:
    """The key of a page: its address without tracking parameters, fragment, default port and final slash.

    What is fetched is the address as it was found; this is what it is known by.
    """
    from courlan import normalize_url  # a tenth of a second, which the command line need not spend

    text = url.strip()
    if len(text) > MAX_URL:
        raise StoreRefused(f"an address of {len(text)} characters is no page; the limit is {MAX_URL}")
    if not text.isprintable() or " " in text:
        raise StoreRefused(f"{text[:80]!r} is not an address: it holds blanks or control characters")
    try:
        cleaned = str(normalize_url(text, strict=False, trailing_slash=False))
        parts = urlsplit(cleaned)
        host, _ = parts.hostname, parts.port  # a port that is no number raises
    except ValueError:
        raise StoreRefused(f"{text[:80]!r} is not an address that can be fetched") from None
    if parts.scheme not in {"http", "https"} or not host:
        raise StoreRefused(f"{text[:80]!r} is not an http or https address")
    return cleaned.partition("#")[0].removesuffix("/")


def normal_urls(urls: Iterable[str]) -> list[str]:
    """The distinct normalised addresses, in order; what is not an address is left out."""
    kept: dict[str, None] = {}
    for url in urls:
        try:
            kept[normal_url(url)] = None
        except StoreRefused:
            continue
    return list(kept)


@dataclass(frozen=True, slots=True)
class RegistryPolicy:
    """How long each thing holds. No specification gives these; 004 calls its news collection a 24-hour one."""

    extracted_for: timedelta = timedelta(hours=24)
    """A page that was read is not read again for a day; news pages change, and the collection is refreshed daily."""
    failed_for: timedelta = timedelta(hours=1)
    """A page that failed is left alone for an hour: long enough for a site to recover."""
    lease_for: timedelta = timedelta(minutes=2)
    """A fetch with its retries and both writes takes well under a minute; after this its worker is taken for dead."""
    job_memory_for: timedelta = timedelta(days=7)
    """What a job has processed is forgotten after a week: no job, replayed or not, runs that long."""


@dataclass(frozen=True, slots=True)
class UrlRecord:
    """A page: its state, the stage that saw it first, and the claims that saw it."""

    url: str
    status: UrlStatus
    first_stage: int
    claims: frozenset[str]
    changed_at: datetime
    reason: str = ""
    lease_owner: str = ""
    lease_until: datetime | None = None
    acknowledged: frozenset[Store] = frozenset()
    known_by: str = ""
    """The address that the stores know the page by, where this one only redirects to it."""


class UrlRegistry(Protocol):
    """Addresses are normalised at the door; an expired page is `seen` again once a search finds it again."""

    async def register(
        self, urls: Sequence[str], *, stage: int, claim_ids: Sequence[str], now: datetime
    ) -> list[UrlRecord]:
        """Note that a stage's search found these for these claims. What is not an address is left out.

        New ones become `seen`; known ones keep their first stage and gain the claims; expired ones are `seen` again.
        """
        ...

    async def get(self, urls: Sequence[str]) -> list[UrlRecord]:
        """What is known of these, in order; unknown ones are left out."""
        ...

    async def pending(self, *, now: datetime, claim_id: str | None = None, limit: int = 100) -> list[str]:
        """Pages that are `seen` and that nobody is fetching, oldest first."""
        ...

    async def lease(self, urls: Sequence[str], *, owner: str, now: datetime) -> list[str]:
        """Take pages to fetch. Returns those granted: `seen`, and not under somebody else's live lease.

        Exactly one of several who ask at once gets a page. The owner's own lease is granted again, prolonged.
        """
        ...

    async def acknowledge(self, url: str, store: Store, *, owner: str, now: datetime, known_by: str = "") -> UrlRecord:
        """A store holds what was read from the page. `extracted` comes of both stores' word, and of nothing else.

        `known_by` is the page's own address, if `url` merely redirects to it.
        An acknowledgement by someone who no longer holds the lease changes nothing. Raises UrlUnknown for a page
        that was never registered, as do `fail` and `release`.
        """
        ...

    async def fail(self, url: str, *, owner: str, reason: str, now: datetime) -> UrlRecord:
        """The page cannot be read; only the holder of the lease may say so."""
        ...

    async def release(self, url: str, *, owner: str) -> UrlRecord:
        """Give a page back unread: it stays `seen`."""
        ...

    async def unprocessed(self, job_id: str, loop: int, urls: Sequence[str], *, now: datetime) -> list[str]:
        """Those of `urls` that neither another loop of the job nor anybody else has processed (001).

        The job's own loop does not count, so that a step that runs twice answers the same.
        """
        ...

    async def remember(self, job_id: str, loop: int, urls: Sequence[str], *, now: datetime) -> None:
        """These were processed by this loop of the job."""
        ...

    async def processed(self, job_id: str) -> list[str]:
        """Everything the job has processed, in order."""
        ...

    async def scan(self, *, after: str | None = None, limit: int = 500) -> list[UrlRecord]:
        """A page of the registry in the order of addresses, after the address `after`: for checks."""
        ...

    async def forget(self, url: str) -> bool:
        """Drop a page from the registry, so that it may be read again; true if it was there."""
        ...

    async def purge(self, now: datetime) -> int:
        """Drop job memories past their time; return how many rows."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...
