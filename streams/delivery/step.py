"""One event through one stage: the order of this module is the product."""

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

import structlog
from pydantic import BaseModel

from agents.errors import DependencyDown, Permanent, Transient
from agents.results import Note, Send, StepResult, Tell
from storage.errors import StoreError, StoreFull, StoreMismatch, StoreUnavailable
from streams import metrics, topics
from streams.contracts import Position, position
from streams.delivery.closing import JobCloser
from streams.delivery.dead_letters import Message, Reason
from streams.delivery.gate import Gate
from streams.delivery.producer import BrokerDown, Producer, Undeliverable
from streams.delivery.retry import RetryPolicy
from streams.delivery.telling import Telling
from streams.observe import observe
from streams.topology import Stage
from streams.wire import BadMessage, decode, encode

log = structlog.get_logger("veristream.delivery")
T = TypeVar("T")

# What no event can help: a store that is down, full or made for something else, a broker that takes nothing.
STORE_DOWN = (StoreUnavailable, StoreFull, StoreMismatch)
OUTAGES = (BrokerDown, *STORE_DOWN)


class GivenUp(Exception):  # noqa: N818 - it says what became of the event
    """The event cannot succeed; `reason` is one of the dead letters' closed set."""

    def __init__(self, reason: str, cause: BaseException, job_id: str | None = None) -> None:
        super().__init__(str(cause))
        self.reason = reason
        self.cause = cause
        self.job_id = job_id


