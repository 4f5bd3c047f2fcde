"""The winner dies between storing its verdict and saying it: what is said in the end is what was stored."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from agents.language.embedders.static import StaticEmbedder
from storage.embedded.stores import open_embedded
from storage.ports import Embedder, Outcome
from tests.faults.conftest import Stage
from tests.support.processes import script

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]

JOB = "won-0"
CLAIM = "Kelderwick General Hospital has 312 beds."
"""One that the knowledge base settles, so that no web is needed."""


async def unsaid(stage: Stage) -> list[Outcome]:
    """What is decided and not known to be emitted."""
    stores = await open_embedded(stage.folder / "data", Embedder(StaticEmbedder.name, StaticEmbedder.dimension))
    try:
        return await stores.ledger.unemitted(datetime.now(UTC) + timedelta(hours=1))
    finally:
        await stores.close()


async def test_a_verdict_whose_winner_was_killed_before_saying_it_is_said_as_it_was_stored(stage: Stage) -> None:
    await stage.create_topics()
    mark = stage.folder / "mark"
    winner = script(
        "tests.faults.winning_worker", stage.environment | {"WINNER_MARK": str(mark)}, stage.folder / "winner.log"
    )
    stage.start(winner)
    await stage.submit([(JOB, CLAIM)])
    async with asyncio.timeout(120):
        while not mark.exists():
            winner.check()
            await asyncio.sleep(0.1)
    winner.kill()
    (stored,) = await unsaid(stage)
    assert stored.job_id == JOB
    async with stage.outputs("verdicts") as verdicts:
        assert await verdicts.to_the_end() == []
        stage.worker()
        await verdicts.until_keys(stage.topic("verdicts"), {JOB}, 120)
        assert {record.value for record in verdicts.records} == {stored.payload}
    await stage.until_committed()
    assert stage.stop_workers() == [0]
    assert await unsaid(stage) == []
    code, line = stage.judge()
    assert line.startswith("ALL RECORDS DELIVERED: 1 accepted, 1 verdicts, 0 dead letters")
    assert code == 0
