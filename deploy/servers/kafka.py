"""Apache Kafka in KRaft mode: one node, or a cluster of them on one machine, every node broker and controller."""

import base64
import json
import os
import random
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from deploy.servers import recipes
from deploy.servers.cache import Cache
from deploy.servers.errors import ServiceError
from deploy.servers.home import Member
from deploy.servers.java import java_command, run_to_end
from deploy.servers.kafka_protocol import broker_ids
from deploy.servers.ports import HOST
from deploy.servers.processes import server_environment
from deploy.servers.recipes import Recipe
from deploy.servers.service import LocalService

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
"""A dead letter carries the raw bytes of what was refused: a 2 MB poison value must fit, with room for more."""

FORMAT_SECONDS = 120.0
ANSWER_SECONDS = 2.0

MAX_NODES = 9
HEAP = ("-Xms128m", "-Xmx512m")
LOGGING = (
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
    "-Dorg.slf4j.simpleLogger.showDateTime=true",
    "-Dorg.slf4j.simpleLogger.dateTimeFormat=yyyy-MM-dd'T'HH:mm:ss.SSS",
)


class Kafka(LocalService):
    """`Kafka(home).start()`, then `.address`. With `nodes=3`: replication factor 3, two in-sync replicas required."""

    name: ClassVar[str] = "kafka"
    recipe: ClassVar[Recipe] = recipes.KAFKA
    port_names: ClassVar[tuple[str, ...]] = ("client", "controller")
    ready_seconds: ClassVar[float] = 120.0
    stop_seconds: ClassVar[float] = 30.0

    def __init__(
        self,
        home: Path,
        *,
        nodes: int | None = None,
        properties: Mapping[str, str] | None = None,
        cache: Cache | None = None,
        given_ports: Sequence[Mapping[str, int]] = (),
        draw: random.Random | None = None,
    ) -> None:
        """`nodes` is fixed by the first start in a home (default 1).

        `properties` override what we render, and hold for later starts in this home until others are given.
        """
        super().__init__(home, cache=cache, given_ports=given_ports, draw=draw)
        if nodes is not None and not 1 <= nodes <= MAX_NODES:
            raise ServiceError(f"a Kafka cluster here has 1 to {MAX_NODES} nodes, not {nodes}")
        self.properties = properties
        self.nodes = nodes

    @property
    def address(self) -> str:
        """`host:port` of every node, separated by commas: what clients call bootstrap servers."""
        return ",".join(f"{HOST}:{member.ports['client']}" for member in self.placed_members())

    def member_names(self) -> list[str]:
        existing = [member.name for member in self.home.load()]
        if existing and self.nodes not in {None, len(existing)}:
            raise ServiceError(
                f"{self.home.root} holds a Kafka cluster of {len(existing)}, not {self.nodes}; "
                "`wipe kafka` first or use another --home"
            )
        return existing or [f"node-{number}" for number in range(1, (self.nodes or 1) + 1)]

    def prepare(self, members: Sequence[Member]) -> None:
        cluster = self._cluster_id()
        overrides = self._overrides()
        for member in members:
            data = self.folder(member) / "data"
            text = render_properties(member, members, data, overrides)
            (self.folder(member) / "server.properties").write_text(text, encoding="utf-8")
            if not (data / "meta.properties").exists():
                self._format(member, cluster)

    def command(self, member: Member) -> list[str]:
        options = [*HEAP, *LOGGING]
        return java_command(self.software / "lib", options, "kafka.Kafka", [str(self._properties_file(member))])

    def own_environment(self, member: Member) -> dict[str, str]:
        return {"LOG_DIR": str(self.folder(member))}

    def answers(self, member: Member, running: Sequence[Member]) -> bool:
        expected = {node_id(other) for other in running}
        return expected <= broker_ids(HOST, member.ports["client"], ANSWER_SECONDS)

    def settings(self) -> dict[str, str]:
        return {"VERISTREAM_BROKER": f"kafka://{self.address}"}

    def _properties_file(self, member: Member) -> Path:
        return self.folder(member) / "server.properties"

    def _overrides(self) -> dict[str, str]:
        kept = self.home.folder / "overrides.json"
        if self.properties is not None:
            kept.write_text(json.dumps(dict(self.properties)), encoding="utf-8")
        elif not kept.exists():
            return {}
        return {str(key): str(value) for key, value in json.loads(kept.read_text(encoding="utf-8")).items()}

    def _cluster_id(self) -> str:
        """One random id for all nodes, kept in the home: a node formatted later must join the same cluster."""
        kept = self.home.folder / "cluster.id"
        if not kept.exists():
            kept.write_text(base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("="), encoding="ascii")
        return kept.read_text(encoding="ascii")

    def _format(self, member: Member, cluster: str) -> None:
        # With the equals sign: one id in sixty-four begins with a dash, and would be taken for an option.
        arguments = ["format", f"--cluster-id={cluster}", "--config", str(self._properties_file(member))]
        command = java_command(
            self.software / "lib",
            ["-Xmx128m", *LOGGING],
            "kafka.tools.StorageTool",
            [*arguments, "--ignore-formatted"],
        )
        environment = server_environment(os.environ, self.own_environment(member))
        run_to_end(command, environment, FORMAT_SECONDS, f"formatting the storage of {member.name}")


