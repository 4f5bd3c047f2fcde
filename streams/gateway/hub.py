"""What a gateway hears: its own reader of `verdicts` and `progress`, and those who wait for one job."""

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator

import structlog
from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError
from pydantic import ValidationError

from streams import metrics, topics
from streams.contracts import ProgressEvent
from streams.kafka import FETCH_WAIT_MS, client_options
from streams.settings import Settings

log = structlog.get_logger("veristream.gateway")

REMEMBERED_JOBS = 2_000
EVENTS_PER_JOB = 200
LISTENER_QUEUE = 500
TERMINAL_EVENTS = frozenset({"decided", "decided_before", "part_decided", "failed"})


class TooManyStreams(Exception):  # noqa: N818 - reads as what happened
    """This gateway keeps as many event streams as it may."""


class Listener:
    """One reader of one job's events. One that is too slow is told so, and is not waited for."""

    def __init__(self, remembered: Iterable[ProgressEvent]) -> None:
        self._queue: asyncio.Queue[ProgressEvent] = asyncio.Queue(maxsize=LISTENER_QUEUE)
        self.is_behind = False
        for event in remembered:
            self.hear(event)

    def hear(self, event: ProgressEvent) -> None:
        try:
            self._queue.put_nowait(event)
        except asyncio.QueueFull:
            self.is_behind = True

    async def next(self, seconds: float) -> ProgressEvent | None:
        """The next event, or None when there was none for so long."""
        try:
            async with asyncio.timeout(seconds):
                return await self._queue.get()
        except TimeoutError:
            return None

    @property
    def is_empty(self) -> bool:
        return self._queue.empty()


class Hub:
    """Reads without a group, so several gateways serve side by side. It only hurries waiters: the ledger decides."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._finished: dict[str, asyncio.Event] = {}
        self._waiting: dict[str, int] = {}
        self._recent: OrderedDict[str, deque[ProgressEvent]] = OrderedDict()
        self._listeners: dict[str, set[Listener]] = {}
        self._streams = 0
        self.connected = False

    async def run(self) -> None:
        """Read until cancelled; a broker that goes away is waited for."""
        while True:
            try:
                await self._read()
            except (KafkaError, OSError) as error:
                self.connected = False
                log.warning("the gateway lost the broker; trying again", detail=str(error) or type(error).__name__)
                await asyncio.sleep(1.0)

    @contextlib.contextmanager
    def waiting_for(self, job_id: str) -> Iterator[asyncio.Event]:
        """Register before publishing, so that no verdict can slip by in between."""
        event = self._finished.setdefault(job_id, asyncio.Event())
        self._waiting[job_id] = self._waiting.get(job_id, 0) + 1
        try:
            yield event
        finally:
            self._waiting[job_id] -= 1
            if not self._waiting[job_id]:
                del self._waiting[job_id]
                self._finished.pop(job_id, None)

    @property
    def is_full(self) -> bool:
        """Whether no further event stream fits."""
        return self._streams >= self._settings.gateway_streams

    @contextlib.contextmanager
    def listening(self, job_id: str, after: str | None = None) -> Iterator[Listener]:
        """Hear what is remembered of a job (only what came after the event `after`, if that is), then what comes."""
        if self.is_full:
            raise TooManyStreams
        listener = Listener(self._remembered(job_id, after))
        self._listeners.setdefault(job_id, set()).add(listener)
        self._count(1)
        try:
            yield listener
        finally:
            self._count(-1)
            self._listeners[job_id].discard(listener)
            if not self._listeners[job_id]:
                del self._listeners[job_id]

    def last_event(self, job_id: str) -> ProgressEvent | None:
        """The newest event of a job itself that this gateway heard."""
        return next((event for event in reversed(self._recent.get(job_id, ())) if event.job_id == job_id), None)

    def _remembered(self, job_id: str, after: str | None) -> list[ProgressEvent]:
        events = list(self._recent.get(job_id, ()))
        heard = [number for number, event in enumerate(events) if event.id == after]
        return events[heard[-1] + 1 :] if heard else events

    def _count(self, change: int) -> None:
        self._streams += change
        metrics.HTTP_STREAMS.set(self._streams)

    async def _read(self) -> None:
        prefix = self._settings.topic_prefix
        consumer = AIOKafkaConsumer(
            prefix + topics.VERDICTS.name,
            prefix + topics.PROGRESS.name,
            group_id=None,
            auto_offset_reset="latest",
            fetch_max_wait_ms=FETCH_WAIT_MS,
            **client_options(self._settings),
        )
        await consumer.start()
        try:
            await consumer.seek_to_end()
            for partition in consumer.assignment():
                await consumer.position(partition)  # settle where "now" is before anyone waits
            self.connected = True
            async for record in consumer:
                if record.topic == prefix + topics.VERDICTS.name:
                    self._verdict((record.key or b"").decode(errors="replace"))
                else:
                    self._progress(record.value or b"")
        finally:
            self.connected = False
            await consumer.stop()

    def _verdict(self, job_id: str) -> None:
        if job_id in self._finished:
            self._finished[job_id].set()

    def _progress(self, value: bytes) -> None:
        try:
            event = ProgressEvent.model_validate_json(value)
        except ValidationError as error:
            log.warning("a progress event could not be read", detail=str(error))
            return
        self.hear(event)

    def hear(self, event: ProgressEvent) -> None:
        """Remember an event and pass it on; the steps of a part are its claim's as well."""
        if event.event == "failed":
            self._verdict(event.job_id)
        for job_id in dict.fromkeys((event.job_id, event.family)):
            self._remember(job_id, event)
            for listener in self._listeners.get(job_id, ()):
                listener.hear(event)

    def _remember(self, job_id: str, event: ProgressEvent) -> None:
        events = self._recent.setdefault(job_id, deque(maxlen=EVENTS_PER_JOB))
        events.append(event)
        self._recent.move_to_end(job_id)
        if len(self._recent) > REMEMBERED_JOBS:
            self._recent.popitem(last=False)
