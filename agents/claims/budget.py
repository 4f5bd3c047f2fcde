"""How much one job may spend on looking for evidence (001 loop budget controller, 004 §4)."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class LoopBudget:
    """Bounds of the corrective loop; the settings fill them."""

    queries: int = 6
    """Searches per job: two for each of the planned sets."""
    urls_per_query: int = 4
    pages: int = 12
    """Fetches per job, failed ones included (002's `max_extracts`)."""
    bytes: int = 32_000_000
    """Bytes of pages per job, unpacked."""
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
