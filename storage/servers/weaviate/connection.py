"""One async client of a Weaviate server: reached, checked, and every call bounded in time."""

from collections.abc import Awaitable
from typing import TypeVar
from urllib.parse import urlsplit

import weaviate
from weaviate import WeaviateAsyncClient
from weaviate.classes.init import AdditionalConfig, Auth, Timeout
from weaviate.collections import CollectionAsync
from weaviate.config import GrpcConfig

from storage.errors import StoreError, StoreUnavailable
from storage.servers.config import WeaviateServer
from storage.servers.patience import within
from storage.servers.versions import require_version
from storage.servers.weaviate.failures import REPORTED, is_gone, translated

T = TypeVar("T")
OLDEST = (1, 32)
"""Aliases, which make a swap atomic, came with this version."""


def _client(server: WeaviateServer) -> WeaviateAsyncClient:
    parts = urlsplit(server.url)
    secure = parts.scheme == "https"
    host = parts.hostname or ""
    policy = server.policy
    # grpc's own pauses between attempts to reconnect grow to two minutes: a server that is back would not be seen.
    backoff = [
        ("grpc.initial_reconnect_backoff_ms", 100),
        ("grpc.min_reconnect_backoff_ms", 100),
        ("grpc.max_reconnect_backoff_ms", policy.reconnect_ms),
    ]
    return weaviate.use_async_with_custom(
        http_host=host,
        http_port=parts.port or (443 if secure else 80),
        http_secure=secure,
        grpc_host=host,
        grpc_port=server.grpc_port,
        grpc_secure=secure,
        auth_credentials=Auth.api_key(server.api_key) if server.api_key else None,
        additional_config=AdditionalConfig(
            timeout=Timeout(init=policy.connect_s, query=policy.read_s, insert=policy.write_s),
            grpc_config=GrpcConfig(channel_options=backoff),
        ),
        skip_init_checks=True,  # they ask a package registry for the client's newest version
    )


class WeaviateConnection:
    """What the modules of the index share."""

    def __init__(self, server: WeaviateServer) -> None:
        self.server = server
        self.client = _client(server)
        self._where = f"Weaviate at {server.url}"

    @classmethod
    async def open(cls, server: WeaviateServer) -> "WeaviateConnection":
        """Reach the server over both of its ports and check that it will do."""
        connection = cls(server)
        try:
            await connection.read(connection.client.connect())
            meta = await connection.read(connection.client.get_meta())
            version = str(meta.get("version", ""))
            require_version("Weaviate", version, OLDEST, "collections are swapped through aliases")
            await connection._reach_grpc()
        except BaseException:
            await connection.client.close()
            raise
        return connection

    async def _reach_grpc(self) -> None:
        """A first query, so that a wrong gRPC port shows at the start and not at the first search."""
        nowhere = self.collection(f"{self.server.space}_nowhere_at_all")
        try:
            await self._answer(nowhere.query.fetch_objects(limit=1), self.server.policy.connect_s)
        except StoreUnavailable as error:
            raise StoreUnavailable(
                f"{self._where} gives no answer on its gRPC port {self.server.grpc_port};"
                " check VERISTREAM_WEAVIATE_GRPC_PORT"
            ) from error
        except StoreError as error:
            if not is_gone(error.__cause__ or error):
                raise

    def collection(self, physical: str) -> CollectionAsync:
        """A handle on one generation of a collection; nothing is asked of the server."""
        return self.client.collections.use(physical)

    async def read(self, call: Awaitable[T]) -> T:
        """The answer to a call that reads or changes the schema."""
        return await self._answer(call, self.server.policy.read_s)

    async def write(self, call: Awaitable[T]) -> T:
        """The answer to a call that writes."""
        return await self._answer(call, self.server.policy.write_s)

    async def _answer(self, call: Awaitable[T], seconds: float) -> T:
        try:
            async with within(seconds, self._where):
                return await call
        except REPORTED as error:
            raise translated(error, self.server) from error

    async def close(self) -> None:
        """Let go of the server."""
        await self.client.close()
