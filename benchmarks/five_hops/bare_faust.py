"""Variant 2: Faust as its documentation shows it: one agent per hop, JSON values, `await topic.send(...)`."""

import asyncio
from typing import Any

import faust

from benchmarks.five_hops.plan import HOPS, Order, topic
from benchmarks.five_hops.tally import Tally


async def run(order: Order, tally: Tally, ready_seconds: float) -> None:
    """Faust's defaults, but for what keeps it from making topics and files of its own."""
    app = faust.App(
        f"{order.prefix}faust",
        broker=f"kafka://{order.broker}",
        topic_disable_leader=True,
        topic_allow_declare=False,
        web_enabled=False,
        store="memory://",
        datadir=str(order.folder / "faust"),
        logging_config=None,
    )
    hops = [app.topic(topic(order.prefix, hop), key_type=str) for hop in range(HOPS + 1)]
    for hop in range(HOPS):
        _attach(app, order, hops[hop], hops[hop + 1], tally)
    app.finalize()
    await app.start()
    await tally.until_ready(lambda: bool(app.consumer.assignment()), ready_seconds)
    await tally.stop.wait()
    await app.stop()


def _attach(app: Any, order: Order, reads: Any, writes: Any, tally: Tally) -> None:
    async def agent(stream: Any) -> None:
        async for key, value in stream.items():
            if order.wait:
                await asyncio.sleep(order.wait)
            await writes.send(key=key, value=value)
            tally.handled += 1

    app.agent(reads, name=f"from-{reads.get_topic_name()}")(agent)
