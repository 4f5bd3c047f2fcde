"""Each numbered step of `Step.process`, and what happens when it fails."""

import asyncio
import json

import pytest

from agents.errors import DependencyDown, Permanent, Transient
from agents.results import Note, Send, StepResult
from storage.errors import StoreFull, StoreMismatch, StoreRefused, StoreUnavailable
from storage.ports import JobRecord, JobState, Outcome
from streams import topics
from streams.delivery.dead_letters import error_headers
from streams.delivery.producer import BrokerDown, Undeliverable
from streams.delivery.retry import RetryPolicy
from tests.support.delivery import (
    NOON,
    Bench,
    FailingLedger,
    Record,
    Script,
    claim_job,
    claim_message,
    job_message,
    message,
    onward,
    submission,
)

JOB = claim_job()
LATER = NOON.replace(year=2027)


def reason(record: Record) -> dict[str, str]:
    return dict(error_headers(record.headers))


def _record(job_id: str, fingerprint: str = "theirs") -> JobRecord:
    return JobRecord(job_id, fingerprint, b"{}", NOON)


async def test_every_output_is_delivered_before_the_event_may_be_acknowledged(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(onward(JOB)))
    await bench.step.process(job_message(JOB))
    assert [record.topic for record in bench.producer.records] == ["ranking", "progress"]
    assert bench.producer.on(topics.RANKING)[0].key == b"job-1"
    told = json.loads(bench.producer.on(topics.PROGRESS)[0].value or b"")
    assert (told["id"], told["event"], told["at"]) == (
        "job-1/1/0/retrieval/retrieved",
        "retrieved",
        "2026-03-01T12:00:00Z",
    )


async def test_what_happens_twice_in_one_step_is_told_twice_under_ids_of_its_own(ledger: FailingLedger) -> None:
    batches = tuple(Note("extract_batch_started", {"batch_size": size}) for size in (5, 2))
    bench = Bench(ledger, Script(StepResult((), batches)))
    await bench.step.process(job_message(JOB))
    told = [json.loads(record.value or b"") for record in bench.producer.on(topics.PROGRESS)]
    assert [(event["id"], event["detail"]["batch_size"]) for event in told] == [
        ("job-1/1/0/retrieval/extract_batch_started", 5),
        ("job-1/1/0/retrieval/extract_batch_started/2", 2),
    ]


# Step 1: decode


async def test_step_1_what_does_not_decode_is_a_dead_letter_with_its_raw_bytes(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(onward(JOB)))
    await bench.step.process(message(topics.RETRIEVAL, b"\xff{not json", key=b"k"))
    (letter,) = bench.producer.records
    assert (letter.topic, letter.key, letter.value) == ("dead-letters", b"k", b"\xff{not json")
    assert reason(letter) == {
        "reason": "not_json",
        "exception": "BadMessage",
        "message": "the value is not UTF-8 JSON",
        "stage": "retrieval",
        "topic": "retrieval",
        "partition": "2",
        "offset": "7",
        "attempt": "1",
        "job_id": "",
    }
    assert bench.handle.calls == 0


async def test_step_1_a_bad_submission_fails_the_job_it_names(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(onward(JOB)), reads=topics.CLAIMS)
    await bench.step.process(message(topics.CLAIMS, b'{"job_id": "job-1", "claim": ""}'))
    outcome = await ledger.outcome("job-1")
    assert outcome is not None
    assert outcome.state is JobState.FAILED
    assert await ledger.unemitted(LATER) == []
    (told,) = bench.producer.on(topics.PROGRESS)
    assert json.loads(told.value or b"")["event"] == "failed"


@pytest.mark.parametrize("job_id", ["\\ud800", "", "a b", "x" * 129, "../etc"])
async def test_step_1_an_impossible_job_id_is_buried_and_told_to_nobody(ledger: FailingLedger, job_id: str) -> None:
    bench = Bench(ledger, Script(onward(JOB)), reads=topics.CLAIMS)
    raw = f'{{"job_id": "{job_id}", "claim": "x"}}'.encode()
    await bench.step.process(message(topics.CLAIMS, raw, key=None))
    assert [record.topic for record in bench.producer.records] == ["dead-letters"]
    assert bench.producer.records[0].value == raw


async def test_step_1_a_bad_message_under_anothers_id_fails_nobody(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(onward(JOB)), reads=topics.CLAIMS)
    theirs = await ledger.open_job(_record("job-1"))
    await bench.step.process(message(topics.CLAIMS, b'{"job_id": "job-1", "claim": 5}'))
    (letter,) = bench.producer.records
    assert (letter.topic, reason(letter)["job_id"]) == ("dead-letters", "")
    assert await ledger.job("job-1") == theirs


# Step 2: handle


