"""A worker that cannot go on says so and ends with an error: it neither hangs nor acknowledges what it did not do."""

import asyncio
import random

import pytest
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from tests.faults.conftest import PARTITIONS, Stage
from tests.support.processes import script
from tests.support.wire import Raw, committed, publish

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(240)]

SHORT_DRAIN = {"VERISTREAM_DRAIN_SECONDS": "2"}


async def test_a_dead_letter_that_the_broker_refuses_ends_the_worker_and_its_event_is_not_acknowledged(
    stage: Stage,
) -> None:
    await _create(stage, "dead-letters", {"max.message.bytes": "2000"})
    await stage.create_topics()
    worker = stage.worker()
    poison = random.Random(7).randbytes(4000)  # which no compression makes any smaller
    await publish(stage.kafka.address, stage.topic("claims"), [Raw(poison, b"p", 0), Raw(poison, b"p", 0)])
    await asyncio.to_thread(worker.wait_for_text, "worker gives up", 90)
    assert await asyncio.to_thread(worker.wait, 60) == 1
    assert "MessageSizeTooLarge" in worker.text()
    assert (await committed(stage.kafka.address, f"{stage.prefix}veristream")).get((stage.topic("claims"), 0), 0) == 0


async def test_a_worker_whose_faust_crashed_ends_with_an_error_instead_of_standing_there(stage: Stage) -> None:
    await stage.create_topics()
    log = stage.folder / "crashing.log"
    worker = stage.start(script("tests.faults.crashing_worker", stage.environment | SHORT_DRAIN, log))
    await stage.submit([("fine", "A claim.")])
    async with stage.outputs("verdicts") as verdicts:
        await verdicts.until_keys(stage.topic("verdicts"), {"fine"}, 90)
    await stage.submit([("crash", "A claim.")])
    assert await asyncio.to_thread(worker.wait, 60) == 1
    assert "worker gives up" in worker.text()


async def _create(stage: Stage, name: str, config: dict[str, str]) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=stage.kafka.address)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(stage.topic(name), PARTITIONS, 1, topic_configs=config)])
    finally:
        await admin.close()
