"""The end of a job, kept in the ledger before anyone hears of it: one terminal state, first write wins."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from agents.claims.intake import job_record
from agents.claims.submission import JobId, Submission
from agents.results import Send
from storage.ports import JobRecord, JobState, Outcome, VerdictLedger
from streams import topics
from streams.delivery.dead_letters import DeadLetter, Message, Reason, dead_letter
from streams.wire import BadMessage, decode

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
        A message that names no job of its own (no id, or the id of another submission) fails nobody, and its letter
        names no job: a replay of it must not open another attempt of somebody else's.
        """
        job_id = reason.job_id
        nobodys = Burial(dead_letter(message, replace(reason, job_id=None)))
        if job_id is None or not _is_job_id(job_id) or reason.reason == "job_id_taken":
            return nobodys
        if message.topic == topics.CLAIMS.name:
            attempt = await self._attempt_of(message, job_id)
            if attempt is None:
                return nobodys
            reason = replace(reason, attempt=attempt)
        failed = pack(dead_letter(message, reason))
        stored = await self._ledger.decide(Outcome(job_id, reason.attempt, JobState.FAILED, failed, self._clock()))
        settles = (stored.job_id, stored.attempt)
        if stored.state is JobState.COMPLETED:
            return Send(topics.VERDICTS.name, job_id, stored.payload, settles)
        return Burial(unpack(stored.payload), settles)

    async def _attempt_of(self, message: Message, job_id: str) -> int | None:
        """The attempt that a raw submission failed, opening its job if it is the first to name it.

        A submission carries no attempt of its own: the ledger knows how often it was replayed. None when the job
        belongs to another submission.
        """
        record = _record(message, job_id, self._clock())
        stored = await self._ledger.open_job(record)
        return stored.attempt if stored.fingerprint == record.fingerprint else None


def _record(message: Message, job_id: str, now: datetime) -> JobRecord:
    """The job that a submission stands for: by what it says where it can be read, else by its bytes."""
    try:
        submission = decode(topics.CLAIMS, message.key, message.value)
    except BadMessage:
        return JobRecord(job_id, "raw:" + hashlib.sha256(message.value or b"").hexdigest(), b"", now)
    assert isinstance(submission, Submission)
    return replace(job_record(submission, now, timedelta()), deadline=None)


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
    headers = tuple((name, raw(value)) for name, value in kept["headers"])
    return DeadLetter(key=raw(kept["key"]), value=raw(kept["value"]), headers=headers)
