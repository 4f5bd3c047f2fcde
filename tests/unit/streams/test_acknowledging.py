"""Only the delivery loop acknowledges: what Faust passes over by itself in a rebalance must not count as done."""

import asyncio
from pathlib import Path
from typing import Any

from confluent_kafka import Producer
from faust.types.tuples import ConsumerMessage

from agents.claims import intake
from streams import topics
from streams.app import attach, build_app
from streams.delivery.dead_letters import Message
from streams.delivery.gate import Gate
from streams.delivery.loop import StageLoop
from streams.embedded.broker import EmbeddedBroker
from streams.settings import Settings
from streams.topology import Stage

PATIENCE = 60.0


async def test_an_event_that_faust_skips_is_not_committed_past_the_one_in_hand(tmp_path: Path) -> None:
    taken, finish = asyncio.Event(), asyncio.Event()
    failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()

    async def process(_: Message) -> None:
        taken.set()
        await finish.wait()

    with EmbeddedBroker() as broker:
        settings = Settings(broker=broker.url, data_dir=tmp_path)
        sender = Producer({"bootstrap.servers": broker.address})
        sender.produce(topics.CLAIMS.name, b"{}", partition=0)
        assert sender.flush(PATIENCE) == 0
        app = build_app(settings, "test")
        loop = StageLoop("intake", process, Gate("intake"), in_flight=4, fatal=failed.set_result)
        attach(app, settings, Stage("intake", topics.CLAIMS, intake.handle, (), 10), loop, failed.set_result)
        app.finalize()
        await app.start()
        try:
            async with asyncio.timeout(PATIENCE):
                await taken.wait()
                skipped(0, app).ack(app.consumer)
                await app.consumer.commit()
                assert committed(app) is None
                finish.set()
                while committed(app) != 1:
                    await app.consumer.commit()
                    await asyncio.sleep(0.01)
        finally:
            await loop.drain(1)
            await app.stop()
    assert not failed.done()


def skipped(offset: int, app: Any) -> ConsumerMessage:
    """A copy of an event, fetched before a rebalance and met by a stream after it."""
    place = next(place for place in app.consumer.assignment() if place == (topics.CLAIMS.name, 0))
    return ConsumerMessage(topics.CLAIMS.name, 0, offset, 0.0, 0, None, None, b"{}", None, tp=place)


def committed(app: Any) -> int | None:
    offset: int | None = app.consumer._committed_offset.get((topics.CLAIMS.name, 0))
    return offset
