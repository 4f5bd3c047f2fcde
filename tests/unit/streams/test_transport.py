"""How events get from the consumer to the stages: nobody waits for another stage, and nothing is handed over twice."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer
from mode import Service
from mode.utils.queues import FlowControlEvent

from agents.claims import intake
from streams import topics
from streams.app import attach, build_app
from streams.delivery.dead_letters import Message
from streams.delivery.gate import Gate
from streams.delivery.loop import StageLoop
from streams.embedded.broker import EmbeddedBroker
from streams.settings import Settings
from streams.topology import Stage
from streams.transport import EagerHandover, RoomyQueue

PATIENCE = 60.0


class Handing(EagerHandover, Service):  # type: ignore[misc]  # mode has no types
    """The smallest service that hands over."""


async def test_what_need_not_wait_is_done_without_a_turn_of_the_event_loop() -> None:
    turns: list[str] = []
    asyncio.get_running_loop().call_soon(turns.append, "turned")

    async def at_once() -> str:
        return "done"

    handed = await Handing().wait_first(at_once(), asyncio.Event().wait())

    assert handed.results == ["done"]
    assert turns == []


async def test_what_has_to_wait_goes_on_where_it_stopped() -> None:
    steps: list[str] = []

    async def in_two_steps() -> None:
        steps.append("before")
        await asyncio.sleep(0)
        steps.append("after")

    await Handing().wait_first(in_two_steps(), asyncio.Event().wait())

    assert steps == ["before", "after"]


async def test_what_waits_is_given_up_when_the_flow_is_suspended() -> None:
    suspended = asyncio.Event()
    given_up = asyncio.Event()

    async def never_ends() -> None:
        suspended.set()
        try:
            await asyncio.Event().wait()
        finally:
            given_up.set()

    await Handing().wait_first(never_ends(), suspended.wait())

    async with asyncio.timeout(PATIENCE):
        await given_up.wait()


async def test_an_error_while_handing_over_is_raised() -> None:
    async def fails() -> None:
        raise ValueError("cannot be handed over")

    with pytest.raises(ValueError, match="cannot be handed over"):
        await Handing().wait_first(fails(), asyncio.Event().wait())


async def test_a_buffer_under_pressure_stops_the_fetching_and_still_takes_what_was_fetched() -> None:
    buffer = RoomyQueue(maxsize=10, flow_control=FlowControlEvent(initially_suspended=False))
    calls: list[str] = []

    def high() -> None:
        calls.append("stop fetching")

    def drop() -> None:
        calls.append("fetch again")

    for number in range(25):
        buffer.put_nowait_enhanced(number, on_pressure_high=high, on_pressure_drop=drop)
        assert not buffer.full()

    assert calls == ["stop fetching"]
    assert [buffer.get_nowait() for _ in range(25)] == list(range(25))
    assert calls == ["stop fetching", "fetch again"]


@asynccontextmanager
async def running(settings: Settings, **stages: tuple[topics.Topic, Callable[[Message], Awaitable[None]]]) -> Any:
    """A Faust app of ours with one event of each stage in hand at most."""
    failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
    app = build_app(settings, "test")
    loops = []
    for name, (reads, process) in stages.items():
        loop = StageLoop(name, process, Gate(name), in_flight=1, fatal=failed.set_result)
        attach(app, settings, Stage(name, reads, intake.handle, (), 10), loop, failed.set_result)
        loops.append(loop)
    app.finalize()
    await app.start()
    async with AsyncExitStack() as stack:
        stack.push_async_callback(app.stop)
        for loop in loops:
            stack.push_async_callback(loop.drain, 0.1)
        yield app
    assert not failed.done()


@pytest.fixture
async def broker() -> AsyncIterator[EmbeddedBroker]:
    with EmbeddedBroker() as embedded:
        yield embedded


async def test_a_stage_that_is_held_up_with_a_backlog_does_not_stop_the_others(
    broker: EmbeddedBroker, tmp_path: Path
) -> None:
    settings = Settings(broker=broker.url, data_dir=tmp_path, in_flight=1)
    holding, passed = asyncio.Event(), asyncio.Event()

    async def hold(_: Message) -> None:
        holding.set()
        await asyncio.Event().wait()

    async def passes(_: Message) -> None:
        passed.set()

    sender = Producer({"bootstrap.servers": broker.address})
    for number in range(1000):
        sender.produce(topics.RETRIEVAL.name, b"{}", str(number))
    assert sender.flush(PATIENCE) == 0

    async with running(settings, held=(topics.RETRIEVAL, hold), quick=(topics.RANKING, passes)):
        async with asyncio.timeout(PATIENCE):
            await holding.wait()
        sender.produce(topics.RANKING.name, b"{}")
        assert sender.flush(PATIENCE) == 0
        async with asyncio.timeout(PATIENCE):
            await passed.wait()


async def test_a_backlog_far_larger_than_the_buffer_is_worked_off_in_order(
    broker: EmbeddedBroker, tmp_path: Path
) -> None:
    settings = Settings(broker=broker.url, data_dir=tmp_path, in_flight=1)
    came: dict[int, list[int]] = {}
    complete = asyncio.Event()

    async def note(message: Message) -> None:
        came.setdefault(message.partition, []).append(message.offset)
        if sum(len(offsets) for offsets in came.values()) == 1000:
            complete.set()

    sender = Producer({"bootstrap.servers": broker.address})
    for number in range(1000):
        sender.produce(topics.RETRIEVAL.name, b"{}", str(number))
    assert sender.flush(PATIENCE) == 0

    async with running(settings, only=(topics.RETRIEVAL, note)):
        async with asyncio.timeout(PATIENCE):
            await complete.wait()

    assert all(offsets == list(range(len(offsets))) for offsets in came.values())
