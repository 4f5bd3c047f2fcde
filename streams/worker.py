"""A worker process: the Faust app, one loop per stage, and the watch over both."""

import asyncio
import os
import random
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from functools import partial
from typing import Any

import structlog
from aiokafka.errors import KafkaError

from agents.results import Tell
from agents.services import Services
from storage.errors import StoreError
from streams import metrics
from streams.app import attach, build_app, group_name
from streams.delivery.closing import JobCloser
from streams.delivery.gate import Gate
from streams.delivery.loop import StageLoop
from streams.delivery.producer import BrokerDown, FaustProducer
from streams.delivery.retry import RetryPolicy
from streams.delivery.step import Step
from streams.probes import listen, probes, serving
from streams.settings import Settings
from streams.sweep import Sweep
from streams.topology import STAGES, Stage
from streams.watchdog import Watchdog
from streams.watermarks import LossDetector, Watermarks

log = structlog.get_logger("veristream.worker")

WATCH_SECONDS = 2.0
RETRY_SHARE_OF_STALL = 0.75
"""An event must be given up well before the watchdog takes its patience for a stall."""
STOP_STEP_SECONDS = 4.0
"""Two of them and the drain together stay below the half minute in which a worker has to stop."""


class Worker:
    """Runs stages until it is told to stop, or until it cannot go on."""

    def __init__(self, settings: Settings, services: Services, stages: Sequence[Stage] = STAGES) -> None:
        self._settings = settings
        self._services = services
        self._stages = tuple(stages)
        self._group = group_name(settings, self._stages)
        self._app: Any = build_app(settings, self._group)
        self._crash: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        self._producer = FaustProducer(self._app, settings.topic_prefix)
        self._watermarks = Watermarks(settings, self._group, [stage.reads.name for stage in self._stages])
        # The embedded broker's partitions begin at 0 and live no longer than the system they serve.
        self._losses = LossDetector(self._watermarks, origin=0 if settings.embedded else None)
        self._watchdog = Watchdog(settings.stall_seconds)
        self._loops = [self._loop(stage) for stage in self._stages]
        self._app.on_partitions_revoked.connect(self._partitions_moved)
        self._app.on_partitions_assigned.connect(self._partitions_moved)
        self._started = False

    async def run(self, stop: asyncio.Event) -> int:
        """Work until `stop` is set; 0 after a clean stop, 1 when the worker had to give up."""
        settings = self._settings
        listener = listen(settings.metrics_host, settings.metrics_port, "VERISTREAM_METRICS_PORT")
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(serving(probes(self.not_ready_because), listener))
            await stack.enter_async_context(self._watermarks)
            self._app.finalize()
            await self._app.start()
            self._started = True
            watching = asyncio.create_task(self._watch())
            log.info("worker started", group=self._group, stages=[stage.name for stage in self._stages])
            try:
                await self._until_over(stop, watching)
            finally:
                watching.cancel()
                await self._stop_working()
        if self._crash.done():
            log.critical("worker gives up", error=str(self._crash.result()) or type(self._crash.result()).__name__)
            return 1
        log.info("worker stopped")
        return 0

    def not_ready_because(self) -> list[str]:
        """Why this worker takes no work right now; empty when it does."""
        if not self._started:
            return ["starting"]
        reasons = [f"{loop.name} waits: {loop.gate.reason}" for loop in self._loops if not loop.gate.is_open]
        if not self._app.consumer.assignment():
            reasons.append("no partitions assigned")
        reasons += [f"no progress on {topic}" for topic in self._watchdog.stalled]
        reasons += [f"lost {lost}" for lost in self._losses.lost[-3:]]
        return reasons

    async def _until_over(self, stop: asyncio.Event, watching: "asyncio.Task[None]") -> None:
        stopping = asyncio.create_task(stop.wait())
        try:
            over: list[asyncio.Future[Any]] = [stopping, self._crash, watching]
            await asyncio.wait(over, return_when=asyncio.FIRST_COMPLETED)
        finally:
            stopping.cancel()
        if watching.done() and (error := watching.exception()) is not None:
            self._fatal(error)  # a worker that nobody watches must not end as if all were well

    async def _partitions_moved(self, *_: Any, **__: Any) -> None:
        self._losses.forget()

    async def _stop_working(self) -> None:
        """Finish what is in hand, commit it, leave the group. After a crash of Faust's any of it may fail."""
        await asyncio.gather(*(loop.drain(self._settings.drain_seconds) for loop in self._loops))
        for what, step in (("commit", self._app.consumer.commit), ("stop", self._app.stop)):
            try:
                async with asyncio.timeout(STOP_STEP_SECONDS):
                    await step()
            except Exception as error:  # noqa: BLE001 - nothing may keep the process from ending
                detail = str(error) or type(error).__name__
                log.warning("the last words failed; some events will come again", step=what, detail=detail)

    def _loop(self, stage: Stage) -> StageLoop:
        settings, services = self._settings, self._services
        gate = Gate(stage.name)
        step = Step(
            stage=stage,
            handle=partial(_handle, stage, services),
            producer=self._producer,
            closer=JobCloser(services.ledger, services.clock),
            gate=gate,
            retry=RetryPolicy(
                settings.retry_limit,
                settings.retry_base_seconds,
                settings.retry_max_seconds,
                within=settings.stall_seconds * RETRY_SHARE_OF_STALL,
            ),
            rng=random.Random(),  # noqa: S311 - jitter, not secrecy
            clock=services.clock,
        )
        loop = StageLoop(
            stage.name,
            step.process,
            gate,
            in_flight=stage.at_once(settings.in_flight, os.cpu_count() or 1),
            fatal=self._fatal,
            arrived=self._losses.arrived,
            prefix=settings.topic_prefix,
        )
        attach(self._app, settings, stage, loop, self._fatal)
        return loop

    def _paused_topics(self) -> set[str]:
        pairs = zip(self._stages, self._loops, strict=True)
        return {stage.reads.name for stage, loop in pairs if not loop.gate.is_open}

    def _fatal(self, error: BaseException) -> None:
        if not self._crash.done():
            self._crash.set_result(error)

    async def _watch(self) -> None:
        """Readiness, lag and the sweep. A stall that lasts, or a crashed app, ends the worker."""
        sweep = Sweep(self._services.ledger, self._producer, self._services.clock)
        next_sweep, mourned = 0.0, 0
        while True:
            await asyncio.sleep(WATCH_SECONDS)
            metrics.WORKER_READY.set(0 if self.not_ready_because() else 1)
            if self._app.should_stop:
                self._fatal(RuntimeError(f"the Faust app stopped by itself: {self._app.crash_reason}"))
                return
            try:
                now = asyncio.get_running_loop().time()
                lags = await self._watermarks.lags()
                self._watchdog.look(lags, self._app.consumer.assignment(), now, paused=self._paused_topics())
                if self._watchdog.hopeless:
                    self._fatal(RuntimeError(f"no commit for too long on {', '.join(self._watchdog.stalled)}"))
                    return
                if self._settings.embedded and len(self._losses.lost) > mourned:
                    mourned = len(self._losses.lost)
                    jobs = await sweep.start_open_jobs_again()
                    log.warning("the open jobs were published again, because events were lost", jobs=jobs)
                if now >= next_sweep:
                    next_sweep = now + self._settings.sweep_seconds
                    await sweep.once()
            except (KafkaError, StoreError, BrokerDown, OSError) as error:
                log.warning("the watch could not look", detail=str(error) or type(error).__name__)


async def _handle(stage: Stage, services: Services, model: Any, tell: Tell) -> Any:
    return await stage.handle(model, replace(services, tell=tell))
