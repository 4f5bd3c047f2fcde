"""A small world for the knowledge base: an embedder that counts, a web in memory, a clock that is set by hand."""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta

import numpy as np

from agents.errors import DependencyDown
from agents.evidence.credibility import SourceCredibility
from agents.evidence.ports import FetchedPage, PageUnavailable, SearchAttempt, SearchOutcome, SearchResult
from agents.knowledge.ingestion import Target
from agents.language.calibration import SimilarityCalibration
from agents.language.ports import Vectors
from storage.ports import EvidenceIndex, Stores, VerdictLedger
from tests.unit.knowledge.places import EMBEDDER

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


class WordEmbedder:
    """Words fall into eight bins; good enough to be found by one's own words. Counts what it is asked for."""

    name = EMBEDDER.name
    dimension = EMBEDDER.dimension
    calibration = SimilarityCalibration(zero=0.1, half=0.4, one=0.9)

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self.largest = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.embedded += texts
        self.largest = max(self.largest, len(texts))
        rows = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in text.lower().split():
                row[zlib.crc32(word.encode()) % self.dimension] += 1.0
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        np.divide(rows, lengths, out=rows, where=lengths > 0)
        return rows


@dataclass(slots=True)
class Clock:
    """Stands still until it is moved."""

    now: datetime = NOW

    def __call__(self) -> datetime:
        return self.now

    def move(self, by: timedelta) -> None:
        self.now += by


def article(host: str, subject: str, edition: str) -> str:
    """A page whose every sentence says which edition it belongs to."""
    text = " ".join(
        f"{edition} reports that Mayor Jane Morrow opened the {subject} number {n} in Kelderwick." for n in range(12)
    )
    return f"<html><head><title>{subject} at {host}</title></head><body><article><p>{text}</p></article></body></html>"


@dataclass(slots=True)
class MemoryWeb:
    """Search and fetching over pages in memory. What is listed as failing fails."""

    pages: dict[str, str] = field(default_factory=dict)
    silent_queries: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    fail_after: int | None = None
    queries: list[str] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)

    @classmethod
    def edition(cls, name: str, hosts: int = 12) -> "MemoryWeb":
        subjects = ("bridge", "school", "hospital", "library")
        return cls(
            {
                f"https://site{n}.org/{name}/{subject}-opened-today-in-town": article(f"site{n}", subject, name)
                for n in range(hosts)
                for subject in subjects
            }
        )

    async def search(self, query: str, limit: int, as_of: date | None = None) -> SearchOutcome:
        self.queries.append(query)
        if "*" in self.silent_queries or query in self.silent_queries:
            return SearchOutcome(attempts=(SearchAttempt("memory", "timeout"),))
        found = [SearchResult(url, url, "", None, 1.0) for url in self.pages]
        start = zlib.crc32(query.encode()) % len(found) if found else 0
        return SearchOutcome(tuple((found[start:] + found[:start])[:limit]), (SearchAttempt("memory", "results"),))

    async def fetch(self, url: str) -> FetchedPage:
        self.fetched.append(url)
        if self.fail_after is not None and len(self.fetched) > self.fail_after:
            raise DependencyDown("the web", "cable cut")
        if url in self.broken or url not in self.pages:
            raise PageUnavailable("not_found", url, "there is no such page")
        return FetchedPage(url, url, "text/html", "utf-8", self.pages[url].encode())


@dataclass(frozen=True, slots=True)
class World:
    """What a refresh needs."""

    ledger: VerdictLedger
    index: EvidenceIndex
    search: MemoryWeb | None
    fetcher: MemoryWeb | None
    clock: Callable[[], datetime]
    embedder: WordEmbedder = field(default_factory=WordEmbedder)
    credibility: SourceCredibility = field(default_factory=lambda: SourceCredibility.of(["site3.org"]))


def world(stores: Stores, web: MemoryWeb | None, clock: Callable[[], datetime] | None = None) -> World:
    return World(stores.ledger, stores.index, web, web, clock or Clock())


def target(stores: Stores, collection: str = "static_gk", *, relations: bool = False) -> Target:
    return Target(
        collection,
        stores.index,
        WordEmbedder(),
        SourceCredibility.of(["credible.org"]),
        Clock(),
        stores.graph if relations else None,
    )
