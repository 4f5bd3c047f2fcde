"""Intake: a valid submission becomes a job, once."""

from datetime import datetime, timedelta

from agents.claims.costs import timed
from agents.claims.decided import say_again, settle
from agents.claims.job import ClaimJob
from agents.claims.matching.earlier import answered
from agents.claims.submission import Submission
from agents.errors import Permanent
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import JobRecord, JobState


class JobIdTaken(Permanent):
    """Another submission has this id; it is not touched."""

    reason = "job_id_taken"


def job_record(submission: Submission, now: datetime, deadline: timedelta) -> JobRecord:
    """What the ledger keeps of an accepted submission: enough to publish it again."""
    return JobRecord(
        job_id=submission.job_id,
        fingerprint=submission.fingerprint(),
        submission=submission.model_dump_json(exclude_none=True).encode(),
        opened_at=now,
        room_id=submission.room_id or "",
        workspace_id=submission.workspace_id or "",
        deadline=now + deadline,
    )


@timed("intake")
async def handle(submission: Submission, services: Services) -> StepResult:
    """Open the job (the gateway may have done so already) and send it on; or answer it, if the answer is known."""
    deadline = services.budget.deadline
    record = await services.ledger.open_job(job_record(submission, services.clock(), deadline))
    if record.fingerprint != submission.fingerprint():
        raise JobIdTaken(f"job_id {submission.job_id!r} belongs to another submission; choose a new one")
    if record.state is JobState.COMPLETED:
        return await say_again(submission.job_id, services)
    if record.state is JobState.FAILED:
        return StepResult(notes=(Note("failed_before", {"attempt": record.attempt}),))
    accepted = Note("accepted", {"claim": submission.claim, "ignored_fields": submission.ignored_fields})
    repeated = await answered(submission, record.attempt, record.opened_at, services)
    if repeated is not None:
        said = await settle(repeated, submission, services)
        return StepResult(said.sends, (accepted, *said.notes))
    job = ClaimJob(
        job_id=submission.job_id,
        attempt=record.attempt,
        submission=submission,
        accepted_at=record.opened_at,
        deadline=services.clock() + deadline,
    )
    return StepResult((Send("retrieval", job.job_id, job),), (accepted,))
