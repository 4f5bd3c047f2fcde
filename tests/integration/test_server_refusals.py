"""A server that cannot be used is told in one clear line, at the start."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from deploy.services import Neo4j, Weaviate
from storage.errors import StoreError, StoreMismatch, StoreRefused, StoreUnavailable
from storage.ports import Embedder
from storage.servers.config import Neo4jServer, WeaviateServer
from storage.servers.neo4j.connection import Neo4jConnection
from storage.servers.weaviate.index import WeaviateEvidenceIndex
from tests.support.old_servers import neo4j_of_version, weaviate_of_version
from tests.support.servers import neo4j_server, weaviate_server

EMBEDDER = Embedder("test-embedder", 8)


@asynccontextmanager
async def refused(kind: type[StoreError], match: str) -> AsyncIterator[None]:
    with pytest.raises(kind, match=match) as caught:
        yield
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)


@pytest.mark.services
async def test_a_wrong_password_is_told(space: str) -> None:
    # A user that does not exist: wrong passwords of the real one would lock it for the tests that follow.
    server = replace(neo4j_server(space), user="nobody", password="wrong")
    async with refused(StoreMismatch, r"Neo4j at bolt://.* refuses user 'nobody'; set VERISTREAM_NEO4J_USER and"):
        await Neo4jConnection.open(server)


@pytest.mark.services
@pytest.mark.parametrize("key", ["wrong", None])
async def test_a_wrong_or_missing_key_is_told(space: str, key: str | None) -> None:
    server = replace(weaviate_server(space), api_key=key)
    async with refused(StoreMismatch, r"Weaviate at http://.* refuses the API key; set VERISTREAM_WEAVIATE_API_KEY"):
        await WeaviateEvidenceIndex.open(server, EMBEDDER)


@pytest.mark.services
async def test_a_database_that_does_not_exist_is_told(space: str) -> None:
    async with refused(StoreMismatch, "has no database 'elsewhere'; create it or name another"):
        await Neo4jConnection.open(replace(neo4j_server(space), database="elsewhere"))


@pytest.mark.services
async def test_a_wrong_grpc_port_is_told(space: str, tmp_path: Path) -> None:
    nobody = Weaviate(tmp_path)
    nobody.reserve()
    server = weaviate_server(space)
    wrong = replace(server, grpc_port=nobody.grpc_port, policy=replace(server.policy, connect_s=1.0))
    async with refused(StoreUnavailable, f"no answer on its gRPC port {nobody.grpc_port}; check VERISTREAM_WEAVIATE"):
        await WeaviateEvidenceIndex.open(wrong, EMBEDDER)


@pytest.mark.parametrize("version", ["1.20.0", "1.31.9"])
async def test_a_weaviate_that_is_too_old_is_told(version: str) -> None:
    async with weaviate_of_version(version) as url, refused(StoreMismatch, f"Weaviate .*{version}.*"):
        await WeaviateEvidenceIndex.open(WeaviateServer(url, 1), EMBEDDER)


@pytest.mark.parametrize("version", ["4.4.12", "5.25.0"])
async def test_a_neo4j_that_is_too_old_is_told(version: str) -> None:
    async with (
        neo4j_of_version(version) as url,
        refused(StoreMismatch, f"Neo4j {version} is too old: .*; upgrade to 5.26 or newer"),
    ):
        await Neo4jConnection.open(Neo4jServer(url))


async def test_a_neo4j_that_does_not_run_is_told(tmp_path: Path) -> None:
    nobody = Neo4j(tmp_path)
    nobody.reserve()
    async with refused(StoreUnavailable, "Neo4j at bolt://.* cannot be reached .*; check that it runs"):
        await Neo4jConnection.open(Neo4jServer(nobody.address))


async def test_a_weaviate_that_does_not_run_is_told(tmp_path: Path) -> None:
    nobody = Weaviate(tmp_path)
    nobody.reserve()
    async with refused(StoreUnavailable, "Weaviate at http://.* cannot be reached .*; check that it runs"):
        await WeaviateEvidenceIndex.open(WeaviateServer(nobody.address, nobody.grpc_port), EMBEDDER)


def test_an_address_that_cannot_be_meant_is_refused() -> None:
    with pytest.raises(StoreRefused, match="give bolt://host:7687"):
        Neo4jServer("http://localhost")
    with pytest.raises(StoreRefused, match="give http://host:8080"):
        WeaviateServer("localhost:8080")
    with pytest.raises(StoreRefused, match="cannot be a space"):
        WeaviateServer("http://localhost", space="no spaces here")


def test_secrets_are_not_shown() -> None:
    assert "hunter2" not in repr(Neo4jServer("bolt://localhost", password="hunter2"))
    assert "hunter2" not in repr(WeaviateServer("http://localhost", api_key="hunter2"))
