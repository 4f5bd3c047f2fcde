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


@dataclass(frozen=True, slots=True)
class Stage:
    """One row: where it reads, what it does, where it may write, and how long one try may take."""

    name: str
    reads: Topic
    handle: Handler
    writes: tuple[Topic, ...]
    timeout: float


STAGES: tuple[Stage, ...] = (
    Stage("intake", topics.CLAIMS, intake.handle, (topics.RETRIEVAL, topics.VERDICTS), timeout=10),
    Stage(
        "retrieval",
        topics.RETRIEVAL,
        retrieval.handle,
        (topics.RANKING, topics.RETRIEVAL, topics.ADJUDICATION, topics.AGGREGATION, topics.VERDICTS),
        timeout=20,
    ),
    Stage("ranking", topics.RANKING, ranking.handle, (topics.TRUST,), timeout=20),
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
