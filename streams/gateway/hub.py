"""What a gateway hears: its own reader of `verdicts` and `progress`, and those who wait for one job."""

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterator

import structlog
from aiokafka import AIOKafkaConsumer
from aiokafka.errors import KafkaError
from pydantic import ValidationError

from streams import topics
from streams.contracts import ProgressEvent
from streams.kafka import FETCH_WAIT_MS, client_options
from streams.settings import Settings

log = structlog.get_logger("veristream.gateway")

REMEMBERED_JOBS = 2_000
EVENTS_PER_JOB = 200
LISTENER_QUEUE = 500
TERMINAL_EVENTS = frozenset({"decided", "decided_before", "part_decided", "failed"})


class Hub:
    """Reads without a group, so several gateways serve side by side. It only hurries waiters: the ledger decides."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._finished: dict[str, asyncio.Event] = {}
        self._waiting: dict[str, int] = {}
        self._recent: OrderedDict[str, deque[ProgressEvent]] = OrderedDict()
        self._listeners: dict[str, set[asyncio.Queue[ProgressEvent]]] = {}
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

    async def events(self, job_id: str) -> AsyncIterator[ProgressEvent]:
        """What is remembered of a job, then what comes, until it ends."""
        queue: asyncio.Queue[ProgressEvent] = asyncio.Queue(maxsize=LISTENER_QUEUE)
        for event in self._recent.get(job_id, ()):
            queue.put_nowait(event)
        self._listeners.setdefault(job_id, set()).add(queue)
        try:
            while True:
                event = await queue.get()
                yield event
                if event.event in TERMINAL_EVENTS:
                    return
        finally:
            self._listeners[job_id].discard(queue)
            if not self._listeners[job_id]:
                del self._listeners[job_id]

    def last_event(self, job_id: str) -> ProgressEvent | None:
        """The newest event of a job that this gateway heard."""
        events = self._recent.get(job_id)
        return events[-1] if events else None

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
        if event.event == "failed":
            self._verdict(event.job_id)
        self._remember(event)
        for queue in self._listeners.get(event.job_id, ()):
            with contextlib.suppress(asyncio.QueueFull):  # a reader this slow misses events; the ledger has the end
                queue.put_nowait(event)

    def _remember(self, event: ProgressEvent) -> None:
        events = self._recent.setdefault(event.job_id, deque(maxlen=EVENTS_PER_JOB))
        events.append(event)
        self._recent.move_to_end(event.job_id)
        if len(self._recent) > REMEMBERED_JOBS:
            self._recent.popitem(last=False)
