"""Topics and groups of a real cluster: create what the table lists, say what is there, see who consumes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from aiokafka.errors import KafkaError, TopicAlreadyExistsError, for_code

from streams.errors import BrokerUnreachable
from streams.kafka import client_options
from streams.settings import Settings
from streams.topics import TOPICS, Topic

NO_ERROR = 0


@dataclass(frozen=True, slots=True)
class TopicState:
    """A topic of the table as the cluster has it; no partitions means that it is missing."""

    topic: Topic
    full_name: str
    partitions: int
    replication: int

    @property
    def exists(self) -> bool:
        return self.partitions > 0


class ClusterAdmin:
    """A connected admin client over the table of topics."""

    def __init__(self, settings: Settings, client: AIOKafkaAdminClient) -> None:
        self._settings = settings
        self._client = client

    async def topics(self) -> list[TopicState]:
        """Every topic of the table, existing or not."""
        known = {entry["topic"]: entry for entry in await self._client.describe_topics()}
        states = []
        for topic in TOPICS:
            name = self._settings.topic_prefix + topic.name
            entry = known.get(name)
            usable = entry is not None and entry["error_code"] == NO_ERROR
            partitions = entry["partitions"] if usable and entry is not None else []
            replication = min((len(part["replicas"]) for part in partitions), default=0)
            states.append(TopicState(topic, name, len(partitions), replication))
        return states

    async def create_missing(self) -> list[str]:
        """Create what the table lists and the cluster lacks; return the names created."""
        missing = [state for state in await self.topics() if not state.exists]
        if not missing:
            return []
        wanted = [
            NewTopic(
                name=state.full_name,
                num_partitions=self._settings.topic_partitions,
                replication_factor=self._settings.topic_replication,
                topic_configs=state.topic.broker_config(),
            )
            for state in missing
        ]
        answer = await self._client.create_topics(wanted, timeout_ms=20_000)
        for name, code, *message in answer.topic_errors:
            error = for_code(code)
            if code != NO_ERROR and error is not TopicAlreadyExistsError:
                detail = message[0] if message and message[0] else error.__name__
                raise BrokerUnreachable(f"topic {name} could not be created: {detail}")
        return [state.full_name for state in missing]

    async def delete_all(self) -> None:
        """Delete the topics of the table under our prefix, with everything in them."""
        names = [state.full_name for state in await self.topics() if state.exists]
        if names:
            await self._client.delete_topics(names, timeout_ms=20_000)

    async def configuration(self, state: TopicState) -> dict[str, str]:
        """The topic-level settings that the table asks for."""
        return state.topic.broker_config()

    async def active_groups(self, prefix: str) -> dict[str, int]:
        """Members per consumer group whose name starts with `prefix`; empty groups are left out."""
        listed = await self._client.list_consumer_groups()
        names = [entry[0] for entry in listed if entry[0].startswith(prefix)]
        members: dict[str, int] = {}
        for answer in await self._client.describe_consumer_groups(names) if names else []:
            for group in answer.groups:
                _, name, _, _, _, group_members, *_ = group
                if group_members:
                    members[name] = len(group_members)
        return members


@asynccontextmanager
async def cluster_admin(settings: Settings, timeout_seconds: float = 10.0) -> AsyncIterator[ClusterAdmin]:
    """Connect, or say in one line that nobody answers."""
    client = AIOKafkaAdminClient(**client_options(settings), request_timeout_ms=int(timeout_seconds * 1000))
    try:
        async with asyncio.timeout(timeout_seconds):
            await client.start()
    except (KafkaError, OSError, TimeoutError):
        await client.close()
        raise BrokerUnreachable(
            f"no Kafka broker answers at {settings.bootstrap_servers}; check VERISTREAM_BROKER and that it runs"
        ) from None
    try:
        yield ClusterAdmin(settings, client)
    finally:
        await client.close()
