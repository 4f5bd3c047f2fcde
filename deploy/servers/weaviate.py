"""Weaviate as a single node without modules, on loopback, behind an API key of its own for every home."""

import http.client
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar

from deploy.servers import recipes
from deploy.servers.home import Member
from deploy.servers.ports import HOST
from deploy.servers.recipes import Recipe
from deploy.servers.service import LocalService

NODE = "node1"
USER = "veristream"
ANSWER_SECONDS = 2.0
OK = 200
MEMORY_LIMIT = "1GiB"
"""Soft limit of Go's collector; without one Weaviate's own guards against running out of memory do nothing."""


class Weaviate(LocalService):
    """`Weaviate(home).start()`, then `.address`, `.grpc_port` and `.api_key`."""

    name: ClassVar[str] = "weaviate"
    recipe: ClassVar[Recipe] = recipes.WEAVIATE
    port_names: ClassVar[tuple[str, ...]] = ("http", "grpc", "gossip", "data", "raft", "raft_rpc")
    ready_seconds: ClassVar[float] = 120.0
    stop_seconds: ClassVar[float] = 60.0  # a clean stop flushes the vector index, an unclean one can lose from it

    @property
    def address(self) -> str:
        return f"http://{HOST}:{self.placed_members()[0].ports['http']}"

    @property
    def grpc_port(self) -> int:
        return self.placed_members()[0].ports["grpc"]

    @property
    def api_key(self) -> str:
        return self.home.ensure_secret()

    def member_names(self) -> list[str]:
        return ["server"]

    def prepare(self, members: Sequence[Member]) -> None:
        for member in members:
            (self.folder(member) / "data").mkdir(exist_ok=True)

    def command(self, member: Member) -> list[str]:
        binary = str(self.software / recipes.WEAVIATE.binary)
        return [binary, "--host", HOST, "--port", str(member.ports["http"]), "--scheme", "http"]

    def own_environment(self, member: Member) -> dict[str, str]:
        return render_environment(member.ports, self.folder(member) / "data", self.api_key)

    def answers(self, member: Member, running: Sequence[Member]) -> bool:  # noqa: ARG002 - one process, no peers
        return is_ready(member.ports["http"])

    def settings(self) -> dict[str, str]:
        return {
            "VERISTREAM_WEAVIATE_URL": self.address,
            "VERISTREAM_WEAVIATE_GRPC_PORT": str(self.grpc_port),
            "VERISTREAM_WEAVIATE_API_KEY": self.api_key,
        }


def render_environment(ports: Mapping[str, int], data: Path, api_key: str) -> dict[str, str]:
    """Weaviate's settings, all of them environment variables."""
    return {
        "PERSISTENCE_DATA_PATH": str(data),
        "GRPC_PORT": str(ports["grpc"]),
        "CLUSTER_HOSTNAME": NODE,
        "CLUSTER_IN_LOCALHOST": "true",
        "CLUSTER_ADVERTISE_ADDR": HOST,
        "CLUSTER_BIND_ADDR": HOST,
        "CLUSTER_GOSSIP_BIND_PORT": str(ports["gossip"]),
        "CLUSTER_DATA_BIND_PORT": str(ports["data"]),
        "RAFT_PORT": str(ports["raft"]),
        # On one host Weaviate takes a peer's RPC port to be its raft port plus one, itself included.
        "RAFT_INTERNAL_RPC_PORT": str(ports["raft_rpc"]),
        "RAFT_JOIN": f"{NODE}:{ports['raft']}",
        "RAFT_BOOTSTRAP_EXPECT": "1",
        "RAFT_TIMEOUTS_MULTIPLIER": "1",  # a single node elects itself: up in four seconds instead of ten
        # These two listen on every interface, whatever --host says: the first is off, the second asks for a password.
        "GO_PROFILING_DISABLE": "true",
        "CLUSTER_BASIC_AUTH_USERNAME": USER,
        "CLUSTER_BASIC_AUTH_PASSWORD": api_key,
        "GOMEMLIMIT": MEMORY_LIMIT,
        "DISABLE_TELEMETRY": "true",
        "ENABLE_MODULES": "",
        "API_BASED_MODULES_DISABLED": "true",
        "DEFAULT_VECTORIZER_MODULE": "none",
        "AUTHENTICATION_ANONYMOUS_ACCESS_ENABLED": "false",
        "AUTHENTICATION_APIKEY_ENABLED": "true",
        "AUTHENTICATION_APIKEY_ALLOWED_KEYS": api_key,
        "AUTHENTICATION_APIKEY_USERS": USER,
        "AUTHORIZATION_ADMINLIST_ENABLED": "true",
        "AUTHORIZATION_ADMINLIST_USERS": USER,
        "LOG_LEVEL": "warning",
    }


def is_ready(port: int, timeout: float = ANSWER_SECONDS) -> bool:
    """Whether the readiness address answers 200."""
    connection = http.client.HTTPConnection(HOST, port, timeout=timeout)
    try:
        connection.request("GET", "/v1/.well-known/ready")
        return connection.getresponse().status == OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        connection.close()
