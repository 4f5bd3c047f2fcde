"""What the broker says about our topics: first and last offsets, what the group has committed, and what is lost."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import structlog
from aiokafka import AIOKafkaConsumer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from streams import metrics
from streams.delivery.dead_letters import Message
from streams.kafka import client_options
from streams.settings import Settings

log = structlog.get_logger("veristream.watermarks")

ASK_AGAIN_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Lag:
    """One partition: what is committed (None if nothing ever was) and where it ends."""

    topic: str
    partition: int
    committed: int | None
    beginning: int
    end: int

    @property
    def waiting(self) -> int:
        return max(0, self.end - (self.beginning if self.committed is None else self.committed))


class Watermarks:
    """Asks about the group by name, without ever joining it."""

    def __init__(self, settings: Settings, group: str, topics: Iterable[str]) -> None:
        self._prefix = settings.topic_prefix
        self._group = group
        self._topics = tuple(topics)
        self._admin = AIOKafkaAdminClient(**client_options(settings))
        self._consumer = AIOKafkaConsumer(group_id=None, enable_auto_commit=False, **client_options(settings))

    async def __aenter__(self) -> Self:
        await self._admin.start()
        await self._consumer.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._consumer.stop()
        await self._admin.close()

    async def committed(self, topic: str, partition: int) -> int | None:
        """The next offset that the group would read."""
        place = TopicPartition(self._prefix + topic, partition)
        return (await self._committed([place]))[place]

    async def lags(self) -> list[Lag]:
        """Every partition of the topics, and the lag gauge with them."""
        places = await self._partitions()
        beginnings = await self._consumer.beginning_offsets(places)
        committed = await self._committed(places)
        ends = await self._consumer.end_offsets(places)
        lags = [
            Lag(
                topic=place.topic.removeprefix(self._prefix),
                partition=place.partition,
                committed=committed[place],
                beginning=beginnings[place],
                end=ends[place],
            )
            for place in places
        ]
        for topic in self._topics:
            metrics.CONSUMER_LAG.labels(topic).set(sum(lag.waiting for lag in lags if lag.topic == topic))
        return lags

    async def _partitions(self) -> list[TopicPartition]:
        """Asked of the broker each time: a consumer that subscribes to nothing never learns of any partition."""
        names = [self._prefix + topic for topic in self._topics]
        return [
            TopicPartition(entry["topic"], part["partition"])
            for entry in await self._admin.describe_topics(names)
            for part in entry["partitions"]
        ]

    async def _committed(self, places: list[TopicPartition]) -> dict[TopicPartition, int | None]:
        offsets = await self._admin.list_consumer_group_offsets(self._group, partitions=places)
        known = {place: entry.offset for place, entry in offsets.items() if entry.offset >= 0}
        return {place: known.get(place) for place in places}


class CommittedOffsets(Protocol):
    """What the loss detector asks of the watermarks."""

    async def committed(self, topic: str, partition: int) -> int | None: ...


class LossDetector:
    """Compares each offset with the one that must come next. A gap is lost data: said aloud, never skipped over."""

    def __init__(
        self,
        watermarks: CommittedOffsets,
        *,
        origin: int | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """`origin` is where partitions began, if that is known: what lies before a first commit is then ours too."""
        self._watermarks = watermarks
        self._origin = origin
        self._sleep = sleep
        self._next: dict[tuple[str, int], int] = {}
        self.lost: list[str] = []

    def forget(self) -> None:
        """Partitions changed hands: another worker may move them on before they come back."""
        self._next.clear()

    async def arrived(self, message: Message) -> None:
        """Check one message before it is processed. Our topics have no holes: no compaction, no transactions."""
        place = (message.topic, message.partition)
        expected = self._next.get(place)
        if expected is None:
            expected = await self._first_expected(*place)
        if expected is not None and message.offset > expected:
            missing = f"{message.topic}[{message.partition}] offsets {expected}..{message.offset - 1}"
            self.lost.append(missing)
            metrics.LOST_EVENTS.labels(message.topic).inc(message.offset - expected)
            log.critical(
                "events were lost: the broker dropped them before they were read", lost=missing, topic=message.topic
            )
        self._next[place] = message.offset + 1

    async def _first_expected(self, topic: str, partition: int) -> int | None:
        """Where this group goes on; waits for the broker, because an unchecked first offset could hide a loss."""
        while True:
            try:
                committed = await self._watermarks.committed(topic, partition)
            except (KafkaError, OSError) as error:
                log.warning("cannot ask for the committed offset yet", topic=topic, detail=str(error))
                await self._sleep(ASK_AGAIN_SECONDS)
            else:
                return self._origin if committed is None else committed
