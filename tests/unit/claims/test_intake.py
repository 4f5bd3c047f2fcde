"""Intake: a submission becomes a job, once."""

from datetime import UTC, datetime

import pytest

from agents.claims.intake import JobIdTaken, handle
from agents.claims.job import ClaimJob
from agents.claims.submission import Submission
from agents.services import Services
from storage.ports import JobState, Outcome

CLAIM = Submission(job_id="job-1", claim="Kelderwick General Hospital has 312 beds.")
NOW = datetime(2026, 3, 1, tzinfo=UTC)


async def test_a_new_claim_goes_to_retrieval_and_is_open_in_the_ledger(services: Services) -> None:
    result = await handle(CLAIM, services)
    (send,) = result.sends
    assert send.to == "retrieval"
    assert isinstance(send.value, ClaimJob)
    assert (send.key, send.value.claim, send.value.attempt) == ("job-1", CLAIM.claim, 1)
    record = await services.ledger.job("job-1")
    assert record is not None
    assert record.state is JobState.OPEN


async def test_the_same_submission_again_is_sent_on_again_while_it_is_open(services: Services) -> None:
    first, second = await handle(CLAIM, services), await handle(CLAIM, services)
    assert second.sends[0].value.accepted_at == first.sends[0].value.accepted_at


async def test_another_claim_under_the_same_id_is_refused_and_the_first_is_untouched(services: Services) -> None:
    await handle(CLAIM, services)
    with pytest.raises(JobIdTaken, match="belongs to another submission"):
        await handle(Submission(job_id="job-1", claim="Something else."), services)
    record = await services.ledger.job("job-1")
    assert record is not None
    assert record.fingerprint == CLAIM.fingerprint()


async def test_a_decided_job_has_its_stored_verdict_said_again(services: Services) -> None:
    await handle(CLAIM, services)
    await services.ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b'{"the": "package"}', NOW))
    (send,) = (await handle(CLAIM, services)).sends
    assert (send.to, send.value, send.settles) == ("verdicts", b'{"the": "package"}', ("job-1", 1))


async def test_a_failed_job_is_not_started_again_by_its_submission(services: Services) -> None:
    await handle(CLAIM, services)
    await services.ledger.decide(Outcome("job-1", 1, JobState.FAILED, b"letter", NOW))
    result = await handle(CLAIM, services)
    assert result.sends == ()
    assert [note.event for note in result.notes] == ["failed_before"]


async def test_a_replayed_job_runs_as_its_next_attempt(services: Services) -> None:
    await handle(CLAIM, services)
    await services.ledger.decide(Outcome("job-1", 1, JobState.FAILED, b"letter", NOW))
    await services.ledger.next_attempt("job-1")
    (send,) = (await handle(CLAIM, services)).sends
    assert send.value.attempt == 2
