"""The real stores that `deploy/services.py env` leads to, in a space of their own for every test."""

import os
import uuid
from collections.abc import Mapping

from neo4j import AsyncGraphDatabase

from storage.ports import Embedder, Stores
from storage.servers.config import Neo4jServer, WeaviateServer
from storage.servers.neo4j.migrations import LABELS
from storage.servers.stores import open_servers
from storage.servers.weaviate.connection import WeaviateConnection

NEEDED = (
    "VERISTREAM_NEO4J_URL",
    "VERISTREAM_NEO4J_PASSWORD",
    "VERISTREAM_WEAVIATE_URL",
    "VERISTREAM_WEAVIATE_GRPC_PORT",
    "VERISTREAM_WEAVIATE_API_KEY",
)


def require_servers(environment: Mapping[str, str] = os.environ) -> None:
    """Fail, rather than skip, where the servers are not there."""
    missing = [name for name in NEEDED if not environment.get(name)]
    if missing:
        raise RuntimeError(
            f"{', '.join(missing)} not set; run `make services`, then eval \"$(python3 deploy/services.py env)\""
        )


def fresh_space() -> str:
    """A space that nothing else uses."""
    return f"T{uuid.uuid4().hex[:16]}"


def neo4j_server(space: str, environment: Mapping[str, str] = os.environ) -> Neo4jServer:
    return Neo4jServer(
        environment["VERISTREAM_NEO4J_URL"],
        environment.get("VERISTREAM_NEO4J_USER", "neo4j"),
        environment["VERISTREAM_NEO4J_PASSWORD"],
        space=space,
    )


def weaviate_server(space: str, environment: Mapping[str, str] = os.environ) -> WeaviateServer:
    return WeaviateServer(
        environment["VERISTREAM_WEAVIATE_URL"],
        int(environment["VERISTREAM_WEAVIATE_GRPC_PORT"]),
        environment["VERISTREAM_WEAVIATE_API_KEY"],
        space=space,
    )


async def open_space(space: str, embedder: Embedder) -> Stores:
    require_servers()
    return await open_servers(embedder, weaviate=weaviate_server(space), neo4j=neo4j_server(space))


async def wipe_space(space: str) -> None:
    """Delete everything a test wrote, on both servers."""
    await wipe_weaviate(weaviate_server(space))
    await wipe_neo4j(neo4j_server(space))


async def wipe_weaviate(server: WeaviateServer) -> None:
    connection = await WeaviateConnection.open(server)
    client = connection.client
    for alias in await client.alias.list_all():
        if alias.startswith(f"{server.space}_"):
            await client.alias.delete(alias_name=alias)
    for physical in await client.collections.list_all(simple=True):
        if physical.startswith(f"{server.space}_"):
            await client.collections.delete(physical)
    await connection.close()


async def wipe_neo4j(server: Neo4jServer) -> None:
    async with AsyncGraphDatabase.driver(
        server.url, auth=(server.user, server.password), notifications_min_severity="OFF"
    ) as driver:
        for label in LABELS:
            await driver.execute_query(f"MATCH (n:{label}) WHERE n.space = $space DETACH DELETE n", space=server.space)
