"""One driver behind the stores that live in Neo4j: transactions with managed retries, bounded in time."""

from collections.abc import Awaitable, Callable
from typing import Any, LiteralString, TypeVar

from neo4j import (
    AsyncGraphDatabase,
    AsyncManagedTransaction,
    AsyncSession,
    NotificationMinimumSeverity,
    Record,
    unit_of_work,
)
from neo4j.exceptions import DriverError, Neo4jError

from storage.errors import StoreUnavailable
from storage.servers.config import Neo4jServer
from storage.servers.neo4j.failures import translated
from storage.servers.neo4j.migrations import migrate
from storage.servers.patience import within
from storage.servers.versions import require_version

T = TypeVar("T")
OLDEST = (5, 26)
"""The long-term version that everything here was tried on; `CALL (x) { … }` came shortly before it."""


class Work:
    """A transaction under way. Every statement gets the space; values are parameters, never text."""

    def __init__(self, transaction: AsyncManagedTransaction, space: str) -> None:
        self._transaction = transaction
        self._space = space

    async def rows(self, statement: LiteralString, **parameters: Any) -> list[Record]:
        """Run a statement; all its rows."""
        result = await self._transaction.run(statement, parameters, space=self._space)
        return [row async for row in result]

    async def row(self, statement: LiteralString, **parameters: Any) -> Record | None:
        """Run a statement; its first row, if it has any."""
        rows = await self.rows(statement, **parameters)
        return rows[0] if rows else None

    async def created(self, statement: LiteralString, **parameters: Any) -> int:
        """Run a statement; how many nodes it created."""
        result = await self._transaction.run(statement, parameters, space=self._space)
        summary = await result.consume()
        return summary.counters.nodes_created


class Neo4jConnection:
    """Shared by the stores of one process; closed when the last of them lets go."""

    def __init__(self, server: Neo4jServer) -> None:
        self.server = server
        policy = server.policy
        self._driver = AsyncGraphDatabase.driver(
            server.url,
            auth=(server.user, server.password),
            connection_timeout=policy.connect_s,
            connection_acquisition_timeout=policy.patience_s,
            max_connection_pool_size=policy.connections,
            max_transaction_retry_time=policy.retry_for_s,
            notifications_min_severity=NotificationMinimumSeverity.OFF,
            telemetry_disabled=True,
        )
        # What one session wrote, the next one reads, on whichever member of a cluster it lands.
        self._bookmarks = AsyncGraphDatabase.bookmark_manager()
        self._users = 1

    @classmethod
    async def open(cls, server: Neo4jServer) -> "Neo4jConnection":
        """Reach the server, check that it will do, and bring constraints and indexes up to date."""
        connection = cls(server)
        try:
            async with within(server.policy.patience_s * 2, f"Neo4j at {server.url}"):
                await connection._prepare()
        except BaseException as error:
            await connection._driver.close()
            if isinstance(error, (Neo4jError, DriverError, OSError)):
                raise translated(error, server) from error
            raise
        return connection

    async def _prepare(self) -> None:
        info = await self._driver.get_server_info()
        require_version("Neo4j", info.agent.removeprefix("Neo4j/"), OLDEST, "the stores' statements need its Cypher")
        async with self._session() as session:
            await migrate(session, self.server.url)

    def share(self) -> "Neo4jConnection":
        """The same connection for one more store, which closes it as if it were its own."""
        self._users += 1
        return self

    async def write(self, work: Callable[[Work], Awaitable[T]]) -> T:
        """Run `work` in a transaction of its own, again if need be; its value once that is committed.

        It must depend on nothing but the transaction, because it may run more than once.
        """
        return await self._run(work, writing=True)

    async def read(self, work: Callable[[Work], Awaitable[T]]) -> T:
        """Run `work` in a transaction that only reads."""
        return await self._run(work, writing=False)

    async def _run(self, work: Callable[[Work], Awaitable[T]], *, writing: bool) -> T:
        policy = self.server.policy

        @unit_of_work(timeout=policy.transaction_s)
        async def transact(transaction: AsyncManagedTransaction) -> T:
            return await work(self._work(transaction))

        if self._users == 0:
            raise StoreUnavailable(f"the connection to Neo4j at {self.server.url} is closed")
        try:
            async with within(policy.patience_s, f"Neo4j at {self.server.url}"), self._session() as session:
                return await (session.execute_write(transact) if writing else session.execute_read(transact))
        except (Neo4jError, DriverError, OSError) as error:
            raise translated(error, self.server) from error

    def _work(self, transaction: AsyncManagedTransaction) -> Work:
        return Work(transaction, self.server.space)

    def _session(self) -> AsyncSession:
        policy = self.server.policy
        return self._driver.session(
            database=self.server.database,
            bookmark_manager=self._bookmarks,
            initial_retry_delay=policy.first_retry_s,
        )

    async def close(self) -> None:
        """Let go; the last user closes the driver."""
        self._users -= 1
        if self._users == 0:
            await self._driver.close()
