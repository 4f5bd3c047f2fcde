"""(b) 500 claims, two workers, and every few seconds one of them dies by kill -9 and is started again."""

import asyncio
import os
import random
import re
from functools import partial

import pytest

from tests.faults.conftest import Stage
from tests.support.processes import Process, script
from tests.support.town import claims
from tests.support.wire import Outputs, Read

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(420)]

CLAIMS = 500
KILLS = 7
SEED = 20260301
ROUNDS = int(os.environ.get("VERISTREAM_SOAK_ROUNDS", "1"))
"""One in CI; `make soak` takes more, each with another seed."""


@pytest.mark.parametrize("seed", range(SEED, SEED + ROUNDS))
async def test_every_claim_ends_once_although_workers_are_killed_all_the_time(stage: Stage, seed: int) -> None:
    web = stage.start(script("tests.support.town", {}, stage.folder / "web.log"))
    found = re.search(r"serving (\S+) now", web.wait_for_text(" now", 60))
    assert found is not None
    stage.more["VERISTREAM_SAMPLE_WEB_URL"] = found[1]
    await stage.create_topics()
    workers = [stage.worker(), stage.worker()]
    await stage.submit(claims(CLAIMS, "nine"))
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until_keys(stage.topic("verdicts"), {"nine-0000"}, 120)
        await _kill_again_and_again(stage, workers, verdicts, random.Random(seed))
        await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 240)
    await stage.until_committed()
    web.kill()
    assert stage.stop_workers() == [0, 0]
    code, line = stage.judge()
    assert line.startswith(f"ALL RECORDS DELIVERED: {CLAIMS} accepted, {CLAIMS} verdicts, 0 dead letters")
    assert code == 0


async def _kill_again_and_again(stage: Stage, workers: list[Process], verdicts: Outputs, draw: random.Random) -> None:
    """Each victim dies while work is going on: after a random time in which verdicts were landing."""
    for _ in range(KILLS):
        await asyncio.sleep(draw.uniform(2, 6))
        victim = draw.randrange(len(workers))
        workers[victim].kill()
        workers[victim] = stage.worker()
        more = min(len(verdicts.records) + 1, CLAIMS)
        await verdicts.until(partial(_at_least, more), 120, "work to go on")


def _at_least(count: int, records: list[Read]) -> bool:
    return len(records) >= count
