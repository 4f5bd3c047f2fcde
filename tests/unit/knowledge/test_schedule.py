"""A refresh per turn, by one worker, tried again a few times, and never in the way of anything else."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from agents.knowledge.refresh import RefreshPolicy
from agents.knowledge.schedule import RefreshSchedule, SchedulePolicy
from storage.ports import Stores
from storage.ports.evidence import CURRENT_AFFAIRS
from tests.unit.knowledge.world import Clock, MemoryWeb, world

DAY = timedelta(hours=24)
POLICY = RefreshPolicy(queries=("bridge", "school"), max_pages=3)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


class Timer:
    """Moves the clock instead of waiting, and stops the schedule after so many naps."""

    def __init__(self, clock: Clock, naps: int, early: float = 0.0) -> None:
        self._clock = clock
        self._left = naps
        self._early = early
        self.slept: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.slept.append(seconds)
        self._left -= 1
        if self._left < 0:
            raise asyncio.CancelledError
        self._clock.move(timedelta(seconds=max(0.0, seconds - self._early)))


def schedule(stores: Stores, web: MemoryWeb, timer: Timer, clock: Clock, me: str = "one") -> RefreshSchedule:
    return RefreshSchedule(world(stores, web, clock), DAY, me=me, policy=POLICY, sleep=timer)


async def run(one: RefreshSchedule) -> None:
    with pytest.raises(asyncio.CancelledError):
        await one.run()


async def test_it_refreshes_at_once_and_then_at_the_start_of_every_turn(stores: Stores) -> None:
    clock, web = Clock(NOON), MemoryWeb.edition("monday")
    timer = Timer(clock, naps=2)
    await run(schedule(stores, web, timer, clock))
    assert timer.slept == [12 * 3600, 24 * 3600, 24 * 3600]
    assert len(web.queries) == 3 * 2
    assert await stores.index.count(CURRENT_AFFAIRS) > 0


async def test_a_timer_that_rings_early_does_not_refresh_twice(stores: Stores) -> None:
    clock, web = Clock(NOON), MemoryWeb.edition("monday")
    await run(schedule(stores, web, Timer(clock, naps=1, early=0.5), clock))
    assert len(web.queries) == 2


async def test_of_several_workers_one_takes_the_turn(stores: Stores, other: Stores) -> None:
    webs = [MemoryWeb.edition("monday") for _ in range(4)]
    clock = Clock(NOON)
    workers = [
        schedule(stores if n % 2 else other, web, Timer(clock, 0), clock, me=f"worker-{n}")
        for n, web in enumerate(webs)
    ]
    took = await asyncio.gather(*(worker.take_turn(20_000) for worker in workers))
    assert sorted(took) == [False, False, False, True]
    assert sorted(len(web.queries) for web in webs) == [0, 0, 0, 2]


async def test_a_refresh_that_fails_is_tried_again_a_few_times_within_its_turn(stores: Stores) -> None:
    clock, web = Clock(NOON), MemoryWeb()
    timer = Timer(clock, naps=5)
    assert await schedule(stores, web, timer, clock).take_turn(1) is False
    assert len(web.queries) == 3 * 2
    assert timer.slept == [SchedulePolicy().retry_after.total_seconds()] * 2


async def test_a_refresh_that_succeeds_at_the_second_try_is_done(stores: Stores) -> None:
    clock, web = Clock(NOON), MemoryWeb()
    timer = Timer(clock, naps=5)

    async def filling(seconds: float) -> None:
        web.pages |= MemoryWeb.edition("monday").pages
        await timer(seconds)

    late = RefreshSchedule(world(stores, web, clock), DAY, me="one", policy=POLICY, sleep=filling)
    assert await late.take_turn(1) is True
    assert len(timer.slept) == 1
