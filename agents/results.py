"""What a stage hands back instead of sending: the values for the next topics, and what happened, as data."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel

Detail = str | int | float | bool | None | list[str]


@dataclass(frozen=True, slots=True)
class Send:
    """One value for one topic. Bytes are sent as they are: a stored verdict must not be encoded anew."""

    to: str
    key: str
    value: BaseModel | bytes
    settles: tuple[str, int] | None = None
    """(job_id, attempt) whose stored outcome this is; the ledger marks it emitted once the broker has it."""


@dataclass(frozen=True, slots=True)
class Note:
    """One small event for `progress`."""

    event: str
    detail: Mapping[str, Detail] = field(default_factory=dict)


Tell = Callable[[Note], None]
"""Says a note at once, as well as may be; the step's result says it for certain."""


def to_nobody(_: Note) -> None:
    """For a step that nobody watches."""


@dataclass(slots=True)
class Notes:
    """What a step has noted so far: told as it happens, and kept for the step's result."""

    tell: Tell
    noted: list[Note] = field(default_factory=list)

    def add(self, event: str, **detail: Detail) -> None:
        """Note it now."""
        note = Note(event, detail)
        self.noted.append(note)
        self.tell(note)


@dataclass(frozen=True, slots=True)
class StepResult:
    """Everything that one step of one job says to the outside."""

    sends: tuple[Send, ...] = ()
    notes: tuple[Note, ...] = ()
