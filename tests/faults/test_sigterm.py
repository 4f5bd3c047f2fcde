"""(e) SIGTERM under load: the worker finishes what it has in hand, says goodbye, and nothing is lost."""

import asyncio

import pytest

from tests.faults.conftest import Stage
from tests.support.town import claims

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]

PROMISED_SECONDS = 30.0


async def test_a_worker_told_to_stop_under_load_ends_well_and_in_time_and_nothing_is_lost(stage: Stage) -> None:
    await stage.create_topics()
    worker = stage.worker()
    await stage.submit(claims(200, "term"))
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until(lambda records: len(records) >= 20, 120, "work to be under way")
        assert await asyncio.to_thread(worker.terminate, PROMISED_SECONDS) == 0
        await verdicts.to_the_end()
        assert len(verdicts.records) < 200, "the worker had finished before it was told to stop"
        stage.worker()
        await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 120)
    await stage.until_committed()
    assert stage.stop_workers() == [0]
    code, line = stage.judge()
    # A clean stop commits what it finished, so nothing is done twice either.
    assert line == "ALL RECORDS DELIVERED: 200 accepted, 200 verdicts, 0 dead letters, 0 repeated on the wire"
    assert code == 0
