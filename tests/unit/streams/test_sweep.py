"""What was decided is said, even when the one who decided it died before saying it."""

from datetime import timedelta

import pytest

from agents.errors import Permanent
from storage.ports import JobState, Outcome
from streams import topics
from streams.delivery.dead_letters import error_headers
from streams.delivery.producer import BrokerDown, Undeliverable
from streams.sweep import Sweep
from tests.support.delivery import NOON, Bench, FailingLedger, RecordingProducer, Script, claim_job, job_message


class Killed(BaseException):
    """Stands for kill -9: nothing after it runs."""


class DiesOnSend(RecordingProducer):
    """A worker that stores an outcome and dies before the broker has it."""

    async def send(self, *_: object, **__: object) -> None:
        raise Killed


async def decided(ledger: FailingLedger, job_id: str, *, minutes_ago: int = 5) -> Outcome:
    at = NOON - timedelta(minutes=minutes_ago)
    return await ledger.decide(Outcome(job_id, 1, JobState.COMPLETED, f'{{"job_id":"{job_id}"}}'.encode(), at))


async def test_a_verdict_stored_and_never_emitted_is_said_again_byte_for_byte(ledger: FailingLedger) -> None:
    stored = await decided(ledger, "job-1")
    producer = RecordingProducer()
    sweep = Sweep(ledger, producer, lambda: NOON)
    assert await sweep.once() == 1
    assert [(record.topic, record.key, record.value) for record in producer.records] == [
        ("verdicts", b"job-1", stored.payload)
    ]
    assert await sweep.once() == 0


async def test_a_crash_between_storing_and_emitting_a_dead_letter_is_made_good(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(Permanent("never")), producer=DiesOnSend())
    with pytest.raises(Killed):
        await bench.step.process(job_message(claim_job()))
    producer = RecordingProducer()
    late = NOON + timedelta(minutes=5)
    assert await Sweep(ledger, producer, lambda: late).once() == 1
    (letter,) = producer.on(topics.DEAD_LETTERS)
    assert letter.value == claim_job().model_dump_json().encode()
    assert error_headers(letter.headers)["message"] == "never"


async def test_the_event_that_comes_again_after_such_a_crash_repeats_the_same_letter(ledger: FailingLedger) -> None:
    dying = Bench(ledger, Script(Permanent("never")), producer=DiesOnSend())
    with pytest.raises(Killed):
        await dying.step.process(job_message(claim_job()))
    producer = RecordingProducer()
    await Sweep(ledger, producer, lambda: NOON + timedelta(minutes=5)).once()
    again = Bench(ledger, Script(Permanent("another reason")))
    await again.step.process(job_message(claim_job()))
    assert again.producer.on(topics.DEAD_LETTERS) == producer.on(topics.DEAD_LETTERS)


async def test_a_fresh_outcome_is_left_to_whoever_decided_it(ledger: FailingLedger) -> None:
    await decided(ledger, "job-1", minutes_ago=0)
    assert await Sweep(ledger, RecordingProducer(), lambda: NOON).once() == 0


async def test_an_outcome_that_the_broker_did_not_take_stays_to_be_said(ledger: FailingLedger) -> None:
    await decided(ledger, "job-1")
    producer = RecordingProducer()
    producer.fail("verdicts", BrokerDown("away"))
    sweep = Sweep(ledger, producer, lambda: NOON)
    with pytest.raises(BrokerDown):
        await sweep.once()
    assert await sweep.once() == 1


async def test_one_that_can_never_be_sent_does_not_keep_the_others_back(ledger: FailingLedger) -> None:
    await decided(ledger, "job-1", minutes_ago=9)
    await decided(ledger, "job-2")
    producer = RecordingProducer()
    producer.fail("verdicts", Undeliverable("too large"))
    assert await Sweep(ledger, producer, lambda: NOON).once() == 1
    assert [record.key for record in producer.records] == [b"job-2"]
