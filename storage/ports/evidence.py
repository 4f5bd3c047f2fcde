"""EvidenceIndex: passages with their vectors, found by meaning and by words at once."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from storage.errors import StoreRefused
from storage.ports.checks import aware, identifier, storable

Vector = NDArray[np.float32]
"""One row: float32 of length one, or all zeros for a text without any word."""

CURRENT_AFFAIRS = "current_affairs_24h"
STATIC_KNOWLEDGE = "static_gk"
FACTS = "facts"
"""What jobs extract from the pages they fetch; the two others are 004 §5.3's."""

PASSAGES = uuid.UUID("6f1d8a5e-30c5-5c0b-9a3e-6d1c2f0b7e44")
"""Namespace of passage ids. Changing it would orphan every stored passage."""

MAX_PASSAGE_BYTES = 1_000_000
"""Chunks are a few hundred characters and whole pages a few hundred kilobytes; beyond this it is no passage."""


def content_hash(text: str) -> str:
    """What a text states, as a key: SHA-256 of its UTF-8."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Embedder:
    """Which embedder made a collection's vectors. Vectors of two embedders never meet in one collection."""

    name: str
    dimension: int

    def __post_init__(self) -> None:
        identifier("embedder name", self.name)
        if self.dimension < 1:
            raise StoreRefused("an embedder's dimension must be at least 1")


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of text that may become evidence, with where it came from. Dates that are unknown are None."""

    collection: str
    url: str
    text: str
    fetched: datetime
    title: str = ""
    snippet: str = ""
    domain: str = ""
    published: date | None = None
    credibility: float = 0.5
    extraction: str = ""
    content_hash: str = field(default="")

    def __post_init__(self) -> None:
        identifier("collection", self.collection)
        for name in ("url", "text", "title", "snippet", "domain", "extraction"):
            storable(name, getattr(self, name))
        if len(self.text.encode()) > MAX_PASSAGE_BYTES:
            raise StoreRefused(f"a passage may hold {MAX_PASSAGE_BYTES} bytes; cut {self.url or 'it'} into chunks")
        if not 0.0 <= self.credibility <= 1.0:
            raise StoreRefused(f"credibility must lie in [0, 1], got {self.credibility!r}")
        aware("fetched", self.fetched)
        if not self.content_hash:
            object.__setattr__(self, "content_hash", content_hash(self.text))

    @property
    def id(self) -> str:
        """The same for the same text of the same page, in whatever collection it lies: writing it twice is once."""
        return str(uuid.uuid5(PASSAGES, f"{self.url}\n{self.content_hash}"))


@dataclass(frozen=True, slots=True)
class HybridQuery:
    """What is looked for. Filters narrow both halves; a passage without a date fails a filter on dates."""

    text: str
    vector: Vector
    limit: int = 10
    collections: tuple[str, ...] = (CURRENT_AFFAIRS, STATIC_KNOWLEDGE, FACTS)
    published_after: date | None = None
    published_before: date | None = None
    domains: tuple[str, ...] = ()
    alpha: float = 0.5
    """Share of the vector half in the fused score; the rest is the words'. Which share serves best depends on the
    embedder: equal ones favour neither half."""

    def __post_init__(self) -> None:
        storable("text", self.text)
        if self.limit < 1:
            raise StoreRefused("limit must be at least 1")
        if not 0.0 <= self.alpha <= 1.0:
            raise StoreRefused(f"alpha must lie in [0, 1], got {self.alpha!r}")


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found: its cosine with the query, its words' score (1 for the best match), and both fused."""

    passage: Passage
    cosine: float
    lexical: float
    fused: float


@dataclass(frozen=True, slots=True)
class Collection:
    """A collection as it stands."""

    name: str
    embedder: Embedder
    passages: int


class EvidenceIndex(Protocol):
    """An index is opened for one embedder; a collection made by another one is a StoreMismatch, never nonsense."""

    async def upsert(self, items: Sequence[tuple[Passage, Vector]]) -> int:
        """Write passages with their vectors, creating collections as needed; the same passage twice is once.

        All of one call's items are written or none. Returns how many were new.
        """
        ...

    async def search(self, query: HybridQuery) -> list[Hit]:
        """The best passages by fused score, best first, each id once. Collections that do not exist are empty."""
        ...

    async def get(self, collection: str, ids: Sequence[str]) -> list[Passage]:
        """The passages with these ids, in that order; ids that are not there are left out."""
        ...

    async def pages_held(self, urls: Sequence[str]) -> set[str]:
        """Those of the addresses that some collection holds passages of."""
        ...

    async def delete_by_url(self, url: str, collection: str | None = None) -> int:
        """Delete a page's passages, from one collection or all; return how many."""
        ...

    async def keep_only(self, collection: str, pages: Mapping[str, Sequence[str]], *, fetched_before: datetime) -> int:
        """Of these pages (address and ids) delete what earlier readings left: passages with other ids.

        What was fetched at that moment or later stays: it may be somebody's newer reading. Returns how many went.
        """
        ...

    async def delete_fetched_before(self, moment: datetime, collection: str) -> int:
        """Delete what was fetched before `moment`; return how many."""
        ...

    async def collections(self) -> list[Collection]:
        """Every collection with its embedder and its size, by name."""
        ...

    async def count(self, collection: str) -> int:
        """How many passages a collection holds; 0 if it does not exist."""
        ...

    async def swap(self, fresh: str, live: str) -> None:
        """Put `fresh` in the place of `live` at one stroke; `fresh` ceases to exist, what `live` held is deleted.

        A reader sees all of the old or all of the new. A failure leaves both as they were.
        """
        ...

    async def drop(self, collection: str) -> None:
        """Delete a collection; one that does not exist is no error."""
        ...

    async def scan(
        self, collection: str, *, after: str | None = None, limit: int = 500
    ) -> list[tuple[Passage, Vector]]:
        """A page of the collection in the order of ids, after the id `after`: for export, checks and repair."""
        ...

    async def unreachable(self, collection: str) -> list[str]:
        """Ids of passages that a search for their own vector, or for their own words, would not find."""
        ...

    async def repair(self, collection: str, ids: Sequence[str]) -> int:
        """Write these passages anew, from what is stored, so that searches reach them; return how many."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...
