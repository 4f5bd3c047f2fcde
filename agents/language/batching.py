"""Dynamic micro-batching: single requests of many jobs become batches for a model that runs in worker threads.

A batch closes when it is full or when its oldest item has waited long enough. It is then cut into runs of similar
length, because a model pays for the longest item, and the runs are spread over the worker threads.
"""

import asyncio
import os
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from agents.errors import Transient

Item = TypeVar("Item")
Result = TypeVar("Result")
Part = TypeVar("Part")


@dataclass(frozen=True, slots=True)
class BatchPolicy:
    """When a batch closes, and how much may wait."""

    max_items: int = 32
    max_wait: float = 0.002
    """Seconds the first item waits for company. A few milliseconds: less than one inference takes."""
    max_run: int = 8
    """Items that one thread takes at once. Beyond this an int8 encoder on a CPU gains nothing and waits longer."""
    workers: int = field(default_factory=lambda: max(1, os.cpu_count() or 1))
    """Threads, one run each: two runs on two cores are faster than one run that shares them."""
    max_pending: int = 4096
    """Items that may wait; a caller beyond that waits before its items are taken."""
    timeout: float = 60.0
    """Seconds that a caller waits for the next batch of its own; a machine this far behind should take no more work."""


@dataclass(slots=True)
class _Waiting(Generic[Item, Result]):
    item: Item
    length: int
    answer: asyncio.Future[Result]


class _Lane(Generic[Item, Result]):
    """What waits and runs in one event loop."""

    def __init__(self, workers: int) -> None:
        self.loop = asyncio.get_running_loop()
        self.pending: deque[_Waiting[Item, Result]] = deque()
        self.full = asyncio.Event()
        self.space = asyncio.Event()
        self.space.set()
        self.free = asyncio.Semaphore(workers)
        self.collector: asyncio.Task[None] | None = None
        self.running: set[asyncio.Task[None]] = set()


class MicroBatcher(Generic[Item, Result]):
    """Runs `run` on batches of items, off the event loop. `length` says how expensive an item is."""

    def __init__(
        self,
        run: Callable[[Sequence[Item]], Sequence[Result]],
        length: Callable[[Item], int],
        policy: BatchPolicy,
        *,
        name: str,
    ) -> None:
        self._run, self._length, self._policy = run, length, policy
        self._threads = ThreadPoolExecutor(policy.workers, thread_name_prefix=name)
        self._name = name
        self._lane: _Lane[Item, Result] | None = None

    async def submit(self, items: Sequence[Item]) -> list[Result]:
        """The results of the items, in their order. Raises Transient if none of their batches is done in time."""
        lane = self._lane_here()
        answers: list[asyncio.Future[Result]] = []
        results: list[Result] = []
        try:
            for part in _parts(items, self._policy.max_items):
                async with asyncio.timeout(self._policy.timeout):
                    answers += await self._enqueue(lane, part)
            for waiting in _parts(answers, self._policy.max_items):
                async with asyncio.timeout(self._policy.timeout):
                    results += await asyncio.gather(*waiting)
        except TimeoutError:
            raise Transient(f"{self._name} did nothing for {len(items)} items in {self._policy.timeout:g} s") from None
        finally:
            for answer in answers:
                answer.cancel()  # of those already answered this changes nothing
        return results

    def close(self) -> None:
        """Ends the worker threads. What still waits is answered with a cancellation."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _lane_here(self) -> _Lane[Item, Result]:
        """The lane of the running loop; a batcher that outlives its loop starts afresh in the next one."""
        if self._lane is None or self._lane.loop is not asyncio.get_running_loop():
            self._lane = _Lane(self._policy.workers)
        return self._lane

    async def _enqueue(self, lane: _Lane[Item, Result], items: Sequence[Item]) -> list[asyncio.Future[Result]]:
        answers: list[asyncio.Future[Result]] = []
        for item in items:
            while len(lane.pending) >= self._policy.max_pending:
                lane.space.clear()
                await lane.space.wait()
            answer: asyncio.Future[Result] = lane.loop.create_future()
            lane.pending.append(_Waiting(item, self._length(item), answer))
            answers.append(answer)
            self._collect(lane)
        return answers

    def _collect(self, lane: _Lane[Item, Result]) -> None:
        if len(lane.pending) >= self._policy.max_items:
            lane.full.set()
        if lane.collector is None or lane.collector.done():
            lane.collector = lane.loop.create_task(self._collecting(lane))

    async def _collecting(self, lane: _Lane[Item, Result]) -> None:
        """Closes batches until nothing waits. While all workers are busy, what arrives makes the next batch larger."""
        while lane.pending:
            await self._wait_for_company(lane)
            for run in self._next_batch(lane):
                await lane.free.acquire()
                task = lane.loop.create_task(self._running(lane, run))
                lane.running.add(task)
                task.add_done_callback(lane.running.discard)

    async def _wait_for_company(self, lane: _Lane[Item, Result]) -> None:
        if len(lane.pending) >= self._policy.max_items or lane.free.locked():
            return
        lane.full.clear()
        try:
            async with asyncio.timeout(self._policy.max_wait):
                await lane.full.wait()
        except TimeoutError:
            return

    def _next_batch(self, lane: _Lane[Item, Result]) -> list[list[_Waiting[Item, Result]]]:
        """The oldest items, cut into runs of similar length, shortest first."""
        count = min(self._policy.max_items, len(lane.pending))
        batch = [lane.pending.popleft() for _ in range(count)]
        lane.space.set()
        alive = sorted((one for one in batch if not one.answer.done()), key=lambda one: one.length)
        size = max(1, min(self._policy.max_run, -(-len(alive) // self._policy.workers)))
        return [alive[start : start + size] for start in range(0, len(alive), size)]

    async def _running(self, lane: _Lane[Item, Result], batch: Sequence[_Waiting[Item, Result]]) -> None:
        try:
            items = [waiting.item for waiting in batch]
            results = await lane.loop.run_in_executor(self._threads, self._run, items)
            for waiting, result in zip(batch, results, strict=True):
                if not waiting.answer.done():
                    waiting.answer.set_result(result)
        except Exception as error:  # noqa: BLE001 - whatever the model raised belongs to those who asked
            for waiting in batch:
                if not waiting.answer.done():
                    waiting.answer.set_exception(error)
        finally:
            lane.free.release()


def _parts(items: Sequence[Part], size: int) -> Iterator[Sequence[Part]]:
    return (items[start : start + size] for start in range(0, len(items), size))
