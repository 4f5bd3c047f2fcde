"""The loop over one stream: slots, order of acknowledgement, the gate, draining, and giving up."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

from streams.delivery.dead_letters import Message
from streams.delivery.gate import Gate
from streams.delivery.loop import StageLoop

PATIENCE = 20.0


class Place(NamedTuple):
    topic: str
    partition: int


@dataclass(frozen=True, slots=True)
class Incoming:
    """A message as Faust hands it over."""

    offset: int
    partition: int = 0
    topic: str = "test.retrieval"
    key: bytes | None = b"k"
    value: bytes | None = b"v"
    headers: tuple[tuple[str, bytes | None], ...] | None = None

    @property
    def tp(self) -> Place:
        return Place(self.topic, self.partition)


class Consumer:
    """Takes acknowledgements, as the consumer of a Faust app does."""

    def __init__(self, acked: list[int]) -> None:
        self.consumer = self
        self._acked = acked

    def acknowledge(self, message: Incoming) -> None:
        self._acked.append(message.offset)


@dataclass(frozen=True, slots=True)
class Event:
    message: Incoming
    app: Consumer


@dataclass(slots=True)
class Rig:
    """A loop whose handlers finish when the test says so."""

    in_flight: int = 4
    acked: list[int] = field(default_factory=list)
    started: "asyncio.Queue[Message]" = field(default_factory=asyncio.Queue)
    fatal: list[BaseException] = field(default_factory=list)
    gate: Gate = field(default_factory=lambda: Gate("retrieval"))
    incoming: "asyncio.Queue[Event]" = field(default_factory=asyncio.Queue)
    outcomes: "dict[int, asyncio.Future[None]]" = field(default_factory=dict)
    pulled: int = 0
    loop: StageLoop = field(init=False)

    def __post_init__(self) -> None:
        self.loop = StageLoop(
            "retrieval",
            self.process,
            self.gate,
            in_flight=self.in_flight,
            fatal=self.fatal.append,
            prefix="test.",
        )

    async def events(self) -> AsyncIterator[Event]:
        while True:
            event = await self.incoming.get()
            self.pulled += 1
            yield event

    async def process(self, message: Message) -> None:
        future = self.outcomes.setdefault(message.offset, asyncio.get_running_loop().create_future())
        self.started.put_nowait(message)
        await future

    def come(self, *offsets: int) -> None:
        for offset in offsets:
            self.incoming.put_nowait(Event(Incoming(offset), Consumer(self.acked)))

    async def next_started(self, count: int) -> list[Message]:
        async with asyncio.timeout(PATIENCE):
            return [await self.started.get() for _ in range(count)]

    async def settle(self) -> None:
        """Let everything that can run, run."""
        for _ in range(20):
            await asyncio.sleep(0)


async def test_later_events_that_finish_first_wait_to_be_acknowledged() -> None:
    rig = Rig()
    running = asyncio.create_task(rig.loop.run(rig.events()))
    rig.come(0, 1, 2)
    await rig.next_started(3)
    rig.outcomes[1].set_result(None)
    rig.outcomes[2].set_result(None)
    await rig.settle()
    assert rig.acked == []
    rig.outcomes[0].set_result(None)
    await rig.settle()
    assert rig.acked == [0, 1, 2]
    running.cancel()


async def test_no_more_events_are_pulled_than_there_are_slots() -> None:
    rig = Rig(in_flight=2)
    running = asyncio.create_task(rig.loop.run(rig.events()))
    rig.come(0, 1, 2, 3)
    await rig.next_started(2)
    await rig.settle()
    assert rig.pulled == 2
    rig.outcomes[1].set_result(None)
    await rig.next_started(1)
    assert rig.pulled == 3
    running.cancel()


async def test_a_shut_gate_stops_pulling_and_lets_what_is_in_hand_go_on() -> None:
    rig = Rig()
    running = asyncio.create_task(rig.loop.run(rig.events()))
    rig.come(0)
    await rig.next_started(1)
    rig.gate.shut("neo4j is down")
    rig.come(1, 2, 3)
    await rig.settle()
    pulled = rig.pulled
    rig.outcomes[0].set_result(None)
    await rig.settle()
    assert rig.acked == [0]
    assert rig.pulled == pulled
    rig.gate.reopen()
    assert [message.offset for message in await rig.next_started(3)] == [1, 2, 3]
    running.cancel()


async def test_an_error_that_escapes_is_fatal_and_nothing_behind_it_is_acknowledged() -> None:
    rig = Rig()
    running = asyncio.create_task(rig.loop.run(rig.events()))
    rig.come(0, 1)
    await rig.next_started(2)
    rig.outcomes[0].set_exception(RuntimeError("cannot be buried"))
    rig.outcomes[1].set_result(None)
    await rig.settle()
    assert [str(error) for error in rig.fatal] == ["cannot be buried"]
    assert rig.acked == []
    rig.come(2)
    await rig.settle()
    assert rig.started.empty()
    running.cancel()


async def test_draining_waits_for_what_is_in_hand_and_leaves_the_rest_unacknowledged() -> None:
    rig = Rig(in_flight=1)
    running = asyncio.create_task(rig.loop.run(rig.events()))
    rig.come(0, 1)
    await rig.next_started(1)
    draining = asyncio.create_task(rig.loop.drain(PATIENCE))
    await rig.settle()
    assert not draining.done()
    rig.outcomes[0].set_result(None)
    await draining
    await rig.settle()
    assert rig.acked == [0]
    assert rig.started.empty()
    running.cancel()


async def test_what_is_not_finished_when_the_drain_ends_is_cancelled_and_not_acknowledged() -> None:
    rig = Rig()
    running = asyncio.create_task(rig.loop.run(rig.events()))
    rig.come(0, 1)
    await rig.next_started(2)
    rig.outcomes[1].set_result(None)
    await rig.loop.drain(0.01)
    assert rig.outcomes[0].cancelled()
    assert rig.acked == []
    running.cancel()


async def test_a_stream_that_ends_by_itself_is_an_error() -> None:
    async def none() -> AsyncIterator[Event]:
        nothing: list[Event] = []
        for event in nothing:
            yield event

    with pytest.raises(RuntimeError, match="ended by itself"):
        await Rig().loop.run(none())


async def test_a_message_keeps_its_bytes_and_headers_and_loses_the_topic_prefix() -> None:
    rig = Rig()
    running = asyncio.create_task(rig.loop.run(rig.events()))
    headers = (("trace", b"\x00\xff"), ("empty", b""), ("none", None))
    rig.incoming.put_nowait(Event(Incoming(5, 3, key=None, value=None, headers=headers), Consumer(rig.acked)))
    (message,) = await rig.next_started(1)
    assert message == Message("retrieval", 3, 5, None, None, headers)
    running.cancel()
