"""One SQLite file behind asyncio: a writing thread, a few reading ones, and a loop that never waits on disk."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import apsw

from storage.embedded.connection import DatabasePolicy, Schema, connect, migrate
from storage.embedded.failures import translated
from storage.embedded.writer import Writer
from storage.errors import StoreUnavailable

T = TypeVar("T")


class Database:
    """Shared by the stores of one process that live in the same file; closed when the last of them lets go."""

    def __init__(self, path: Path, policy: DatabasePolicy) -> None:
        self.path = path
        self._policy = policy
        self._writer = Writer(path, policy)
        self._readers = ThreadPoolExecutor(policy.readers, thread_name_prefix=f"reads {path.name}")
        self._local = threading.local()
        self._reading: list[apsw.Connection] = []
        self._users = 1

    @classmethod
    async def open(cls, path: Path, policy: DatabasePolicy | None = None) -> "Database":
        """Open `path`, creating it and its folder if need be."""
        database = cls(path, policy or DatabasePolicy())
        await asyncio.to_thread(database._start)
        return database

    def _start(self) -> None:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreUnavailable(f"cannot create {self.path.parent}: {error.strerror}") from None
        self._writer.start()

    def share(self) -> "Database":
        """The same database for one more store, which closes it as if it were its own."""
        self._users += 1
        return self

    async def migrate(self, schema: Schema) -> None:
        """Bring a component's tables up to date; several processes may try at once."""
        await self.write(lambda connection: migrate(connection, schema, self.path))

    async def write(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` in a transaction and return its value once that is committed."""
        future = self._writer.submit(work)
        return await self._answer(asyncio.wrap_future(future))

    async def read(self, work: Callable[[apsw.Connection], T]) -> T:
        """Run `work` on one consistent snapshot, which holds every write answered before."""
        loop = asyncio.get_running_loop()
        try:
            future = loop.run_in_executor(self._readers, self._read, work)
        except RuntimeError:
            raise StoreUnavailable(f"{self.path} is closed") from None
        return await self._answer(future)

    async def _answer(self, future: "asyncio.Future[T]") -> T:
        try:
            async with asyncio.timeout(self._policy.patience_s):
                return await future
        except TimeoutError:
            raise StoreUnavailable(f"{self.path} gave no answer in {self._policy.patience_s:g} s; try again") from None

    def _read(self, work: Callable[[apsw.Connection], T]) -> T:
        try:
            connection: apsw.Connection | None = getattr(self._local, "connection", None)
            if connection is None:
                connection = self._local.connection = connect(self.path, self._policy, writer=False)
                self._reading.append(connection)
            connection.execute("BEGIN")
            try:
                return work(connection)
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
        except apsw.Error as error:
            raise translated(error, self.path) from error

    async def close(self) -> None:
        """Let go; the last user finishes the queue and closes the file."""
        self._users -= 1
        if self._users == 0:
            await asyncio.to_thread(self._stop)

    def _stop(self) -> None:
        self._readers.shutdown(wait=True, cancel_futures=True)
        for connection in self._reading:
            connection.close()
        self._writer.close()
