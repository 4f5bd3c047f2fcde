"""Load for the store faults: workers that never give up, and a note of everything they were promised."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from storage.errors import StoreUnavailable

T = TypeVar("T")
OUTAGE_S = 20.0
PATIENCE_S = 240.0
PAUSE_S = 0.25
"""Between tries of a worker whose store is away, as a paused stage would look whether it is back."""


@dataclass(slots=True)
class Load:
    """What the workers were promised, and how often they heard that the store was away."""

    promised: list[str] = field(default_factory=list)
    refusals: int = 0
    _stopped: asyncio.Event = field(default_factory=asyncio.Event)
    _more: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def insist(self, call: Callable[[], Awaitable[T]]) -> T:
        """Try until the store answers; anything but StoreUnavailable is a failure of the test."""
        while True:
            try:
                return await call()
            except StoreUnavailable:
                self.refusals += 1
                await asyncio.sleep(PAUSE_S)

    async def work(self, me: int, step: Callable[[str], Awaitable[None]]) -> None:
        """Do step after step, each with a name of its own, until the load is stopped."""
        number = 0
        while not self._stopped.is_set():
            name = f"{me}-{number}"
            await self.insist(partial(step, name))
            number += 1
            async with self._more:
                self.promised.append(name)
                self._more.notify_all()

    async def until_promised(self, count: int) -> None:
        """Wait until so many steps more than now are done."""
        async with self._more:
            goal = len(self.promised) + count
            await self._more.wait_for(lambda: len(self.promised) >= goal)

    def stop(self) -> None:
        self._stopped.set()


@asynccontextmanager
async def under_load(step: Callable[[str], Awaitable[None]], workers: int = 6) -> AsyncIterator[Load]:
    """Run `workers` of them around the block; on leaving it, each finishes its step."""
    load = Load()
    async with asyncio.timeout(PATIENCE_S), asyncio.TaskGroup() as group:
        for me in range(workers):
            group.create_task(load.work(me, step))
        yield load
        load.stop()
