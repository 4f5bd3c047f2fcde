"""Kafka as a test sees it: publish raw records, read topics whole, ask what a group has committed."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient

MIB = 1024 * 1024
METADATA_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Raw:
    """One record to publish. `partition` None means by key."""

    value: bytes | None
    key: bytes | None = None
    partition: int | None = None
    headers: tuple[tuple[str, bytes | None], ...] = ()


@dataclass(frozen=True, slots=True)
class Read:
    """One record as it stands in a topic."""

    topic: str
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]


async def publish(broker: str, topic: str, records: Iterable[Raw]) -> int:
    """Send everything and wait until the broker has all of it: what this returns for is accepted."""
    producer = AIOKafkaProducer(bootstrap_servers=broker, acks="all", linger_ms=5, max_request_size=4 * MIB)
    await producer.start()
    try:
        sends = [
            await producer.send(
                topic, record.value, key=record.key, partition=record.partition, headers=list(record.headers)
            )
            for record in records
        ]
        await asyncio.gather(*sends)
        return len(sends)
    finally:
        await producer.stop()


class Outputs:
    """Everything in some topics from their first offset on, read as it comes."""

    def __init__(self, broker: str, topics: Sequence[str], check: Callable[[], None] = lambda: None) -> None:
        """`check` is called while waiting, and may raise: there is nothing to wait for from a dead worker."""
        self._check = check
        self._broker = broker
        self._topics = topics
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=broker,
            group_id=None,
            auto_offset_reset="earliest",
            max_partition_fetch_bytes=16 * MIB,
            fetch_max_wait_ms=100,
        )
        self.records: list[Read] = []

    async def __aenter__(self) -> Self:
        self._partitions = await _partitions(self._broker, self._topics)
        await self._consumer.start()
        self._consumer.assign(self._partitions)
        await self._consumer.seek_to_beginning(*self._partitions)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._consumer.stop()

    async def ends(self) -> dict[tuple[str, int], int]:
        """Where each partition ends now."""
        ends = await self._consumer.end_offsets(self._partitions)
        return {(place.topic, place.partition): end for place, end in ends.items()}

    async def to_the_end(self) -> list[Read]:
        """Everything up to the offsets that are the ends now."""
        ends = await self._consumer.end_offsets(self._partitions)
        while any([await self._consumer.position(place) < end for place, end in ends.items()]):
            await self._poll()
        return self.records

    async def until(self, enough: Callable[[list[Read]], bool], seconds: float, what: str) -> list[Read]:
        """Read on until `enough` says so."""
        end = asyncio.get_running_loop().time() + seconds
        while not enough(self.records):
            self._check()
            if asyncio.get_running_loop().time() > end:
                raise AssertionError(f"waited {seconds:.0f} s in vain for {what}; read {len(self.records)} records")
            await self._poll()
        return self.records

    async def until_keys(self, topic: str, keys: set[str], seconds: float) -> list[Read]:
        """Read on until every key was seen in `topic`."""

        def missing(records: list[Read]) -> set[str]:
            return keys - {(record.key or b"").decode() for record in records if record.topic == topic}

        try:
            return await self.until(lambda records: not missing(records), seconds, f"{len(keys)} keys in {topic}")
        except AssertionError as error:
            raise AssertionError(f"{error}; missing {sorted(missing(self.records))[:10]}") from None

    async def _poll(self) -> None:
        for batch in (await self._consumer.getmany(timeout_ms=200)).values():
            self.records += [
                Read(one.topic, one.partition, one.offset, one.key, one.value, tuple(one.headers)) for one in batch
            ]


async def _partitions(broker: str, topics: Sequence[str]) -> list[TopicPartition]:
    """Every partition, once the broker knows all topics: a moment after they were made, it may not yet."""
    admin = AIOKafkaAdminClient(bootstrap_servers=broker)
    await admin.start()
    try:
        async with asyncio.timeout(METADATA_SECONDS):
            while True:
                entries = await admin.describe_topics(list(topics))
                if all(entry["error_code"] == 0 and entry["partitions"] for entry in entries):
                    break
                await asyncio.sleep(0.1)
        return [TopicPartition(entry["topic"], part["partition"]) for entry in entries for part in entry["partitions"]]
    finally:
        await admin.close()


async def committed(broker: str, group: str) -> dict[tuple[str, int], int]:
    """Every committed offset of a group, by topic and partition."""
    admin = AIOKafkaAdminClient(bootstrap_servers=broker)
    await admin.start()
    try:
        offsets = await admin.list_consumer_group_offsets(group)
        return {(place.topic, place.partition): entry.offset for place, entry in offsets.items() if entry.offset >= 0}
    finally:
        await admin.close()
