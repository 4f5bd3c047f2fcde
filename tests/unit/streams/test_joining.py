"""Waiting for what must be there before work begins."""

import asyncio
from collections import deque

import pytest
from aiokafka.errors import GroupCoordinatorNotAvailableError

from streams.errors import BrokerUnreachable, CannotStart
from streams.joining import until_clear


class Obstacles:
    """What is in the way, look by look; an exception is what a broker that is just starting answers."""

    def __init__(self, *found: str | Exception | None) -> None:
        self.found = deque(found)
        self.looks = 0

    async def __call__(self) -> str | None:
        self.looks += 1
        found = self.found.popleft() if len(self.found) > 1 else self.found[0]
        if isinstance(found, Exception):
            raise found
        return found


async def test_nothing_in_the_way_is_no_wait() -> None:
    obstacles = Obstacles(None)
    assert await until_clear(obstacles, asyncio.Event(), patience=60)
    assert obstacles.looks == 1


async def test_what_goes_away_is_waited_for_whatever_a_starting_broker_answers() -> None:
    errors = (BrokerUnreachable("nobody"), GroupCoordinatorNotAvailableError(), ConnectionResetError())
    obstacles = Obstacles("topics are missing", *errors, None)
    assert await until_clear(obstacles, asyncio.Event(), patience=60, again=0.001)
    assert obstacles.looks == 5


async def test_what_stays_in_the_way_is_named_when_patience_ends() -> None:
    with pytest.raises(CannotStart, match="in vain: topics are missing"):
        await until_clear(Obstacles("topics are missing"), asyncio.Event(), patience=-1)


async def test_a_refusal_is_not_waited_out() -> None:
    with pytest.raises(CannotStart, match="not both"):
        await until_clear(Obstacles(CannotStart("not both")), asyncio.Event(), patience=60)


async def test_being_told_to_stop_ends_the_wait() -> None:
    stop = asyncio.Event()
    waiting = asyncio.create_task(until_clear(Obstacles("no broker"), stop, patience=60, again=60))
    await asyncio.sleep(0)
    stop.set()
    assert await waiting is False
