"""Notes that are told while a step runs: on the wire before it ends, not told again at its end, never in its way."""

import asyncio
import json
from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from agents.errors import Permanent, Transient
from agents.results import Note, Notes, StepResult, Tell
from streams import topics
from streams.delivery.producer import BrokerDown
from streams.delivery.telling import MOST_EARLY
from tests.support.delivery import Bench, FailingLedger, claim_job, job_message

JOB = claim_job()
Try = Callable[[Notes], Any]


class Noting:
    """A handler whose tries are functions of the test's own; each may note things, wait, or fail."""

    def __init__(self, *tries: Try) -> None:
        self._tries = list(tries)

    async def __call__(self, model: BaseModel, tell: Tell) -> StepResult:
        notes = Notes(tell)
        await self._tries.pop(0)(notes)
        return StepResult((), tuple(notes.noted))


def bench_of(ledger: FailingLedger, *tries: Try) -> Bench:
    return Bench(ledger, Noting(*tries))  # type: ignore[arg-type]  # a handler in all but name


def told(bench: Bench) -> list[tuple[str, Any]]:
    events = [json.loads(record.value or b"") for record in bench.producer.on(topics.PROGRESS)]
    return [(event["id"].rpartition("retrieval/")[2], event["detail"].get("n")) for event in events]


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(10):
        while not is_so():
            await asyncio.sleep(0)


async def test_a_note_is_on_the_wire_while_the_step_runs_and_is_not_told_again(ledger: FailingLedger) -> None:
    async def work(notes: Notes) -> None:
        notes.add("begun", n=1)
        await until(lambda: told(bench) == [("begun", 1)])
        notes.add("begun", n=2)
        notes.add("ended")

    bench = bench_of(ledger, work)
    await bench.step.process(job_message(JOB))
    assert told(bench) == [("begun", 1), ("begun/2", 2), ("ended", None)]


async def test_what_the_broker_did_not_take_is_told_at_the_end(ledger: FailingLedger) -> None:
    async def work(notes: Notes) -> None:
        notes.add("begun")
        notes.add("ended")

    bench = bench_of(ledger, work)
    bench.producer.fail(topics.PROGRESS.name, BrokerDown("gone"))
    await bench.step.process(job_message(JOB))
    assert sorted(told(bench)) == [("begun", None), ("ended", None)]
    assert bench.time.slept == [], "nothing waited for it"


async def test_a_step_that_is_tried_again_tells_again_only_what_is_different_now(ledger: FailingLedger) -> None:
    async def first(notes: Notes) -> None:
        notes.add("begun", n=1)
        notes.add("begun", n=5)
        await until(lambda: len(told(bench)) == 2)
        raise Transient("once more")

    async def second(notes: Notes) -> None:
        notes.add("begun", n=1)
        notes.add("begun", n=6)

    bench = bench_of(ledger, first, second)
    await bench.step.process(job_message(JOB))
    assert told(bench) == [("begun", 1), ("begun/2", 5), ("begun/2", 6)]


async def test_a_step_that_is_given_up_leaves_nothing_under_way(ledger: FailingLedger) -> None:
    held = asyncio.Event()

    async def work(notes: Notes) -> None:
        notes.add("begun")
        raise Permanent("never")

    bench = bench_of(ledger, work)
    send = bench.producer.send

    async def slow(topic: str, *record: Any, **more: Any) -> None:
        if topic == topics.PROGRESS.name and not bench.producer.on(topics.DEAD_LETTERS):
            await held.wait()
        await send(topic, *record, **more)

    bench.producer.send = slow  # type: ignore[method-assign]  # that is what is tried
    await bench.step.process(job_message(JOB))
    assert told(bench) == [("failed", None)]
    assert len(asyncio.all_tasks()) == 1


async def test_a_step_with_very_many_notes_tells_the_last_ones_at_its_end(ledger: FailingLedger) -> None:
    count = MOST_EARLY + 3

    async def work(notes: Notes) -> None:
        for number in range(count):
            notes.add("page", n=number)
        await until(lambda: len(told(bench)) == MOST_EARLY)

    bench = bench_of(ledger, work)
    await bench.step.process(job_message(JOB))
    assert [n for _, n in told(bench)] == list(range(count))


def test_a_note_of_a_step_that_nobody_watches_is_kept_for_its_result() -> None:
    heard: list[Note] = []
    notes = Notes(heard.append)
    notes.add("begun", n=1)
    assert notes.noted == heard == [Note("begun", {"n": 1})]
