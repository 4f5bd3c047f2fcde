"""How much one job may spend on looking for evidence (001 loop budget controller, 004 §4)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Self


@dataclass(frozen=True, slots=True)
class LoopBudget:
    """Bounds of the corrective loop; the settings fill them."""

    queries: int = 6
    """Searches per job: two for each of the planned sets."""
    urls_per_query: int = 4
    pages: int = 12
    """Fetches per job, failed ones included (002's `max_extracts`)."""
    bytes: int = 60_000_000
    """Bytes of pages per job, unpacked: every one of its pages may have the largest size."""
    page_bytes: int = 5_000_000
    """What is set aside for a page before it is fetched: the largest that a fetcher takes."""
    batch: int = 5
    """Pages of one job that are fetched at once and stored before the next are (002)."""
    deadline: timedelta = timedelta(seconds=120)
    parent_deadline: timedelta = timedelta(seconds=240)
    """How long a decomposed claim waits for its sub-claims. Each of them stops searching at `deadline` and then only
    has to be decided, so twice that is more than any of them needs unless it is stuck."""
    iterations: int = 3
    """Planned sets of queries (AGENTIC_LOOP_MAX_ITER)."""
    per_query: int = 10
    """Passages per query of the stores (RAG_TOP_K)."""
    candidates: int = 25
    """Candidates that are ranked (RERANK_TOP_K)."""
    trust_mode: str = "adaptive"

    def __post_init__(self) -> None:
        if self.bytes < self.page_bytes:
            raise ValueError(f"{self.bytes} bytes per job are less than one page may have ({self.page_bytes})")

    def pages_left(self, fetched: int, taken: int) -> int:
        """How many pages may be fetched at once when so many were, with so many bytes: neither bound can be passed."""
        return max(0, min(self.pages - fetched, (self.bytes - taken) // self.page_bytes))

    @property
    def limits(self) -> dict[str, float]:
        """The bounds as the package shows them."""
        return {
            "queries": self.queries,
            "urls_per_query": self.urls_per_query,
            "pages": self.pages,
            "bytes": self.bytes,
            "page_bytes": self.page_bytes,
            "iterations": self.iterations,
            "deadline_seconds": self.deadline.total_seconds(),
        }

    def within(self, limits: Mapping[str, float]) -> Self:
        """What a job may spend that has limits already: they hold to its end. A part begins with its share."""
        if not limits:
            return self
        queries, pages, taken = (int(limits[name]) for name in SHARED)
        return replace(self, queries=queries, pages=pages, bytes=taken)


SHARED = ("queries", "pages", "bytes")
"""What the parts of a decomposed claim divide; each of them is as long on its way as the claim may be."""


def shared_limits(limits: Mapping[str, float], parts: int) -> tuple[dict[str, float], ...]:
    """The limits of each part of a claim: together what the claim may spend, the first ones having what is left over.

    A part that could look for nothing would leave the claim undecided, so each has one search and one page at least,
    even where the claim has fewer of them than parts; none has a search where the claim has none."""
    least = {"queries": min(1.0, limits["queries"]), "pages": 1.0, "bytes": limits["page_bytes"]}
    return tuple(
        {**limits, **{name: max(least[name], _share(limits[name], parts, number)) for name in SHARED}}
        for number in range(parts)
    )


def _share(whole: float, parts: int, number: int) -> float:
    each, over = divmod(whole, parts)
    return each + (number < over)
