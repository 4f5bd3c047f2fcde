"""(a) The first event is held while later ones finish, then kill -9: nothing past it may have been committed."""

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from tests.faults.conftest import Stage, claim_bytes
from tests.faults.verifier import Scene, judge
from tests.support.processes import Process, script
from tests.support.wire import Outputs, Raw, committed, publish

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]

HELD = "held-0"
OTHERS = [f"held-{number}" for number in range(1, 20)]
GROUPS = {"held_worker": "veristream.intake", "stock_worker": "stock"}


def worker(stage: Stage, module: str, run: int) -> Process:
    more = {
        "HOLD_JOB": HELD,
        "HOLD_MARK": str(stage.folder / "mark"),
        "HOLD_GROUP": stage.prefix + GROUPS[module],
    }
    log = stage.folder / f"{module}-{run}.log"
    process = script(f"tests.faults.{module}", stage.environment | more, log)
    if module == "stock_worker":
        process._command += ["worker", "--without-web", "-l", "info"]
    return stage.start(process)


async def play(stage: Stage, module: str) -> list[str]:
    """The same scene for both kinds of worker; returns what the judge finds between the kill and the second run."""
    await stage.create_topics()
    claims, group = stage.topic("claims"), stage.prefix + GROUPS[module]
    broker = stage.kafka.address

    async def send(job_ids: list[str], partition: int) -> None:
        records = [Raw(claim_bytes(job_id, "x"), job_id.encode(), partition) for job_id in job_ids]
        await publish(broker, claims, records)
        stage.accepted += job_ids

    await send([HELD, *OTHERS], 0)
    first = worker(stage, module, 1)
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until_keys(stage.topic("verdicts"), set(OTHERS), 90)
        assert Path(stage.folder / "mark").exists()
        # A later event of another partition, seen committed: the commits after the last answer have been made.
        await send(["sentinel-1"], 1)
        await _until_committed(broker, group, (claims, 1))
        first.kill()
        scene = Scene(broker, group, frozenset(stage.accepted), stage.prefix, contracts=False)
        found = await judge(replace(scene, settled=False, everything=False))
        worker(stage, module, 2)
        await send(["sentinel-2"], 0)
        await verdicts.until_keys(stage.topic("verdicts"), {"sentinel-2"}, 90)
        await _until_committed(broker, group, (claims, 0))
    return found.problems


async def _until_committed(broker: str, group: str, place: tuple[str, int]) -> None:
    async with asyncio.timeout(60), Outputs(broker, [place[0]]) as outputs:
        end = (await outputs.ends())[place]
        while (await committed(broker, group)).get(place, 0) < end:
            await asyncio.sleep(0.2)


async def test_a_held_event_comes_again_and_nothing_past_it_was_committed(stage: Stage) -> None:
    assert await play(stage, "held_worker") == []
    assert stage.stop_workers() == [0]
    code, line = stage.judge(group=GROUPS["held_worker"], any_payload=True)
    assert line.startswith("ALL RECORDS DELIVERED: 22 accepted, 22 verdicts")
    assert code == 0


async def test_the_stock_commit_rule_makes_the_verifier_fail(stage: Stage) -> None:
    assert await play(stage, "stock_worker") == ["committed before it was finished: claims[0]@0"]
    stage.stop_workers()
    code, line = stage.judge(group=GROUPS["stock_worker"], any_payload=True)
    assert line.startswith(f"NOT ALL RECORDS DELIVERED: no terminal state: {HELD}")
    assert code == 1
