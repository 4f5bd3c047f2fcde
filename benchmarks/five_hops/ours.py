"""Variant 3: the product's own worker over five stages of its kind, whose handlers do nothing but pass the job on."""

import asyncio
from dataclasses import fields
from datetime import UTC, datetime
from typing import Any

from agents.claims.job import ClaimJob
from agents.results import Send, StepResult
from agents.services import Services
from benchmarks.five_hops.plan import HOPS, Order, topic
from benchmarks.five_hops.tally import Tally
from storage.embedded.ledger import SqliteLedger
from streams.logs import configure_logs
from streams.settings import Settings
from streams.topics import Topic
from streams.topology import Handler, Stage
from streams.worker import Worker

TIMEOUT = 20.0
"""Of every stage, as retrieval and ranking have it."""


async def run(order: Order, tally: Tally, ready_seconds: float) -> None:
    """Worker, loops, steps, producer, loss detection, watchdog, sweep, probes: everything but the handlers is real."""
    settings = Settings(
        broker=order.broker,
        topic_prefix=order.prefix,
        in_flight=order.in_flight,
        data_dir=order.folder,
        metrics_port=0,
        log_level="warning",
    )
    configure_logs(settings)
    topics = [Topic(topic("", hop), ClaimJob, "a hop of the benchmark") for hop in range(HOPS + 1)]
    stages = [_stage(order, hop, topics, tally) for hop in range(HOPS)]
    ledger = await SqliteLedger.open(order.folder / "ledger.sqlite")
    # A worker asks its services for ledger and clock only; the rest is for handlers, and ours ask for nothing.
    unused: dict[str, Any] = dict.fromkeys((one.name for one in fields(Services)), None)
    services = Services(**unused | {"ledger": ledger, "clock": lambda: datetime.now(UTC)})
    worker = Worker(settings, services, stages)
    working = asyncio.create_task(worker.run(tally.stop))
    await tally.until_ready(lambda: working.done() or not worker.not_ready_because(), ready_seconds)
    if (code := await working) != 0:
        raise SystemExit(code)
    await ledger.close()


def _stage(order: Order, hop: int, topics: list[Topic], tally: Tally) -> Stage:
    reads, writes = topics[hop], topics[hop + 1]
    return Stage(f"hop-{hop}", reads, _passing_on(writes.name, order.wait, tally), (writes,), TIMEOUT)


def _passing_on(to: str, wait: float, tally: Tally) -> Handler:
    async def handle(job: ClaimJob, _: Services) -> StepResult:
        if wait:
            await asyncio.sleep(wait)
        tally.handled += 1
        return StepResult((Send(to, job.job_id, job),))

    return handle
