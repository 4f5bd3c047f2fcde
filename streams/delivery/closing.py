"""The end of a job, kept in the ledger before anyone hears of it: one terminal state, first write wins."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from pydantic import TypeAdapter, ValidationError

from agents.claims.submission import JobId
from agents.results import Send
from storage.ports import JobRecord, JobState, Outcome, VerdictLedger
from streams import topics
from streams.delivery.dead_letters import DeadLetter, Message, Reason, dead_letter

_JOB_ID = TypeAdapter(JobId)


@dataclass(frozen=True, slots=True)
class Burial:
    """A dead letter to deliver, and the stored failure that it makes known, if the message failed a job."""

    letter: DeadLetter
    settles: tuple[str, int] | None = None


class JobCloser:
    """Decides failures. (A verdict is decided by adjudication, in the same ledger.)"""

    def __init__(self, ledger: VerdictLedger, clock: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._clock = clock

    async def delivered(self, said: "Send | Burial") -> None:
        """The broker has it: a stored outcome that it carries needs no sweep any more."""
        if said.settles is not None:
            await self._ledger.mark_emitted(*said.settles)

    async def give_up(self, message: Message, reason: Reason) -> "Send | Burial":
        """What has to be said about an event that cannot succeed.

        Its dead letter; or, when the job was decided otherwise by another copy of the event, that verdict again.
        A message that names no job of its own (no id, or the id of another submission) fails nobody.
        """
        letter = dead_letter(message, reason)
        if reason.job_id is None or not _is_job_id(reason.job_id) or reason.reason == "job_id_taken":
            return Burial(letter)
        if message.topic == topics.CLAIMS.name and not await self._owns_its_job(message, reason.job_id):
            return Burial(letter)
        stored = await self._ledger.decide(
            Outcome(reason.job_id, reason.attempt, JobState.FAILED, pack(letter), self._clock())
        )
        if stored.state is JobState.COMPLETED:
            return Send(topics.VERDICTS.name, reason.job_id, stored.payload, settles=(stored.job_id, stored.attempt))
        return Burial(unpack(stored.payload), settles=(stored.job_id, stored.attempt))

    async def _owns_its_job(self, message: Message, job_id: str) -> bool:
        """Whether this raw submission is the one that its job stands for, opening the job if it is the first."""
        fingerprint = "raw:" + hashlib.sha256(message.value or b"").hexdigest()
        stored = await self._ledger.open_job(JobRecord(job_id, fingerprint, b"", self._clock()))
        return stored.fingerprint == fingerprint


def _is_job_id(text: str) -> bool:
    try:
        _JOB_ID.validate_python(text)
    except ValidationError:
        return False
    return True


def pack(letter: DeadLetter) -> bytes:
    """A dead letter as the ledger keeps it, so that it can be said again, byte for byte."""

    def text(raw: bytes | None) -> str | None:
        return None if raw is None else base64.b64encode(raw).decode()

    headers = [[name, text(value)] for name, value in letter.headers]
    return json.dumps({"key": text(letter.key), "value": text(letter.value), "headers": headers}).encode()


def unpack(payload: bytes) -> DeadLetter:
    """The dead letter that was kept."""

    def raw(text: str | None) -> bytes | None:
        return None if text is None else base64.b64decode(text)

    kept = json.loads(payload)
    headers = tuple((name, raw(value) or b"") for name, value in kept["headers"])
    return DeadLetter(key=raw(kept["key"]), value=raw(kept["value"]), headers=headers)
