"""Sub-jobs on their way: what is lost is told to the claim they are parts of, and no claim waits for ever."""

from datetime import timedelta

from agents.claims.job import ClaimJob, SubEnd
from agents.claims.package import VerdictPackage
from agents.claims.parts.aggregation import handle as aggregate
from agents.errors import Permanent
from storage.ports import JobState
from streams import topics
from streams.cli.dead_letters import Buried, _resend
from streams.delivery.dead_letters import error_headers
from streams.settings import Settings
from streams.sweep import Sweep
from tests.support.delivery import (
    Bench,
    FailingLedger,
    RecordingProducer,
    Script,
    job_message,
    message,
)
from tests.support.parts import decomposed, end, later, services_over

LATER = timedelta(minutes=5)


def told(producer: RecordingProducer) -> list[SubEnd]:
    return [SubEnd.model_validate_json(record.value or b"") for record in producer.on(topics.AGGREGATION)]


async def buried(part: ClaimJob, ledger: FailingLedger) -> Bench:
    bench = Bench(ledger, Script(Permanent("the page is a trap")))
    await bench.step.process(job_message(part))
    return bench


async def test_a_dead_letter_of_a_part_is_told_to_its_claim_before_it_counts_as_said(ledger: FailingLedger) -> None:
    first, second = await decomposed(services_over(ledger), "job", 2)
    bench = await buried(first, ledger)
    (letter,) = bench.producer.on(topics.DEAD_LETTERS)
    assert error_headers(letter.headers)["job_id"] == "job~1"
    (known,) = told(bench.producer)
    assert (known.job_id, known.sub_job_id) == ("job", "job~1")
    assert "permanent in retrieval: the page is a trap" in known.failed
    services = services_over(ledger)
    await aggregate(known, services)
    (verdict,) = (await aggregate(await end(second, services), services)).sends
    package = VerdictPackage.model_validate_json(verdict.value)
    assert [sub.missing for sub in package.sub_results] == ["dead_letter", None]
    assert "the page is a trap" in package.sub_results[0].reasoning


async def test_a_worker_that_died_before_telling_is_made_good_by_the_sweep(ledger: FailingLedger) -> None:
    services = services_over(ledger)
    first, second = await decomposed(services, "job", 2)
    await buried(first, ledger)
    await end(second, services)
    await ledger._db.write(lambda db: db.execute("UPDATE outcomes SET emitted = 0"))
    producer = RecordingProducer()
    assert await Sweep(ledger, producer, later(services, timedelta(minutes=1)).clock).once() == 2
    assert sorted(one.sub_job_id or "" for one in told(producer)) == ["job~1", "job~2"]
    assert len(producer.on(topics.DEAD_LETTERS)) == 1
    assert producer.on(topics.VERDICTS) == []


async def test_a_claim_past_its_deadline_is_closed_once(ledger: FailingLedger) -> None:
    services = services_over(ledger)
    await decomposed(services, "job", 3)
    producer = RecordingProducer()
    sweep = Sweep(ledger, producer, later(services, LATER).clock)
    await sweep.once()
    assert told(producer) == [SubEnd(job_id="job")]
    (verdict,) = (await aggregate(told(producer)[0], later(services, LATER))).sends
    assert [sub.missing for sub in VerdictPackage.model_validate_json(verdict.value).sub_results] == ["deadline"] * 3
    await sweep.once()
    await sweep.once()
    assert len(told(producer)) == 1


async def test_a_claim_whose_closing_was_lost_is_closed_again_but_not_one_that_is_being_decided(
    ledger: FailingLedger,
) -> None:
    services = services_over(ledger)
    await decomposed(services, "job", 2)
    producer = RecordingProducer()
    assert await ledger.close_overdue(later(services, LATER).clock()) == ["job"]
    sweep = Sweep(ledger, producer, later(services, LATER).clock)
    await sweep.once()
    assert told(producer) == []
    await sweep.once()
    assert told(producer) == [SubEnd(job_id="job")]


async def test_poison_on_the_way_to_the_join_fails_nobody(ledger: FailingLedger) -> None:
    await decomposed(services_over(ledger), "job", 2)
    bench = Bench(ledger, Script(Permanent("never")), reads=topics.AGGREGATION)
    await bench.step.process(message(topics.AGGREGATION, b'{"job_id": "job", "part": 1}', key=b"job"))
    await bench.step.process(message(topics.AGGREGATION, b'{"job_id": "stranger"}', key=b"stranger"))
    assert len(bench.producer.on(topics.DEAD_LETTERS)) == 2
    record = await ledger.job("job")
    assert record is not None
    assert record.state is JobState.OPEN
    assert await ledger.job("stranger") is None


async def test_a_claim_that_cannot_be_aggregated_fails_with_its_dead_letter(ledger: FailingLedger) -> None:
    await decomposed(services_over(ledger), "job", 2)
    bench = Bench(ledger, Script(Permanent("never")), reads=topics.AGGREGATION)
    value = SubEnd(job_id="job", sub_job_id="job~1").model_dump_json().encode()
    await bench.step.process(message(topics.AGGREGATION, value, key=b"job"))
    record = await ledger.job("job")
    assert record is not None
    assert record.state is JobState.FAILED
    assert error_headers(bench.producer.on(topics.DEAD_LETTERS)[0].headers)["job_id"] == "job"


async def test_no_submission_speaks_for_a_part(ledger: FailingLedger) -> None:
    bench = Bench(ledger, Script(Permanent("never")), reads=topics.CLAIMS)
    await bench.step.process(message(topics.CLAIMS, b'{"job_id": "job~1", "claim": "x"}', key=b"job~1"))
    assert error_headers(bench.producer.on(topics.DEAD_LETTERS)[0].headers)["reason"] == "invalid"
    assert await ledger.job("job~1") is None


async def test_a_part_is_not_replayed_because_its_claim_has_gone_on(ledger: FailingLedger) -> None:
    first, _ = await decomposed(services_over(ledger), "job", 2)
    (record,) = (await buried(first, ledger)).producer.on(topics.DEAD_LETTERS)
    letter = Buried("0:1", record.key, record.value, record.headers)
    left = await _resend(Settings(), ledger, None, letter)
    assert left == "0:1: job~1 is a part of job; submit that claim again instead"
