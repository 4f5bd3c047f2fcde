"""The end of a job, kept in the ledger before anyone hears of it: one terminal state, first write wins."""

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from pydantic import TypeAdapter, ValidationError

from agents.claims.decided import say
from agents.claims.intake import job_record
from agents.claims.submission import AnyJobId, JobId, Submission
from agents.results import Send
from storage.ports import JobRecord, JobState, Outcome, VerdictLedger, parent_of
from streams import topics
from streams.delivery.dead_letters import DeadLetter, Message, Reason, dead_letter, error_headers
from streams.wire import BadMessage, decode

_JOB_ID = TypeAdapter(AnyJobId)
_SENDERS_JOB_ID = TypeAdapter(JobId)


@dataclass(frozen=True, slots=True)
class Burial:
    """A dead letter to deliver, and the stored failure that it makes known, if the message failed a job.

    `tells` is for the claim that the failed job is a part of: it goes on without that part.
    """

    letter: DeadLetter
    settles: tuple[str, int] | None = None
    tells: Send | None = None


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
        if job_id is None or not _is_job_id(job_id, message) or reason.reason == "job_id_taken":
            return nobodys
        attempt = await self._attempt(message, job_id, reason.attempt)
        if attempt is None:
            return nobodys
        reason = replace(reason, attempt=attempt)
        failed = pack(dead_letter(message, reason))
        stored = await self._ledger.decide(Outcome(job_id, reason.attempt, JobState.FAILED, failed, self._clock()))
        return say(stored) if stored.state is JobState.COMPLETED else burial(stored)

    async def _attempt(self, message: Message, job_id: str, stated: int) -> int | None:
        """The attempt that a message failed; None when it fails nobody."""
        if message.topic == topics.CLAIMS.name:
            return await self._attempt_of_submission(message, job_id)
        if message.topic == topics.AGGREGATION.name:
            return await self._attempt_of_parent(message, job_id)
        return stated

    async def _attempt_of_submission(self, message: Message, job_id: str) -> int | None:
        """The attempt that a raw submission failed, opening its job if it is the first to name it.

        A submission carries no attempt of its own: the ledger knows how often it was replayed. None when the job
        belongs to another submission.
        """
        record = _record(message, job_id, self._clock())
        stored = await self._ledger.open_job(record)
        return stored.attempt if stored.fingerprint == record.fingerprint else None

    async def _attempt_of_parent(self, message: Message, job_id: str) -> int | None:
        """The attempt of a decomposed job that could not be aggregated.

        None when the message is not the end of a part of a decomposed job: it fails nobody, and should a real end be
        lost by it, the sweep closes the job in time.
        """
        try:
            decode(topics.AGGREGATION, message.key, message.value)
        except BadMessage:
            return None
        stored = await self._ledger.job(job_id) if await self._ledger.parent(job_id) is not None else None
        return stored.attempt if stored is not None else None


def burial(failed: Outcome) -> Burial:
    """How a stored failure is made known: its dead letter, and word to its parent if it is a sub-job's."""
    letter = unpack(failed.payload)
    reason = error_headers(letter.headers)
    why = f"{reason.get('reason', 'unknown')} in {reason.get('stage', 'unknown')}: {reason.get('message', '')}"[:500]
    tells = say(failed, failed=why) if parent_of(failed.job_id) is not None else None
    return Burial(letter, (failed.job_id, failed.attempt), tells)


def _record(message: Message, job_id: str, now: datetime) -> JobRecord:
    """The job that a submission stands for: by what it says where it can be read, else by its bytes."""
    try:
        submission = decode(topics.CLAIMS, message.key, message.value)
    except BadMessage:
        return JobRecord(job_id, "raw:" + hashlib.sha256(message.value or b"").hexdigest(), b"", now)
    assert isinstance(submission, Submission)
    return replace(job_record(submission, now, timedelta()), deadline=None)


def _is_job_id(text: str, message: Message) -> bool:
    """Whether a message of this topic may speak for the job: no submission speaks for a sub-job."""
    kind = _SENDERS_JOB_ID if message.topic == topics.CLAIMS.name else _JOB_ID
    try:
        kind.validate_python(text)
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
