"""Variant 1: one aiokafka consumer and a plain loop per hop, one message at a time, one producer for all."""

import asyncio
import json
from contextlib import AsyncExitStack

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer

from benchmarks.five_hops.plan import HOPS, Order, topic
from benchmarks.five_hops.tally import Tally


async def run(order: Order, tally: Tally, ready_seconds: float) -> None:
    """Consume, decode, wait, encode, send on; offsets are committed by aiokafka's own timer."""
    async with AsyncExitStack() as stack:
        producer = AIOKafkaProducer(bootstrap_servers=order.broker, acks="all")
        await producer.start()
        stack.push_async_callback(producer.stop)
        consumers = []
        for hop in range(HOPS):
            consumer = AIOKafkaConsumer(
                topic(order.prefix, hop),
                bootstrap_servers=order.broker,
                group_id=f"{order.prefix}raw-{hop}",
                auto_offset_reset="earliest",
            )
            await consumer.start()
            stack.push_async_callback(consumer.stop)
            consumers.append(consumer)
        hops = [asyncio.create_task(_hop(order, hop, one, producer, tally)) for hop, one in enumerate(consumers)]
        await tally.until_ready(lambda: all(one.assignment() for one in consumers), ready_seconds)
        stopping = asyncio.create_task(tally.stop.wait())
        ended, _ = await asyncio.wait([stopping, *hops], return_when=asyncio.FIRST_COMPLETED)
        for task in (stopping, *hops):
            task.cancel()
        for task in ended:
            task.result()


async def _hop(order: Order, hop: int, consumer: AIOKafkaConsumer, producer: AIOKafkaProducer, tally: Tally) -> None:
    onward = topic(order.prefix, hop + 1)
    async for record in consumer:
        value = json.loads(record.value)
        if order.wait:
            await asyncio.sleep(order.wait)
        await producer.send(onward, json.dumps(value).encode(), key=record.key)
        tally.handled += 1
