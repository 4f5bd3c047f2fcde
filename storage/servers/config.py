"""How each server is reached and how patiently; plain values, so that only the settings know the environment."""

import re
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from storage.errors import StoreRefused

SPACE = re.compile(r"[A-Z][A-Za-z0-9]{0,40}")
"""Spaces become part of Weaviate's collection names, which begin with a capital letter."""


def checked_space(space: str) -> str:
    """Return `space` if it may stand in front of names on a server that several systems share."""
    if not SPACE.fullmatch(space):
        raise StoreRefused(f"{space!r} cannot be a space: a capital letter, then up to 40 letters and digits")
    return space


@dataclass(frozen=True, slots=True)
class Neo4jPolicy:
    """Patience with Neo4j. One transaction of ours takes milliseconds."""

    connect_s: float = 5.0
    """For a connection to come about."""
    retry_for_s: float = 5.0
    """How long the driver repeats a transaction that a deadlock, a lost connection or a restart undid."""
    first_retry_s: float = 0.02
    """The first pause between those: a deadlock's winner is done in milliseconds. It doubles."""
    transaction_s: float = 20.0
    """The server ends a transaction after this, whatever it waits for."""
    patience_s: float = 30.0
    """The longest any caller waits for an answer."""
    connections: int = 32
    """Of one process; the server runs one thread for each that is busy."""


@dataclass(frozen=True, slots=True)
class Neo4jServer:
    """Where graph, ledger and registry live."""

    url: str
    user: str = "neo4j"
    password: str = field(default="", repr=False)
    database: str | None = None
    """None is the user's own default."""
    space: str = "Veristream"
    """Systems that share a database differ in this; nothing of one is ever seen by another."""
    policy: Neo4jPolicy = Neo4jPolicy()

    def __post_init__(self) -> None:
        checked_space(self.space)
        schemes = {"bolt", "bolt+s", "bolt+ssc", "neo4j", "neo4j+s", "neo4j+ssc"}
        parts = urlsplit(self.url)
        if parts.scheme not in schemes or not parts.hostname:
            raise StoreRefused(f"{self.url!r} does not lead to Neo4j; give bolt://host:7687 or neo4j://host:7687")


@dataclass(frozen=True, slots=True)
class WeaviatePolicy:
    """Patience with Weaviate, and how much is sent at once."""

    connect_s: float = 5.0
    """For the first answer."""
    read_s: float = 10.0
    """The longest a caller waits for a read: a hundred times what one takes with 100,000 passages."""
    write_s: float = 60.0
    """The same for one message of a batch; building the vector index takes the server a millisecond per passage."""
    batch_objects: int = 500
    batch_bytes: int = 8 << 20
    """Objects and bytes per message: Weaviate accepts 100 MB, smaller ones keep its memory and our waiting flat."""
    reconnect_ms: int = 1_000
    """The longest pause between gRPC's own attempts to reconnect; its default of two minutes outlasts any restart."""
    known_for_s: float = 5.0
    """For how long a reader believes which collection a name stands for. One that was replaced is deleted, so a
    reader notices at once; this bounds the wait where whoever replaced it died before deleting."""
    orphan_after_s: float = 600.0
    """A collection that no name leads to is cleared away after this: whoever made it has long named it, or died."""
    checks_at_once: int = 16
    """Searches under way while looking for unreachable passages."""


@dataclass(frozen=True, slots=True)
class WeaviateServer:
    """Where passages live."""

    url: str
    grpc_port: int = 50051
    api_key: str | None = field(default=None, repr=False)
    space: str = "Veristream"
    """Systems that share a server differ in this; it begins the names of all collections."""
    policy: WeaviatePolicy = WeaviatePolicy()

    def __post_init__(self) -> None:
        checked_space(self.space)
        parts = urlsplit(self.url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise StoreRefused(f"{self.url!r} does not lead to Weaviate; give http://host:8080 or https://host")
