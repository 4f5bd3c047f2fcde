"""The embedded broker: librdkafka's mock cluster, which speaks the real Kafka protocol from memory."""

import logging
from types import TracebackType
from typing import Self

from confluent_kafka import Producer

from streams.topics import TOPICS

START_SECONDS = 10.0


class EmbeddedBroker:
    """Lives as long as this object. It forgets everything when it stops: the supervisor's journal does not."""

    def __init__(self, topic_prefix: str = "") -> None:
        self._prefix = topic_prefix
        self._host: Producer | None = None
        self.address = ""

    def start(self) -> None:
        """Start the cluster and make every topic, so that nothing subscribes to one that does not exist."""
        logger = logging.getLogger("librdkafka")
        logger.setLevel("ERROR")
        self._host = Producer(
            {"bootstrap.servers": "127.0.0.1:1", "test.mock.num.brokers": 1, "log_level": 3}, logger=logger
        )
        brokers = self._host.list_topics(timeout=START_SECONDS).brokers.values()
        self.address = ",".join(f"{broker.host}:{broker.port}" for broker in brokers)
        # The mock cluster has no CreateTopics; asking for a topic's metadata makes it, with four partitions.
        for topic in TOPICS:
            self._host.list_topics(self._prefix + topic.name, timeout=START_SECONDS)

    @property
    def url(self) -> str:
        return f"kafka://{self.address}"

    def stop(self) -> None:
        """Forget everything."""
        self._host = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()