def node_id(member: Member) -> int:
    return int(member.name.removeprefix("node-"))


def render_properties(
    member: Member, members: Sequence[Member], data: Path, overrides: Mapping[str, str] | None = None
) -> str:
    """The server.properties of one node in a cluster of `members`."""
    replicas = min(len(members), 3)
    in_sync = max(1, replicas - 1)
    client, controller = member.ports["client"], member.ports["controller"]
    voters = ",".join(f"{node_id(other)}@{HOST}:{other.ports['controller']}" for other in members)
    properties: dict[str, object] = {
        "process.roles": "broker,controller",
        "node.id": node_id(member),
        "controller.quorum.voters": voters,
        "controller.listener.names": "CONTROLLER",
        "listeners": f"CLIENT://{HOST}:{client},CONTROLLER://{HOST}:{controller}",
        "advertised.listeners": f"CLIENT://{HOST}:{client}",
        "listener.security.protocol.map": "CLIENT:PLAINTEXT,CONTROLLER:PLAINTEXT",
        "inter.broker.listener.name": "CLIENT",
        "log.dirs": data,
        # A topic appears because `topics create` made it, never because somebody misspelled its name.
        "auto.create.topics.enable": "false",
        "default.replication.factor": replicas,
        "min.insync.replicas": in_sync,
        "offsets.topic.replication.factor": replicas,
        "transaction.state.log.replication.factor": replicas,
        "transaction.state.log.min.isr": in_sync,
        "share.coordinator.state.topic.replication.factor": replicas,
        "share.coordinator.state.topic.min.isr": in_sync,
        # A handful of partitions instead of fifty: internal topics are there in a moment on a small machine.
        "offsets.topic.num.partitions": 5,
        "transaction.state.log.num.partitions": 5,
        "share.coordinator.state.topic.num.partitions": 5,
        "message.max.bytes": MAX_MESSAGE_BYTES,
        # Twice the message: a batch has overhead, and what cannot be replicated would be lost with its leader.
        "replica.fetch.max.bytes": 2 * MAX_MESSAGE_BYTES,
        "replica.fetch.response.max.bytes": 4 * MAX_MESSAGE_BYTES,
        # A killed node may register again only when its old session has run out: 5 s instead of 9 bring it back
        # sooner, and still outlast the pauses of a busy machine.
        "broker.session.timeout.ms": 5000,
        "broker.heartbeat.interval.ms": 1000,
        # Nobody else will join in a moment, and a dead member should be given up as soon as its client asks for.
        "group.initial.rebalance.delay.ms": 0,
        "group.min.session.timeout.ms": 1000,
    }
    rendered = {key: str(value) for key, value in properties.items()} | dict(overrides or {})
    return "".join(f"{key}={value}\n" for key, value in rendered.items())
