"""The one thread of a process that writes to a database file: it gathers what is waiting into shared commits."""

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import apsw

from storage.embedded.connection import DatabasePolicy, connect
from storage.embedded.failures import translated
from storage.errors import StoreUnavailable

Work = Callable[[apsw.Connection], Any]
Ticket = tuple[Work, "Future[Any]"]
Answer = tuple[Any, Exception | None]


class Writer:
    """Runs pieces of work in the order they came, several per transaction, each behind a savepoint of its own.

    A future is resolved only after the commit that holds its work, so an answer is a promise. Work may run more
    than once (after a lost lock or a failed commit) and must therefore depend on nothing but the connection.
    """

    def __init__(self, path: Path, policy: DatabasePolicy) -> None:
        self._path = path
        self._policy = policy
        self._queue: queue.Queue[Ticket | None] = queue.Queue(policy.max_queue)
        self._closed = False
        self._ready: Future[None] = Future()
        self._thread = threading.Thread(target=self._run, name=f"writes {path.name}", daemon=True)

    def start(self) -> None:
        """Open the database; raises what opening it raised."""
        self._thread.start()
        self._ready.result(timeout=self._policy.patience_s)

    def submit(self, work: Work) -> "Future[Any]":
        """Queue a piece of work."""
        if self._closed:
            raise StoreUnavailable(f"{self._path} is closed")
        future: Future[Any] = Future()
        try:
            self._queue.put_nowait((work, future))
        except queue.Full:
            raise StoreUnavailable(
                f"{self._path} is {self._policy.max_queue} writes behind; slow down and try again"
            ) from None
        return future

    def close(self) -> None:
        """Finish what is queued, then close."""
        if not self._closed:
            self._closed = True
            self._queue.put(None, timeout=self._policy.patience_s)
        self._thread.join(timeout=self._policy.patience_s)

    def _run(self) -> None:
        try:
            connection = connect(self._path, self._policy, writer=True)
        except apsw.Error as error:
            self._ready.set_exception(translated(error, self._path))
            return
        except Exception as error:  # noqa: BLE001 - handed to whoever waits in start()
            self._ready.set_exception(error)
            return
        self._ready.set_result(None)
        try:
            while self._commit(connection, self._gather()):
                pass
        finally:
            connection.close()

    def _gather(self) -> list[Ticket | None]:
        """Wait for one piece of work and take along whatever else is there."""
        batch: list[Ticket | None] = [self._queue.get()]
        while batch[-1] is not None and len(batch) < self._policy.max_batch:
            try:
                batch.append(self._queue.get_nowait())
            except queue.Empty:
                break
        return batch

    def _commit(self, connection: apsw.Connection, batch: list[Ticket | None]) -> bool:
        """Commit a batch; false when it ended with the order to stop."""
        tickets = [t for t in batch if t is not None and t[1].set_running_or_notify_cancel()]
        if tickets:
            answers = self._answers(connection, [work for work, _ in tickets])
            for (_, future), (value, error) in zip(tickets, answers, strict=True):
                if error is None:
                    future.set_result(value)
                else:
                    future.set_exception(error)
        return None not in batch

    def _answers(self, connection: apsw.Connection, works: list[Work]) -> list[Answer]:
        try:
            return self._transact(connection, works)
        except apsw.BusyError as error:
            return [(None, translated(error, self._path)) for _ in works]
        except apsw.Error as error:
            if len(works) == 1:
                return [(None, translated(error, self._path))]
        # One piece of work (or the sum of them) broke the transaction: each gets its own.
        return [answer for work in works for answer in self._answers(connection, [work])]

    def _transact(self, connection: apsw.Connection, works: list[Work]) -> list[Answer]:
        self._begin(connection)
        try:
            answers = [_guarded(connection, work) for work in works]
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return answers

    def _begin(self, connection: apsw.Connection) -> None:
        for attempt in range(1, self._policy.busy_attempts + 1):
            try:
                connection.execute("BEGIN IMMEDIATE")
            except apsw.BusyError:
                if attempt == self._policy.busy_attempts:
                    raise
            else:
                return


def _guarded(connection: apsw.Connection, work: Work) -> Answer:
    """Run one piece of work; its own refusal undoes it alone, SQLite's failure undoes the transaction."""
    connection.execute("SAVEPOINT work")
    try:
        value = work(connection)
    except apsw.Error:
        raise
    except Exception as error:  # noqa: BLE001 - handed to whoever awaits this work
        connection.execute("ROLLBACK TO work")
        connection.execute("RELEASE work")
        return None, error
    connection.execute("RELEASE work")
    return value, None
