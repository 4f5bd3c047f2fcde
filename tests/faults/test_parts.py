"""A worker dies between storing the verdict of a decomposed claim and emitting it: another one says the stored one."""

import pytest

import samples
from tests.faults.conftest import Stage
from tests.support.processes import script

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]

COMPOUND = next(claim.claim for claim in samples.load().claims if claim.job_id == "sample-18")


async def test_the_verdict_of_a_decomposed_claim_survives_its_decider(stage: Stage) -> None:
    await stage.create_topics()
    mark = stage.folder / "mark"
    dying = script("tests.faults.dying_worker", stage.environment | {"DIE_MARK": str(mark)}, stage.folder / "dying.log")
    dying.start()
    await stage.submit([(f"parts-{number}", COMPOUND) for number in range(6)])
    assert dying.wait(120) == -9
    stored = mark.read_bytes()
    stage.worker()
    async with stage.outputs("verdicts") as verdicts:
        said = await verdicts.until_keys(stage.topic("verdicts"), set(stage.accepted), 120)
    assert stored in {record.value for record in said}
    await stage.until_committed()
    assert stage.stop_workers() == [0]
    code, line = stage.judge()
    assert line.startswith("ALL RECORDS DELIVERED: 6 accepted, 6 verdicts, 0 dead letters")
    assert code == 0
