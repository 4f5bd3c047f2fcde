"""The broker to measure on: a real Kafka or an embedded one, started for the run, or one that runs already."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from confluent_kafka.admin import AdminClient, NewTopic

from deploy.servers.home import Member
from deploy.servers.recipes import KAFKA, installed
from deploy.services import Kafka
from streams.embedded.broker import EmbeddedBroker

ANSWER_SECONDS = 20.0


def client(address: str) -> dict[str, str | int]:
    """Options of librdkafka's clients. Only errors are worth a line: connections come and go with every run."""
    return {"bootstrap.servers": address, "log_level": 2}


@dataclass(frozen=True, slots=True)
class Broker:
    """Where it listens, and what it is in words."""

    address: str
    kind: str
    embedded: bool
    """It has no CreateTopics (it makes a topic when asked about it), and its groups have one member."""
    partitions: int

    def make_topics(self, names: list[str]) -> None:
        """Return when every topic is known, so that nobody subscribes to one that is not there yet."""
        admin = AdminClient(client(self.address))
        if not self.embedded:
            wanted = [NewTopic(name, num_partitions=self.partitions) for name in names]
            for made in admin.create_topics(wanted, request_timeout=ANSWER_SECONDS).values():
                made.result(ANSWER_SECONDS)
        end = time.monotonic() + ANSWER_SECONDS
        while any(admin.list_topics(name, timeout=ANSWER_SECONDS).topics[name].error is not None for name in names):
            if time.monotonic() > end:
                raise TimeoutError(f"topics were not created on {self.address} within {ANSWER_SECONDS:.0f} s")
            time.sleep(0.1)

    def drop_topics(self, names: list[str]) -> None:
        """A cluster that was there before is left as it was."""
        if not self.embedded:
            admin = AdminClient(client(self.address))
            for dropped in admin.delete_topics(names, request_timeout=ANSWER_SECONDS).values():
                dropped.result(ANSWER_SECONDS)


class SettledKafka(Kafka):
    """A Kafka without the JVM's second compiler, which would take up to a core of a small machine for minutes.

    A broker that has run for hours is done compiling. Ours has just been started, and what it compiles during one
    variant would be missing from that variant's figures.
    """

    def own_environment(self, member: Member) -> dict[str, str]:
        return super().own_environment(member) | {"JAVA_TOOL_OPTIONS": "-XX:TieredStopAtLevel=1"}


@contextmanager
def open_broker(choice: str, folder: Path, partitions: int) -> Iterator[Broker]:
    """`kafka`, `embedded`, `auto` (Kafka where it is installed) or the address of one that runs."""
    if choice == "auto":
        choice = "kafka" if installed(KAFKA, Kafka(folder).cache) else "embedded"
    if choice == "kafka":
        kafka = SettledKafka(folder)
        try:
            kafka.start()
            yield Broker(kafka.address, f"Apache Kafka {KAFKA.version}, one node", False, partitions)
        finally:
            kafka.wipe()
    elif choice == "embedded":
        with EmbeddedBroker() as embedded:
            yield Broker(embedded.address, "embedded (librdkafka's mock cluster)", True, 4)
    else:
        yield Broker(choice, f"the cluster at {choice}", False, partitions)
