"""A claim on its way: the whole state of a job, bounded, so that any worker can take the next step."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from agents.claims.evidence import ROW_LIMIT, CandidateRow, EvidenceRow
from agents.claims.reading import Reading
from agents.claims.submission import AnyJobId, JobId, Submission
from agents.claims.wire import Wire
from agents.evidence.ports import AttemptOutcome
from agents.language.quota import QuotaState
from scoring.values import Verdict

StopReason = Literal[
    "sufficient",
    "cache",
    "query_budget",
    "url_exhausted",
    "iteration_budget",
    "deadline",
    "confidence_mode",
    "comparative_monopoly",
    "evoi_below_cost",
    "no_provider",
    "no_new_evidence",
    "dead_letter",
]


class AttemptRow(Wire):
    """What asking one search provider came to."""

    provider: str
    outcome: AttemptOutcome
    cost_usd: float = 0.0


class SearchRow(Wire):
    """One search: who was asked, in order, until one had results, and what that cost."""

    query: str
    results: int
    attempts: tuple[AttemptRow, ...] = ()
    cost_usd: float = 0.0


class LoopState(Wire):
    """Where the corrective loop stands. One loop is one visit to search expansion: one query."""

    count: int = 0
    plan: tuple[str, ...] = ()
    """Queries that are planned and not run yet."""
    queries: tuple[str, ...] = ()
    searches: tuple[SearchRow, ...] = ()
    """Every search with what it cost, those that nobody answered included."""
    urls_processed: tuple[str, ...] = ()
    urls_skipped: Mapping[str, int] = Field(default_factory=dict)
    """How many URLs were passed over, by reason."""
    stop_reason: StopReason | None = None


class Proposal(Wire):
    """What a language model proposed, for reconciliation to accept or overrule; without one, the rules propose."""

    verdict: Verdict | None = None
    rationale: str = ""


class SubClaim(Wire):
    """What makes a job a sub-job: whose part it is, and the share of its parent's quota that it began with."""

    parent_id: JobId
    number: Annotated[int, Field(ge=1)]
    share: QuotaState = QuotaState()


class SubEnd(Wire):
    """A sub-job has its end; without one, the time of the parent itself is over. The ledger holds what came of it."""

    schema_version: Literal[1] = 1
    job_id: JobId
    """The parent's, which is also the key: the ends of one claim's parts come to one partition."""
    sub_job_id: AnyJobId | None = None
    failed: str = ""
    """Why it became a dead letter, if it did."""


class ClaimJob(Wire):
    """One job at one step."""

    schema_version: Literal[1] = 1
    job_id: AnyJobId
    attempt: Annotated[int, Field(ge=1)] = 1
    submission: Submission
    accepted_at: datetime
    deadline: datetime
    reading: Reading | None = None
    loop: LoopState = LoopState()
    candidates: Annotated[tuple[CandidateRow, ...], Field(max_length=ROW_LIMIT)] = ()
    evidence: Annotated[tuple[EvidenceRow, ...], Field(max_length=ROW_LIMIT)] = ()
    proposal: Proposal = Proposal()
    quota: QuotaState = QuotaState()
    models: Mapping[str, str] = Field(default_factory=dict)
    """The local models that read for this job, by what they do."""
    from_cache: bool = False
    sub: SubClaim | None = None

    @property
    def claim(self) -> str:
        """The claim as it is judged: as submitted, until it has been read."""
        return self.reading.standalone if self.reading is not None else self.submission.claim

    @property
    def entities(self) -> tuple[str, ...]:
        """The names in the claim."""
        return tuple(one.name for one in self.reading.entities) if self.reading is not None else ()

    @property
    def subclaims(self) -> tuple[str, ...]:
        """The statements that the claim makes."""
        return self.reading.subclaims if self.reading is not None else ()

    @property
    def as_of(self) -> date:
        """The day as of which the claim is judged."""
        return self.submission.as_of or self.accepted_at.date()

    def stopped(self, reason: StopReason) -> Self:
        """The same job with the reason on record why its loop ended."""
        return self.model_copy(update={"loop": self.loop.model_copy(update={"stop_reason": reason})})