async def test_step_2_transient_failures_are_tried_again_with_growing_waits(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(Transient("slow"), TimeoutError(), ConnectionResetError(), onward(JOB)))
    await bench.step.process(job_message(JOB))
    assert bench.handle.calls == 4
    assert [0.1 * 2**n <= wait <= 0.2 * 2**n for n, wait in enumerate(bench.time.slept)] == [True, True, True]
    assert bench.producer.on(topics.DEAD_LETTERS) == []
    assert len(bench.producer.on(topics.RANKING)) == 1


async def test_step_2_retry_after_is_honoured_up_to_its_bound(ledger: FailingLedger) -> None:
    script = Script(Transient("429", retry_after=17.5), Transient("429", retry_after=900), onward(JOB))
    bench = Bench(ledger, script, retry=RetryPolicy(longest_asked=60.0))
    await bench.step.process(job_message(JOB))
    assert bench.time.slept == [17.5, 60.0]


async def test_step_2_retries_end_as_a_dead_letter(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(Transient("still slow")), retry=RetryPolicy(limit=2))
    await bench.step.process(job_message(JOB))
    assert bench.handle.calls == 3
    (letter,) = bench.producer.on(topics.DEAD_LETTERS)
    assert reason(letter)["reason"] == "retries_exhausted"
    assert reason(letter)["message"] == "still slow"
    assert letter.value == JOB.model_dump_json().encode()


async def test_step_2_retries_are_bounded_in_time_too(ledger: FailingLedger) -> None:
    asked = Transient("busy", retry_after=40)
    bench = Bench(ledger, Script(asked), retry=RetryPolicy(limit=20, within=90))
    await bench.step.process(job_message(JOB))
    assert bench.time.slept == [40, 40]
    assert reason(bench.producer.on(topics.DEAD_LETTERS)[0])["reason"] == "retries_exhausted"


async def test_step_2_a_handler_that_never_answers_is_timed_out(ledger: FailingLedger) -> None:
    class Hangs(Script):
        async def __call__(self, model: object, services: object = None) -> StepResult:
            self.calls += 1
            await asyncio.Event().wait()
            return onward(JOB)

    bench = Bench(ledger, Hangs(onward(JOB)), timeout=0.01, retry=RetryPolicy(limit=1))
    await bench.step.process(job_message(JOB))
    assert bench.handle.calls == 2
    assert reason(bench.producer.on(topics.DEAD_LETTERS)[0])["exception"] == "TimeoutError"


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (Permanent("never"), "permanent"),
        (StoreRefused("too long a name"), "permanent"),
        (ZeroDivisionError("a bug"), "unexpected"),
    ],
)
async def test_step_2_permanent_failures_are_dead_letters_at_once(
    ledger: FailingLedger, error: Exception, expected: str
) -> None:
    bench = Bench(ledger, Script(error))
    await bench.step.process(job_message(JOB))
    assert bench.handle.calls == 1
    assert bench.time.slept == []
    assert reason(bench.producer.on(topics.DEAD_LETTERS)[0])["reason"] == expected
    outcome = await ledger.outcome("job-1")
    assert outcome is not None
    assert outcome.state is JobState.FAILED


@pytest.mark.parametrize(
    "outage", [DependencyDown("weaviate"), StoreUnavailable("locked"), StoreFull("disk"), StoreMismatch("embedder")]
)
async def test_step_2_while_a_dependency_is_down_the_stage_pauses_and_the_event_waits(
    ledger: FailingLedger, outage: Exception
) -> None:
    bench = Bench(ledger, Script(*[outage] * 30, onward(JOB)), retry=RetryPolicy(limit=2))
    shut: list[str] = []

    async def look() -> None:
        shut.append(bench.gate.reason)

    bench.time.look = look
    await bench.step.process(job_message(JOB))
    assert shut == [str(outage)] * 30
    assert bench.gate.is_open
    assert bench.producer.on(topics.DEAD_LETTERS) == []
    assert len(bench.producer.on(topics.RANKING)) == 1


async def test_step_2_an_outage_is_not_charged_to_the_retries_of_the_event(ledger: FailingLedger) -> None:
    plays: list[Exception | StepResult] = [
        Transient("slow"),
        *[DependencyDown("neo4j")] * 100,
        Transient("slow"),
        onward(JOB),
    ]
    bench = Bench(ledger, Script(*plays), retry=RetryPolicy(limit=2, within=10))
    await bench.step.process(job_message(JOB))
    assert bench.producer.on(topics.DEAD_LETTERS) == []


async def test_step_2_an_intake_failure_closes_the_job_of_its_submission(ledger: FailingLedger) -> None:
    claim = submission()
    bench = Bench(ledger, Script(Permanent("refused")), reads=topics.CLAIMS)
    await ledger.open_job(_record("job-1", claim.fingerprint()))
    await bench.step.process(claim_message(claim))
    job = await ledger.job("job-1")
    assert job is not None
    assert job.state is JobState.FAILED
    assert (await ledger.open_load()).jobs == 0


