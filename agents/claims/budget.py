"""How much one job may spend on looking for evidence (001 loop budget controller, 004 §4)."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True)
class LoopBudget:
    """Bounds of the corrective loop; the settings fill them."""

    queries: int = 4
    urls_per_query: int = 4
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
