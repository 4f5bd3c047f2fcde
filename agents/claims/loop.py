"""Where the corrective loop of a job stands, and the record of every step it took. It travels with the job."""

from collections.abc import Mapping
from typing import Any, Literal, Self

from pydantic import Field

from agents.claims.wire import Wire
from agents.evidence.ports import AttemptOutcome
from scoring.derivation import Derivation, Scalar
from scoring.stopping import LoopFacts, StopReason
from scoring.values import Stance

EndReason = StopReason | Literal["dead_letter", "nothing_to_verify"]
"""Why a job ended: as its loop did; because a part of it could not be processed; or because it claimed nothing."""


class AttemptRow(Wire):
    """What asking one search provider came to."""

    provider: str
    outcome: AttemptOutcome
    cost_usd: float = 0.0


class LoopStep(Wire):
    """One visit to search expansion, and what the look at the evidence after it came to."""

    iteration: int
    query: str
    results: int = 0
    attempts: tuple[AttemptRow, ...] = ()
    """Who was asked, in order, until one had results."""
    extraction_cost_usd: float = 0.0
    """What a service was paid that read pages for us."""
    cost_usd: float = 0.0
    """Of the search and of the pages together."""
    pages: int = 0
    """Pages that this job set out to fetch."""
    inline: int = 0
    """Those of them that the claim itself names."""
    shared: int = 0
    """Pages that another job was reading at the time; this one waited for it."""
    read: int = 0
    bytes: int = 0
    trust_before: float = 0.0
    trust_after: float | None = None
    new_evidence: int = 0
    """Admissible passages that no earlier look had."""
    domains: int = 0
    """Registered domains of the admissible evidence."""
    evoi: Derivation | None = None
    """What one more page was worth after this step."""
    decision: StopReason | Literal["go_on"] | None = None

    @property
    def offered(self) -> int:
        """Pages that the search gave to read, by whomever."""
        return self.pages - self.inline + self.shared


class LoopState(Wire):
    """One loop is one visit to search expansion: one query. One iteration is a planned set of queries."""

    count: int = 0
    iteration: int = 0
    """The set that is being run; 0 while only stored evidence was looked at."""
    plan: tuple[str, ...] = ()
    """Queries of the set that are not run yet."""
    queries: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    """Queries that were planned but not run: they ask what an earlier one asked."""
    steps: tuple[LoopStep, ...] = ()
    urls_processed: tuple[str, ...] = ()
    inline: tuple[str, ...] = ()
    """Pages that the claim itself names, as far as they were read."""
    quoted: tuple[str, ...] = ()
    """Pages of this job from which admissible evidence took a side."""
    urls_skipped: Mapping[str, int] = Field(default_factory=dict)
    """How many URLs were passed over, by reason."""
    known: tuple[str, ...] = ()
    """Ids of the admissible evidence that any look has had so far."""
    judged: Mapping[str, Stance] = Field(default_factory=dict)
    """What was read at the last look, by a key of the text; another look at the same text need not read it again."""
    trust: float = 0.0
    belief: float = 0.5
    sufficiency: float = 0.0
    """At the last look: what the expected value of another page is computed from."""
    limits: Mapping[str, float] = Field(default_factory=dict)
    decided_by: Mapping[str, Scalar] = Field(default_factory=dict)
    """The facts of the last decision to go on or to stop."""
    stop_reason: EndReason | None = None

    @property
    def pages(self) -> int:
        """Fetches so far, those of inline sources included."""
        return sum(step.pages for step in self.steps)

    @property
    def bytes(self) -> int:
        """Bytes fetched so far."""
        return sum(step.bytes for step in self.steps)

    @property
    def current_set(self) -> tuple[LoopStep, ...]:
        """The steps of the set that is being run."""
        return tuple(step for step in self.steps if step.iteration == self.iteration)

    @property
    def facts(self) -> LoopFacts:
        """The facts of the last decision."""
        return LoopFacts(**dict[str, Any](self.decided_by))

    def updated(self, **changes: Any) -> Self:
        """The same state with some fields changed."""
        return self.model_copy(update=changes)