async def test_step_2_a_replayed_submission_fails_its_own_attempt(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(onward(JOB)), reads=topics.CLAIMS)
    poison = message(topics.CLAIMS, b'{"job_id": "job-1", "claim": ""}')
    await bench.step.process(poison)
    assert await ledger.next_attempt("job-1") == 2
    await bench.step.process(poison)
    job = await ledger.job("job-1")
    assert job is not None
    assert (job.state, job.attempt) == (JobState.FAILED, 2)
    attempts = [reason(letter)["attempt"] for letter in bench.producer.on(topics.DEAD_LETTERS)]
    assert attempts == ["1", "2"]


# Step 3: deliver


async def test_step_3_while_the_broker_is_down_the_sends_wait_and_are_repeated_whole(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(onward(JOB)))
    bench.producer.fail("progress", BrokerDown("no leader"), BrokerDown("no leader"))
    await bench.step.process(job_message(JOB))
    assert bench.handle.calls == 1
    assert len(bench.time.slept) == 2
    assert len(bench.producer.on(topics.PROGRESS)) == 1
    values = {record.value for record in bench.producer.on(topics.RANKING)}
    assert len(values) == 1
    assert bench.gate.is_open


async def test_step_3_an_output_that_can_never_be_delivered_is_a_dead_letter_of_its_input(
    ledger: FailingLedger,
) -> None:
    bench = Bench(ledger, Script(onward(JOB)))
    bench.producer.fail("ranking", Undeliverable("too large"))
    await bench.step.process(job_message(JOB))
    (letter,) = bench.producer.on(topics.DEAD_LETTERS)
    assert letter.value == JOB.model_dump_json().encode()
    assert reason(letter)["message"] == "too large"


async def test_step_3_a_stored_verdict_is_marked_only_once_the_broker_has_it(ledger: FailingLedger) -> None:
    stored = await ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b"{}", NOON))
    said = StepResult((Send("verdicts", "job-1", stored.payload, settles=("job-1", 1)),))
    bench = Bench(ledger, Script(said))
    unmarked: list[int] = []

    async def look() -> None:
        unmarked.append(len(await ledger.unemitted(LATER)))

    bench.time.look = look
    bench.producer.fail("verdicts", BrokerDown("away"))
    await bench.step.process(job_message(JOB))
    assert unmarked == [1]
    assert await ledger.unemitted(LATER) == []


async def test_step_3_a_ledger_that_cannot_be_marked_is_waited_for(ledger: FailingLedger) -> None:
    said = StepResult((Send("verdicts", "job-1", b"{}", settles=("job-1", 1)),))
    bench = Bench(ledger, Script(said))
    ledger.mark_failures.append(StoreUnavailable("locked"))
    await bench.step.process(job_message(JOB))
    assert {record.value for record in bench.producer.on(topics.VERDICTS)} == {b"{}"}


# Step 4: what may be acknowledged


async def test_step_4_a_dead_letter_that_cannot_be_delivered_leaves_the_event_unacknowledged(
    ledger: FailingLedger,
) -> None:
    bench = Bench(ledger, Script(Permanent("never")))
    bench.producer.fail("dead-letters", Undeliverable("even this is too large"))
    with pytest.raises(Undeliverable):
        await bench.step.process(job_message(JOB))


async def test_step_4_a_dead_letter_waits_for_the_broker(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(Permanent("never")))
    bench.producer.fail("dead-letters", *[BrokerDown("away")] * 5)
    await bench.step.process(job_message(JOB))
    assert len(bench.producer.on(topics.DEAD_LETTERS)) == 1


async def test_step_4_a_dead_letter_waits_for_the_ledger(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(Permanent("never")))
    ledger.failures.extend([StoreUnavailable("locked"), StoreFull("disk")])
    await bench.step.process(job_message(JOB))
    assert len(bench.producer.on(topics.DEAD_LETTERS)) == 1


async def test_step_4_an_event_that_failed_twice_repeats_its_first_dead_letter_byte_for_byte(
    ledger: FailingLedger,
) -> None:
    bench = Bench(ledger, Script(Permanent("first reason"), Permanent("another reason")))
    await bench.step.process(job_message(JOB))
    await bench.step.process(job_message(JOB))
    first, second = bench.producer.on(topics.DEAD_LETTERS)
    assert first == second


async def test_step_4_a_job_that_another_copy_decided_is_answered_with_that_verdict(ledger: FailingLedger) -> None:
    await ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b'{"kept": true}', NOON))
    bench = Bench(ledger, Script(Permanent("never")))
    await bench.step.process(job_message(JOB))
    assert [(record.topic, record.value) for record in bench.producer.records] == [("verdicts", b'{"kept": true}')]
