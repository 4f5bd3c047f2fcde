"""The pipeline on one screen: the table of stages, from which topics, wiring, documentation and tests follow.

                                                     sufficient, or a stop rule fired
claims ─► intake ─► retrieval ─► ranking ─► trust ─┬─► adjudication ─┬─► verdicts
                     │ ▲ ▲                         │ insufficient    │ ▲
                     │ │ └─── search-expansion ◄───┘                 ▼ │
                     └─┘ one job per sub-claim ─ ─ ─ ─ ─ ─ ─ ─ ─ ► aggregation
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from agents.claims import adjudication, intake, ranking, retrieval, search_expansion, trust
from agents.claims.parts import aggregation
from agents.results import StepResult
from agents.services import Services
from streams import topics
from streams.topics import Topic

Handler = Callable[[Any, Services], Awaitable[StepResult]]
LEAST_COMPUTED = 4
"""Events in hand of a stage that computes: enough that a core is never idle while one of them is written or read."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One row: where it reads, what it does, where it may write, and how long one try may take."""

    name: str
    reads: Topic
    handle: Handler
    writes: tuple[Topic, ...]
    timeout: float
    computes: bool = False
    """Whether it waits for this machine's processors rather than for others: more events in hand would only wait
    longer for each other, and on a busy machine longer than the time limit."""

    def at_once(self, in_flight: int, processors: int) -> int:
        """Events that a worker has in hand, of the `in_flight` that its settings allow."""
        return min(in_flight, max(LEAST_COMPUTED, 2 * processors)) if self.computes else in_flight


STAGES: tuple[Stage, ...] = (
    Stage("intake", topics.CLAIMS, intake.handle, (topics.RETRIEVAL, topics.VERDICTS), timeout=10),
    Stage(
        "retrieval",
        topics.RETRIEVAL,
        retrieval.handle,
        (topics.RANKING, topics.RETRIEVAL, topics.ADJUDICATION, topics.AGGREGATION, topics.VERDICTS),
        timeout=45,
    ),
    # A dozen passages are read by a cross-encoder for every event: a third of a second on an idle machine.
    Stage("ranking", topics.RANKING, ranking.handle, (topics.TRUST,), timeout=60, computes=True),
    Stage("trust", topics.TRUST, trust.handle, (topics.SEARCH_EXPANSION, topics.ADJUDICATION), timeout=30),
    Stage(
        "search-expansion",
        topics.SEARCH_EXPANSION,
        search_expansion.handle,
        (topics.RETRIEVAL, topics.ADJUDICATION),
        timeout=90,
    ),
    Stage(
        "adjudication",
        topics.ADJUDICATION,
        adjudication.handle,
        (topics.VERDICTS, topics.AGGREGATION),
        timeout=60,
    ),
    Stage("aggregation", topics.AGGREGATION, aggregation.handle, (topics.VERDICTS,), timeout=60),
)
STAGE_NAMES = tuple(stage.name for stage in STAGES)
