"""The real stores that `deploy/services.py env` leads to, in a space of their own for every test."""

import os
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from storage.servers.config import Neo4jServer, WeaviateServer

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
            f'{", ".join(missing)} not set; run `make services`, then eval "$(python3 deploy/services.py env)"'
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


def servers_environment(space: str, environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """What a process needs to use the servers, in a space of its own."""
    require_servers(environment)
    names = (*NEEDED, "VERISTREAM_NEO4J_USER")
    return {name: environment[name] for name in names if name in environment} | {"VERISTREAM_STORE_SPACE": space}


@contextmanager
def spaces() -> Iterator["Spaces"]:
    """Spaces for the tests of one run; all that was written in them is deleted at the end."""
    require_servers()
    kept = Spaces()
    yield kept
    kept.wipe()


class Spaces:
    """Hands out spaces and wipes them, with clients that need no event loop."""

    def __init__(self) -> None:
        self._begin = fresh_space()
        self._count = 0

    def next(self) -> str:
        self._count += 1
        return f"{self._begin}n{self._count}"

    def wipe_passages(self, space: str) -> None:
        """Delete a space's collections: the server keeps each of them open, so they should not pile up."""
        import httpx

        server = weaviate_server(space)
        headers = {"Authorization": f"Bearer {server.api_key}"}
        with httpx.Client(base_url=server.url, headers=headers, timeout=30, trust_env=False) as http:
            for alias in http.get("/v1/aliases").json()["aliases"]:
                if alias["alias"].startswith(f"{space}_"):
                    http.delete(f"/v1/aliases/{alias['alias']}").raise_for_status()
            for found in http.get("/v1/schema").json()["classes"]:
                if found["class"].startswith(f"{space}_"):
                    http.delete(f"/v1/schema/{found['class']}").raise_for_status()

    def wipe(self) -> None:
        """Delete the nodes of every space handed out."""
        from neo4j import GraphDatabase

        from storage.servers.neo4j.migrations import LABELS

        server = neo4j_server(self._begin)
        auth = (server.user, server.password)
        with GraphDatabase.driver(server.url, auth=auth, notifications_min_severity="OFF") as driver:
            for label in LABELS:
                query = f"MATCH (n:{label}) WHERE n.space STARTS WITH $begin DETACH DELETE n"
                driver.execute_query(query, begin=self._begin)
