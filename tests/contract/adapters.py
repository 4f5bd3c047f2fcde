"""How each adapter's stores are opened, in the test's process or in another one: a new adapter is one more kind."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from storage.embedded.answers import SqliteAnswerStore
from storage.embedded.keys import SqliteKeyRing
from storage.embedded.stores import LEDGER_FILE, open_embedded, open_knowledge
from storage.ports import AnswerPolicy, AnswerStore, Embedder, KeyRing, Stores
from storage.servers.neo4j.answers import Neo4jAnswerStore
from storage.servers.neo4j.connection import Neo4jConnection
from storage.servers.stores import open_stores as open_configured
from tests.support.servers import neo4j_server, weaviate_server

EMBEDDER = Embedder("test-embedder", 8)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one test's data lives. `where` is a folder; in front of it the space of what lies on a server."""

    kind: str
    where: str

    def to_json(self) -> str:
        return json.dumps(asdict(self))


async def open_stores(place: Place, embedder: Embedder = EMBEDDER) -> Stores:
    """All stores at `place`; opening it again shares the data."""
    if place.kind == "embedded":
        return await open_embedded(Path(place.where), embedder)
    space, _, folder = place.where.partition("@")
    if place.kind == "weaviate":
        return await open_configured(embedder, data_dir=Path(folder), weaviate=weaviate_server(space))
    if place.kind == "neo4j":
        return await open_configured(embedder, data_dir=Path(folder), neo4j=neo4j_server(space))
    raise ValueError(f"no adapter is called {place.kind!r}")


async def open_answers(place: Place, policy: AnswerPolicy) -> AnswerStore:
    """The answer store at `place` with limits of its own."""
    space, _, folder = place.where.partition("@")
    if place.kind == "neo4j":
        connection = await Neo4jConnection.open(neo4j_server(space))
        on_server = Neo4jAnswerStore(connection, policy)
        await connection.close()  # the store holds a share of its own
        return on_server
    knowledge = await open_knowledge(Path(folder or space))
    embedded = await SqliteAnswerStore.open(knowledge, policy)
    await knowledge.close()
    return embedded


async def open_key_ring(place: Place) -> KeyRing:
    """The keys at `place`."""
    if place.kind == "embedded":
        return await SqliteKeyRing.open(Path(place.where) / LEDGER_FILE)
    from storage.servers.neo4j.api_keys import Neo4jKeyRing

    connection = await Neo4jConnection.open(neo4j_server(place.where.partition("@")[0]))
    ring = Neo4jKeyRing(connection)
    await connection.close()  # the ring holds a share of its own
    return ring
