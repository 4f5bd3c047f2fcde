"""Up to N events of one stage in hand at once, over one Faust stream, acknowledged strictly in order."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import structlog

from streams import metrics
from streams.delivery.dead_letters import Message
from streams.delivery.gate import Gate
from streams.delivery.window import AckWindow, Cell

log = structlog.get_logger("veristream.delivery")

Process = Callable[[Message], Awaitable[None]]
Arrived = Callable[[Message], Awaitable[None]]


class StageLoop:
    """Pulls, runs and acknowledges. An exception from `process` is fatal: nothing is acknowledged after it."""

    def __init__(
        self,
        name: str,
        process: Process,
        gate: Gate,
        *,
        in_flight: int,
        fatal: Callable[[BaseException], None],
        arrived: Arrived | None = None,
        prefix: str = "",
    ) -> None:
        self.name = name
        self.gate = gate
        self._process = process
        self._slots = asyncio.Semaphore(in_flight)
        self._fatal = fatal
        self._arrived = arrived
        self._prefix = prefix
        self._window: AckWindow[Any] = AckWindow(lambda event: event.app.consumer.acknowledge(event.message))
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = asyncio.Event()
        self._gauge = metrics.STAGE_IN_FLIGHT.labels(name)

    async def run(self, events: AsyncIterator[Any]) -> None:
        """Pull until the stream ends or the loop drains. A slot is taken before the next event is pulled."""
        while not self._draining.is_set():
            await self._slots.acquire()
            await self.gate.passed()
            event = await anext(events, None)
            if event is None or self._draining.is_set():
                # What was buffered but not taken stays unacknowledged and goes to whoever reads next.
                break
            cell = self._window.open(event.message.tp, event)
            message = self._message(event)
            if self._arrived is not None:
                await self._arrived(message)
            task = asyncio.create_task(self._take(cell, message))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        if not self._draining.is_set():
            raise RuntimeError(f"the stream of {self.name} ended by itself")
        await asyncio.Event().wait()

    async def drain(self, seconds: float) -> None:
        """Stop pulling and wait for what is in hand; what is not done by then is cancelled and comes back."""
        self._draining.set()
        if self._tasks:
            _, late = await asyncio.wait(self._tasks, timeout=seconds)
            for task in late:
                task.cancel()
            if late:
                log.warning("not finished in time; these events will come again", stage=self.name, events=len(late))
                await asyncio.wait(late, timeout=5)

    async def _take(self, cell: Cell[Any], message: Message) -> None:
        self._gauge.inc()
        try:
            await self._process(message)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it is, the event must not be acknowledged
            log.critical(
                "cannot go on: an event could neither be processed nor buried", stage=self.name, error=str(error)
            )
            self._draining.set()
            self._fatal(error)
        else:
            self._window.close(cell)
        finally:
            self._gauge.dec()
            self._slots.release()

    def _message(self, event: Any) -> Message:
        message = event.message
        return Message(
            topic=message.topic.removeprefix(self._prefix),
            partition=message.partition,
            offset=message.offset,
            key=message.key,
            value=message.value,
            # A header may be there without a value, which is not the same as an empty one.
            headers=tuple((name, None if value is None else bytes(value)) for name, value in (message.headers or ())),
        )
