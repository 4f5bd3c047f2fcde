"""VerdictLedger: who was asked what, what was decided, and what has been said aloud. First write wins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Protocol

from storage.ports.checks import aware, identifier, storable

SUB_JOB_MARK = "~"
"""Between a parent's id and a sub-job's number. No submission's id may hold it, so no sender can take a sub-job's."""


def sub_job_id(parent_id: str, number: int) -> str:
    """The id of a decomposed job's sub-job: the same whenever it is decomposed."""
    return f"{parent_id}{SUB_JOB_MARK}{number}"


def parent_of(job_id: str) -> str | None:
    """The id of the decomposed job that this one is a part of; None for a job of its own."""
    parent_id, mark, _ = job_id.rpartition(SUB_JOB_MARK)
    return parent_id if mark else None


def sub_number(job_id: str) -> int:
    """Which part of its parent a sub-job is, from 1 on."""
    return int(job_id.rpartition(SUB_JOB_MARK)[2])


class JobState(StrEnum):
    """A job is open until one compare-and-set makes it one of the other two."""

    OPEN = "open"
    COMPLETED = "completed"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class JobRecord:
    """An accepted submission. `fingerprint` tells a repeated submission from another one under the same id."""

    job_id: str
    fingerprint: str
    submission: bytes
    opened_at: datetime
    room_id: str = ""
    workspace_id: str = ""
    attempt: int = 1
    state: JobState = JobState.OPEN
    deadline: datetime | None = None

    def __post_init__(self) -> None:
        identifier("job_id", self.job_id)
        for name in ("fingerprint", "room_id", "workspace_id"):
            storable(name, getattr(self, name))
        aware("opened_at", self.opened_at)
        if self.deadline is not None:
            aware("deadline", self.deadline)


@dataclass(frozen=True, slots=True)
class Outcome:
    """The terminal state of one attempt: the bytes that are emitted are these bytes."""

    job_id: str
    attempt: int
    state: JobState
    payload: bytes
    decided_at: datetime
    claim_key: str = ""
    """What was asked, as one key: who asks the same finds this. Empty for an outcome that answers nobody else."""
    sense_key: str = ""
    """The words that were asked about, whatever their order: what asks about them may ask the same."""

    def __post_init__(self) -> None:
        identifier("job_id", self.job_id)
        storable("claim_key", self.claim_key)
        storable("sense_key", self.sense_key)
        aware("decided_at", self.decided_at)
        if self.state is JobState.OPEN:
            raise ValueError("an outcome is completed or failed, never open")


@dataclass(frozen=True, slots=True)
class OpenLoad:
    """How much has been accepted and not decided yet: what admission looks at."""

    jobs: int
    bytes: int


@dataclass(frozen=True, slots=True)
class ParentRecord:
    """A decomposed job: its children in order, and when it is closed with what arrived."""

    parent_id: str
    children: tuple[str, ...]
    deadline: datetime


@dataclass(frozen=True, slots=True)
class JoinState:
    """Where a parent stands after a sub-result. `just_completed` is true for exactly one caller, ever."""

    done: int
    expected: int
    just_completed: bool = False
    overdue: bool = False
    """The deadline closed the parent before this result came; it is kept, but it no longer decides anything."""

    @property
    def complete(self) -> bool:
        """Every child has answered. A redelivered last child sees this without `just_completed`."""
        return self.done >= self.expected