@dataclass(frozen=True, slots=True)
class Step:
    """Takes the events of one stage through, one call each, with everything it needs passed in."""

    stage: Stage
    handle: Callable[[BaseModel, Tell], Awaitable[StepResult]]
    producer: Producer
    closer: JobCloser
    gate: Gate
    retry: RetryPolicy
    rng: random.Random
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    monotonic: Callable[[], float] = time.monotonic

    async def process(self, message: Message) -> None:
        """Take one event through; returning means that it may be acknowledged.

        1. Decode and validate the raw bytes. What does not decode is a dead letter.
        2. Handle it within the stage's timeout. What is transient is retried with backoff; while a dependency is
           down the stage pauses and the event waits; what is permanent is a dead letter.
        3. Send every output and await the broker's acknowledgement of each.
        4. Return. Only then does the caller acknowledge the input, and offsets commit up to the oldest event
           that is still in flight.

        A dead letter is delivered and acknowledged by the broker before its input is; if that is impossible the
        exception leaves this function, the worker stops, and the event comes back.
        """
        started = time.perf_counter()
        at = Position("")
        try:
            model = self._decode(message)
            at = position(model)
            bound = structlog.contextvars.bind_contextvars(job_id=at.job_id, stage=self.stage.name, loop=at.loop)
            telling = Telling(self.stage.name, at, self.producer, self.clock)
            try:
                result = await self._handle(model, telling)
                await self._deliver(result.sends + await telling.rest(result.notes))
            finally:
                await telling.end()
                structlog.contextvars.reset_contextvars(**bound)
        except GivenUp as given_up:
            await self._bury(message, given_up, at)
            return
        for note in result.notes:
            observe(note)
        metrics.STAGE_DURATION.labels(self.stage.name).observe(time.perf_counter() - started)

    def _decode(self, message: Message) -> BaseModel:
        """Step 1."""
        try:
            return decode(self.stage.reads, message.key, message.value)
        except BadMessage as bad:
            raise GivenUp(bad.reason, bad, bad.job_id) from bad

    async def _handle(self, model: BaseModel, telling: Telling) -> StepResult:
        """Step 2: the handler's result, or GivenUp."""
        retries = 0
        began = self.monotonic()
        while True:
            telling.begin()
            try:
                async with asyncio.timeout(self.stage.timeout):
                    result = await self.handle(model, telling)
            except (Transient, TimeoutError, ConnectionError) as error:
                wait = self.retry.wait(retries, self.rng, getattr(error, "retry_after", None))
                if self.retry.gives_up(retries, self.monotonic() - began, wait):
                    raise GivenUp("retries_exhausted", error) from error
                retries += 1
                await self._wait("transient", error, wait)
            except (DependencyDown, *STORE_DOWN) as error:
                await self._wait_for_dependency("dependency_down", error)
                began = self.monotonic()  # the outage is not charged to the event
            except (Permanent, StoreError, BadMessage) as error:
                raise GivenUp(getattr(error, "reason", "permanent"), error) from error
            except Exception as error:
                log.exception("a handler failed in an unexpected way")
                raise GivenUp("unexpected", error) from error
            else:
                self.gate.reopen()
                return result

    async def _deliver(self, sends: tuple[Send, ...]) -> None:
        """Step 3. While the broker or the ledger is down the sends wait, and are then repeated whole."""
        while True:
            try:
                await self._send_all(sends)
                for send in sends:
                    await self.closer.delivered(send)
            except Undeliverable as error:
                raise GivenUp("permanent", error) from error
            except OUTAGES as error:
                await self._wait_for_dependency("dependency_down", error)
            else:
                self.gate.reopen()
                return

    async def _send_all(self, sends: tuple[Send, ...]) -> None:
        """Together, so that they share the producer's next batch; every one has ended when this returns."""
        sending = [self.producer.send(send.to, send.key.encode(), encode(send.value)) for send in sends]
        if len(sending) == 1:
            # One needs no task of its own.
            await sending[0]
            return
        for outcome in await asyncio.gather(*sending, return_exceptions=True):
            if outcome is not None:
                raise outcome

    async def _bury(self, message: Message, given_up: GivenUp, at: Position) -> None:
        """Close the job of an event that cannot succeed, deliver its dead letter, and make it known."""
        cause = given_up.cause
        job_id = at.job_id or given_up.job_id
        reason = Reason(given_up.reason, type(cause).__name__, str(cause), self.stage.name, job_id, at.attempt)
        said = await self._until_up(lambda: self.closer.give_up(message, reason))
        if isinstance(said, Send):
            await self._deliver((said,))
            return
        letter, dead_letters = said.letter, topics.DEAD_LETTERS.name
        await self._until_up(lambda: self.producer.send(dead_letters, letter.key, letter.value, letter.headers))
        if said.tells is not None:
            await self._deliver((said.tells,))
        await self._until_up(lambda: self.closer.delivered(said))
        log.warning("dead letter", stage=self.stage.name, job_id=job_id, reason=reason.reason, detail=reason.message)
        metrics.DEAD_LETTERS.labels(self.stage.name, reason.reason).inc()
        if said.settles is not None:
            # Only the job that failed hears of it: a message may carry the id of another's job, or none at all.
            note = Note("failed", {"reason": reason.reason, "message": reason.message[:500]})
            failed = Telling(self.stage.name, Position(*said.settles, at.loop, at.part), self.producer, self.clock)
            await self._deliver(await failed.rest((note,)))

    async def _until_up(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Wait out the broker and the ledger. Anything else that fails here must stop the worker."""
        while True:
            try:
                result = await attempt()
            except OUTAGES as error:
                await self._wait_for_dependency("dependency_down", error)
            else:
                self.gate.reopen()
                return result

    async def _wait_for_dependency(self, reason: str, error: BaseException) -> None:
        """Not the event's fault: the stage stops pulling, and this event is the probe that reopens it."""
        self.gate.shut(str(error))
        await self._wait(reason, error, self.gate.next_wait())

    async def _wait(self, reason: str, error: BaseException, seconds: float) -> None:
        metrics.STAGE_RETRIES.labels(self.stage.name, reason).inc()
        log.warning("trying again", reason=reason, seconds=round(seconds, 2), detail=str(error) or type(error).__name__)
        await self.sleep(seconds)
