"""The notes of one event on `progress`: told while the step runs where the broker takes them, the rest at its end.

What is told early may be told again, when the step is tried again or delivered again: the event has the same id, and
the last one holds. Nothing waits for it, and nothing fails by it.
"""

import asyncio
from collections.abc import Callable, Sequence
from datetime import datetime

from agents.results import Note, Send
from streams import topics
from streams.contracts import Position, ProgressEvent, progress
from streams.delivery.producer import Producer
from streams.wire import encode

MOST_EARLY = 64
"""Notes of one event that are told early; a step that has more of them tells the others at its end."""


class Telling:
    """Called with a note, it sends the note's event at once."""

    def __init__(self, stage: str, at: Position, producer: Producer, clock: Callable[[], datetime]) -> None:
        self._stage, self._at, self._producer, self._clock = stage, at, producer, clock
        self._noted: list[Note] = []
        self._early: list[tuple[ProgressEvent, asyncio.Task[None]]] = []

    def begin(self) -> None:
        """A step that is tried again notes everything from the beginning."""
        self._noted.clear()

    def __call__(self, note: Note) -> None:
        self._noted.append(note)
        event = self._events(self._noted)[-1]
        if len(self._early) < MOST_EARLY and not any(_same(event, told) for told, _ in self._early):
            sent = self._producer.send(topics.PROGRESS.name, event.family.encode(), encode(event))
            self._early.append((event, asyncio.ensure_future(sent)))

    async def rest(self, notes: Sequence[Note]) -> tuple[Send, ...]:
        """What is left to tell of a step with these notes, once everything early has arrived or failed."""
        await self._settled()
        told = [event for event, task in self._early if task.exception() is None]
        left = [event for event in self._events(notes) if not any(_same(event, one) for one in told)]
        return tuple(Send(topics.PROGRESS.name, event.family, event) for event in left)

    async def end(self) -> None:
        """Nothing is under way any more when this returns."""
        for _, task in self._early:
            task.cancel()
        await self._settled()

    async def _settled(self) -> None:
        if self._early:
            await asyncio.gather(*(task for _, task in self._early), return_exceptions=True)

    def _events(self, notes: Sequence[Note]) -> list[ProgressEvent]:
        return progress(self._stage, self._at, notes, self._clock())


def _same(one: ProgressEvent, other: ProgressEvent) -> bool:
    return one.id == other.id and one.detail == other.detail