@dataclass(frozen=True, slots=True)
class EvidenceRef:
    """One step of a verdict's provenance: the evidence it rests on, and the source that evidence came from."""

    evidence_id: str
    url: str = ""
    domain: str = ""
    title: str = ""
    stance: str = ""
    score: float = 0.0
    content_hash: str = ""

    def __post_init__(self) -> None:
        identifier("evidence_id", self.evidence_id)
        for name in ("url", "domain", "title", "stance", "content_hash"):
            storable(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """One entry of the audit trail (003 §9). `payload` is its JSON; the same `entry_id` twice is one entry."""

    entry_id: str
    job_id: str
    at: datetime
    payload: bytes
    workspace_id: str = ""
    user_id: str = ""
    session_id: str = ""

    def __post_init__(self) -> None:
        identifier("entry_id", self.entry_id)
        identifier("job_id", self.job_id)
        for name in ("workspace_id", "user_id", "session_id"):
            storable(name, getattr(self, name))
        aware("at", self.at)


@dataclass(frozen=True, slots=True)
class Retention:
    """How long audit entries are kept: 90 days (003 §9.2) unless a workspace says otherwise."""

    default: timedelta = timedelta(days=90)
    per_workspace: Mapping[str, timedelta] = field(default_factory=dict)


class VerdictLedger(Protocol):
    """Every method is idempotent, so that a step may run twice; every answer is what is stored."""

    async def open_job(self, record: JobRecord) -> JobRecord:
        """Insert the job if its id is new; return the stored record either way."""
        ...

    async def job(self, job_id: str) -> JobRecord | None:
        """The stored record, with the current attempt and state."""
        ...

    async def jobs(
        self,
        *,
        room_id: str | None = None,
        state: JobState | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> list[JobRecord]:
        """Newest first; `after` is the job_id of the last record of the page before.

        Sub-jobs are not among them: they are found through their parent.
        """
        ...

    async def decide(self, outcome: Outcome) -> Outcome:
        """Compare-and-set on (job_id, attempt): the first outcome is kept, and the kept one is returned.

        A job that was never opened gets its row here. A completed job stays completed whatever attempt asks.
        """
        ...

    async def outcome(self, job_id: str) -> Outcome | None:
        """The outcome of the latest attempt that has one."""
        ...

    async def answered(self, claim_key: str, since: datetime) -> Outcome | None:
        """The latest completed outcome under this key, if it was decided at `since` or after; no key finds none."""
        ...

    async def alike(self, sense_key: str, since: datetime, limit: int = 3) -> list[Outcome]:
        """The completed outcomes under this key, decided at `since` or after, latest first; no key finds none."""
        ...

    async def mark_emitted(self, job_id: str, attempt: int) -> None:
        """The broker has acknowledged this outcome."""
        ...

    async def unemitted(self, older_than: datetime, limit: int = 100) -> list[Outcome]:
        """Outcomes decided before `older_than` and never marked emitted, oldest first."""
        ...

    async def next_attempt(self, job_id: str) -> int:
        """Open the attempt after a failed one; an attempt that is open already is returned as it is.

        Raises JobCompleted for a decided job and JobUnknown for one that was never opened.
        """
        ...

    async def remember(self, job_id: str, attempt: int, loop: int, stage: str, payload: bytes) -> bytes:
        """Keep the outcome of a step that is not deterministic; return the first one kept."""
        ...

    async def recall(self, job_id: str, attempt: int, loop: int, stage: str) -> bytes | None:
        """What was remembered of a step."""
        ...

    async def open_load(self) -> OpenLoad:
        """Running totals of the open jobs: constant time."""
        ...

    async def open_jobs(self, limit: int = 1000) -> list[JobRecord]:
        """The open jobs, oldest first: what is published again at the next start."""
        ...

    async def open_parent(self, parent_id: str, children: Sequence[str], deadline: datetime) -> ParentRecord:
        """Register the children of a decomposed job; the first registration is kept and returned."""
        ...

    async def add_sub_result(self, parent_id: str, child_id: str, payload: bytes) -> JoinState:
        """Keep a child's first result; exactly one caller ever sees `just_completed`.

        Raises JobUnknown when the parent, or this child of it, was never registered.
        """
        ...

    async def sub_results(self, parent_id: str) -> dict[str, bytes]:
        """What has arrived, by child id, in the order of the children."""
        ...

    async def parent(self, parent_id: str) -> ParentRecord | None:
        """The registration of a parent."""
        ...

    async def close_overdue(self, now: datetime, limit: int = 100) -> list[str]:
        """Close parents past their deadline that still miss a child; each id is returned exactly once, ever."""
        ...

    async def stranded_parents(self, closed_before: datetime, limit: int = 100) -> list[str]:
        """Parents complete, or overdue before `closed_before`, whose job is still not decided.

        Whoever completed or closed them died before deciding; the sweep decides them again.
        """
        ...

    async def record_provenance(self, job_id: str, evidence: Sequence[EvidenceRef]) -> None:
        """Set what the job's verdict rests on: job → evidence → source. Replaces what was recorded before."""
        ...

    async def provenance(self, job_id: str) -> list[EvidenceRef]:
        """What the job's verdict rests on, in the recorded order."""
        ...

    async def append_audit(self, entry: AuditEntry) -> None:
        """Append an entry; the same entry_id again changes nothing."""
        ...

    async def audit(
        self, *, workspace_id: str | None = None, job_id: str | None = None, limit: int = 1000
    ) -> list[AuditEntry]:
        """Entries of a workspace, a job, or both, oldest first."""
        ...

    async def purge(self, now: datetime, retention: Retention | None = None) -> int:
        """Delete audit entries older than their workspace's retention; return how many."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...
