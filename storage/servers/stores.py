"""Opens the stores that are configured: servers where there is one, embedded in a folder where there is none."""

from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from storage.embedded.answers import SqliteAnswerStore
from storage.embedded.evidence import SqliteEvidenceIndex
from storage.embedded.graph import SqliteKnowledgeGraph
from storage.embedded.ledger import SqliteLedger
from storage.embedded.stores import LEDGER_FILE, open_embedded, open_knowledge
from storage.embedded.urls import SqliteUrlRegistry
from storage.ports import Embedder, EvidenceIndex, RegistryPolicy, Stores
from storage.servers.config import Neo4jServer, WeaviateServer

if TYPE_CHECKING:
    from storage.servers.neo4j.connection import Neo4jConnection

# The servers' clients take a second to import: each is imported where it is used.


async def open_stores(
    embedder: Embedder,
    *,
    data_dir: Path,
    weaviate: WeaviateServer | None = None,
    neo4j: Neo4jServer | None = None,
    registry: RegistryPolicy | None = None,
) -> Stores:
    """All stores; what has no server lives in `data_dir`, which is not touched when both have one."""
    if weaviate is not None and neo4j is not None:
        return await open_servers(embedder, weaviate=weaviate, neo4j=neo4j, registry=registry)
    if weaviate is not None:
        return await _passages_on_a_server(embedder, data_dir, weaviate, registry)
    if neo4j is not None:
        return await _graph_on_a_server(embedder, data_dir, neo4j, registry)
    return await open_embedded(data_dir, embedder, registry=registry)


async def open_servers(
    embedder: Embedder, *, weaviate: WeaviateServer, neo4j: Neo4jServer, registry: RegistryPolicy | None = None
) -> Stores:
    """All stores on servers."""
    async with AsyncExitStack() as undo:
        index = await _index(weaviate, embedder)
        undo.push_async_callback(index.close)
        connection = await _connection(neo4j)
        undo.pop_all()
        return await _with_graph(index, connection, registry)


async def _index(weaviate: WeaviateServer, embedder: Embedder) -> EvidenceIndex:
    from storage.servers.weaviate.index import WeaviateEvidenceIndex

    return await WeaviateEvidenceIndex.open(weaviate, embedder)


async def _connection(neo4j: Neo4jServer) -> "Neo4jConnection":
    from storage.servers.neo4j.connection import Neo4jConnection

    return await Neo4jConnection.open(neo4j)


async def _with_graph(index: EvidenceIndex, connection: "Neo4jConnection", registry: RegistryPolicy | None) -> Stores:
    from storage.servers.neo4j.answers import Neo4jAnswerStore
    from storage.servers.neo4j.graph import Neo4jKnowledgeGraph
    from storage.servers.neo4j.ledger import Neo4jLedger
    from storage.servers.neo4j.urls import Neo4jUrlRegistry

    stores = Stores(
        ledger=Neo4jLedger(connection),
        index=index,
        graph=Neo4jKnowledgeGraph(connection),
        urls=Neo4jUrlRegistry(connection, registry),
        answers=Neo4jAnswerStore(connection),
    )
    await connection.close()  # the four stores hold shares of their own
    return stores


async def _graph_on_a_server(
    embedder: Embedder, data_dir: Path, neo4j: Neo4jServer, registry: RegistryPolicy | None
) -> Stores:
    async with AsyncExitStack() as undo:
        knowledge = await open_knowledge(data_dir)
        undo.push_async_callback(knowledge.close)
        index = await SqliteEvidenceIndex.open(knowledge, embedder)
        undo.push_async_callback(index.close)
        connection = await _connection(neo4j)
        undo.pop_all()
        await knowledge.close()  # the index holds a share of its own
        return await _with_graph(index, connection, registry)


async def _passages_on_a_server(
    embedder: Embedder, data_dir: Path, weaviate: WeaviateServer, registry: RegistryPolicy | None
) -> Stores:
    async with AsyncExitStack() as undo:
        index = await _index(weaviate, embedder)
        undo.push_async_callback(index.close)
        ledger = await SqliteLedger.open(data_dir / LEDGER_FILE)
        undo.push_async_callback(ledger.close)
        knowledge = await open_knowledge(data_dir)
        undo.push_async_callback(knowledge.close)
        graph = await SqliteKnowledgeGraph.open(knowledge)
        undo.push_async_callback(graph.close)
        urls = await SqliteUrlRegistry.open(knowledge, registry)
        undo.push_async_callback(urls.close)
        answers = await SqliteAnswerStore.open(knowledge)
        undo.pop_all()
        await knowledge.close()  # the three stores hold shares of their own
        return Stores(ledger=ledger, index=index, graph=graph, urls=urls, answers=answers)
