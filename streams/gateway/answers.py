"""What the gateway answers, as models: the OpenAPI document is written from them, and the tests hold it to them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, Field

from agents.claims.package import Citation, Missing, VerdictPackage
from agents.claims.submission import AnyJobId, JobId
from scoring.values import Label, Verdict
from storage.ports import JobState


class Accepted(BaseModel):
    """The job goes on; ask at its address, follow its events, or send the same submission again."""

    job_id: JobId
    status: Literal["open"]
    job: str
    events: str


class FailureReason(BaseModel):
    """Why a job became a dead letter."""

    stage: str
    reason: str
    message: str


class Failed(BaseModel):
    """A job that could not be processed; it never carries a verdict."""

    job_id: AnyJobId
    attempt: int
    status: Literal["failed"]
    error: FailureReason


class WorkerVerdict(VerdictPackage):
    """The verdict package, with `confidence` beside `verdict_confidence`."""

    confidence: float


class NewsPart(BaseModel):
    """A sub-claim's verdict in the same words; `missing` says why one has none."""

    job_id: AnyJobId
    claim: str
    verdict: Label
    reasoning: str
    citations: tuple[Citation, ...]
    missing: Missing | None = None


class NewsVerdict(BaseModel):
    """The verdict in a newsroom's words, with the whole package in it."""

    job_id: JobId
    claim: str
    verdict: Label
    confidence: float
    reasoning: str
    citations: tuple[Citation, ...]
    sub_results: tuple[NewsPart, ...]
    package: VerdictPackage


class SubJob(BaseModel):
    """A part of a decomposed job."""

    job_id: AnyJobId
    state: JobState


class Job(BaseModel):
    """Where a job stands; `stage` and `loop` as far as this gateway heard."""

    job_id: AnyJobId
    state: JobState
    attempt: int
    opened_at: datetime
    stage: str | None = None
    loop: int | None = None
    parent_job_id: JobId | None = None
    sub_jobs: list[SubJob] | None = None
    sub_jobs_until: datetime | None = None
    result: WorkerVerdict | Failed | None = None


class JobLine(BaseModel):
    """One job of a list; the verdict once there is one."""

    job_id: JobId
    state: JobState
    room_id: str | None = None
    opened_at: datetime
    claim: str | None = None
    verdict: Verdict | None = None
    label: Label | None = None
    verdict_confidence: float | None = None


class Jobs(BaseModel):
    """A page of jobs, newest first."""

    jobs: list[JobLine]
    next: str | None = Field(description="Address of the next page; null on the last one.")


class Health(BaseModel):
    """The process answers."""

    status: Literal["ok"]


class Readiness(BaseModel):
    """Whether claims can be taken and answered, and why not."""

    ready: bool
    reasons: list[str]


class Status(BaseModel):
    """What this system is made of. Broker and folder are told to this machine and to administrators only."""

    version: str
    mode: Literal["embedded", "full"]
    open_jobs: int
    open_bytes: int
    broker_connected: bool
    embedder: str
    stance: str
    """What judges stances: the rules, or the local model with the checksum of its files."""
    policy: str
    broker: str | None = None
    data_dir: str | None = None


class ProblemField(BaseModel):
    """One wrong field."""

    field: str
    message: str


class ProblemDocument(BaseModel):
    """RFC 9457."""

    type: str
    title: str
    status: int
    detail: str
    errors: list[ProblemField] | None = None


PROBLEM = "application/problem+json"
_RETRY = {"Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer"}, "required": True}}
_CHALLENGE = {"WWW-Authenticate": {"description": "How to come in.", "schema": {"type": "string"}, "required": True}}
_PROBLEMS: Mapping[int, tuple[str, Mapping[str, Any]]] = {
    401: ("A key is needed, or this one is not valid", _CHALLENGE),
    403: ("The key lacks the scope", _CHALLENGE),
    404: ("No such job", {}),
    409: ("The job_id belongs to another submission", {}),
    413: ("The body is too large", {}),
    422: ("The request is not valid", {}),
    429: ("Too many requests of this key, or too much is open", _RETRY),
    503: ("The broker or a store is down", _RETRY),
}


def problems(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The documentation of a route's refusals."""
    schema = {"$ref": "#/components/schemas/ProblemDocument"}
    told: dict[int | str, dict[str, Any]] = {}
    for code in codes:
        description, headers = _PROBLEMS[code]
        told[code] = {"description": description, "content": {PROBLEM: {"schema": schema}}}
        if headers:
            told[code]["headers"] = dict(headers)
    return told
