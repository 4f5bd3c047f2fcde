"""A claim on its way: the whole state of a job, bounded, so that any worker can take the next step."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Literal, Self

from pydantic import Field

from agents.claims.evidence import ROW_LIMIT, CandidateRow, EvidenceRow
from agents.claims.loop import LoopState
from agents.claims.reading import Reading
from agents.claims.submission import AnyJobId, JobId, Submission
from agents.claims.wire import Wire
from agents.language.quota import QuotaState
from scoring.values import Verdict


class Proposal(Wire):
    """What a language model proposed, for reconciliation to accept or overrule; without one, the rules propose."""

    verdict: Verdict | None = None
    rationale: str = ""


class SubClaim(Wire):
    """What makes a job a sub-job: whose part it is, and the share of its parent's quota that it began with."""

    parent_id: JobId
    number: Annotated[int, Field(ge=1)]
    share: QuotaState = QuotaState()


class Match(Wire):
    """An earlier job that asked the same: its verdict is this one's, or its evidence was judged again for this one."""

    kind: Literal["exact", "near"]
    job_id: JobId
    attempt: int
    claim: str
    decided_at: datetime
    age_seconds: float = 0.0
    """How old its verdict was when this one was given."""
    similarity: float
    timings: Mapping[str, float]

    def aged(self, now: datetime) -> Self:
        """The same with its age at that moment."""
        return self.model_copy(update={"age_seconds": (now - self.decided_at).total_seconds()})


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
    timings: Mapping[str, float] = Field(default_factory=dict)
    """Milliseconds in each stage so far."""
    sub: SubClaim | None = None
    match: Match | None = None

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
