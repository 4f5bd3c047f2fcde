"""The models on the wire that only this floor needs; the jobs' own models live with the agents that fill them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from agents.claims.job import ClaimJob, SubEnd
from agents.claims.submission import Submission
from agents.results import Detail, Note
from storage.ports import parent_of, sub_number


class ProgressEvent(BaseModel):
    """One step of one job. Its id is derived, so that a repeated step repeats the same event."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    schema_version: Literal[1] = 1
    id: str
    job_id: str
    attempt: int
    loop: int
    stage: str
    event: str
    at: datetime
    detail: Mapping[str, Detail] = Field(default_factory=dict)

    @property
    def family(self) -> str:
        """Under which id it travels: the steps of a claim and of its parts come in one order."""
        return parent_of(self.job_id) or self.job_id


class Position(NamedTuple):
    """Where a job stands: what every log line and progress event says."""

    job_id: str
    attempt: int = 1
    loop: int = 0
    part: int = 0
    """Which sub-claim a step of a decomposed job is about; 0 for none."""


def position(model: BaseModel) -> Position:
    """The position that a message's model stands for."""
    if isinstance(model, ClaimJob):
        return Position(model.job_id, model.attempt, model.loop.count)
    if isinstance(model, Submission):
        return Position(model.job_id)
    if isinstance(model, SubEnd):
        return Position(model.job_id, part=sub_number(model.sub_job_id) if model.sub_job_id is not None else 0)
    raise TypeError(f"{type(model).__name__} is not a step of a job")


def progress(stage: str, at: Position, notes: Sequence[Note], now: datetime) -> list[ProgressEvent]:
    """The events that tell of a step's notes. What happens twice in one step (a batch) is numbered from the second."""
    told: Counter[str] = Counter()
    events = []
    for note in notes:
        told[note.event] += 1
        times = told[note.event]
        events.append(_event(stage, at, note, now, suffix=f"/{times}" if times > 1 else ""))
    return events


def _event(stage: str, at: Position, note: Note, now: datetime, *, suffix: str) -> ProgressEvent:
    step = f"{stage}:{at.part}" if at.part else stage
    return ProgressEvent(
        id=f"{at.job_id}/{at.attempt}/{at.loop}/{step}/{note.event}{suffix}",
        job_id=at.job_id,
        attempt=at.attempt,
        loop=at.loop,
        stage=stage,
        event=note.event,
        at=now,
        detail=note.detail,
    )
