"""(c) The broker goes away for half a minute. (d) It is not there yet. Nobody restarts a worker by hand."""

import asyncio

import pytest

from tests.faults.conftest import Stage
from tests.support.processes import call
from tests.support.town import claims

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(300)]

OUTAGE_SECONDS = 30.0


async def test_a_broker_that_was_away_for_half_a_minute_is_found_again_and_nothing_is_lost(stage: Stage) -> None:
    await stage.create_topics()
    workers = [stage.worker(), stage.worker()]
    await stage.submit(claims(150, "before"))
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until(lambda records: len(records) >= 10, 120, "work to be under way")
    await asyncio.to_thread(stage.kafka.stop)
    await asyncio.sleep(OUTAGE_SECONDS)  # the outage itself, as long as the promise says
    await asyncio.to_thread(stage.kafka.start)
    await stage.submit(claims(50, "after"))
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 180)
    await stage.until_committed()
    assert [worker.alive for worker in workers] == [True, True]
    assert stage.stop_workers() == [0, 0]
    code, line = stage.judge()
    assert line.startswith("ALL RECORDS DELIVERED: 200 accepted, 200 verdicts, 0 dead letters")
    assert code == 0


async def test_a_worker_that_starts_before_its_broker_and_its_topics_waits_for_both(stage: Stage) -> None:
    await asyncio.to_thread(stage.kafka.stop)
    worker = stage.worker()
    await asyncio.to_thread(worker.wait_for_text, "no Kafka broker answers", 90)
    await asyncio.to_thread(stage.kafka.start)
    await asyncio.to_thread(worker.wait_for_text, "topics are missing", 90)
    created = await asyncio.to_thread(call, ["topics", "create"], stage.environment)
    assert created.returncode == 0, created.stderr
    await stage.submit(claims(20, "early"))
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 120)
    assert stage.stop_workers() == [0]
    code, line = stage.judge()
    assert line.startswith("ALL RECORDS DELIVERED: 20 accepted, 20 verdicts, 0 dead letters")
    assert code == 0
