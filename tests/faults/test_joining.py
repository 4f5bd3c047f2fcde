"""A place in the group: a worker takes over from one that was killed, and none joins where nothing is left to do."""

import asyncio

import pytest

from tests.faults.conftest import Stage
from tests.support.processes import veristream
from tests.support.town import claims

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]


async def test_a_killed_workers_place_is_waited_for_and_one_worker_too_many_is_refused(stage: Stage) -> None:
    stage.more["VERISTREAM_TOPIC_PARTITIONS"] = "1"
    await stage.create_topics(partitions=1)
    first = stage.worker()
    await stage.submit(claims(3, "first"))
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 90)
        first.kill()
        second = stage.worker()  # the dead one is still a member of the group, and the only place is taken
        await stage.submit(claims(3, "second"))
        await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 120)

    third = veristream(["worker"], stage.environment, stage.folder / "third.log").start()
    assert await asyncio.to_thread(third.wait, 90) == 1
    assert "1 workers run already and the topics have 1 partitions; add partitions first" in third.text()
    some = veristream(["worker", "--stages", "retrieval"], stage.environment, stage.folder / "some.log").start()
    assert await asyncio.to_thread(some.wait, 90) == 1
    assert "run either whole workers or `--stages`, not both" in some.text()

    assert second.alive
    assert stage.stop_workers() == [0]
    code, line = stage.judge()
    assert line.startswith("ALL RECORDS DELIVERED: 6 accepted, 6 verdicts, 0 dead letters")
    assert code == 0
