"""The SQLite file behind asyncio: shared commits, isolation of failures, bounded waits, clear refusals."""

import asyncio
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from storage.embedded.connection import APPLICATION_ID, DatabasePolicy, Schema
from storage.embedded.database import Database
from storage.errors import StoreError, StoreFull, StoreMismatch, StoreUnavailable

NOTES = Schema("notes", ("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT;",))
IMPATIENT = DatabasePolicy(busy_timeout_ms=10, busy_attempts=2)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "test.db"


@pytest.fixture
async def database(path: Path) -> AsyncIterator[Database]:
    opened = await Database.open(path, IMPATIENT)
    await opened.migrate(NOTES)
    yield opened
    await opened.close()


async def write(database: Database, text: str) -> None:
    await database.write(lambda db: db.execute("INSERT INTO notes (text) VALUES (?)", (text,)).fetchall())


async def notes(database: Database) -> list[str]:
    return await database.read(lambda db: [text for (text,) in db.execute("SELECT text FROM notes ORDER BY id")])


class Held:
    """Keeps the writing thread busy until released, so that what comes next has to queue."""

    def __init__(self, database: Database) -> None:
        self._started = threading.Event()
        self._release = threading.Event()
        self._task = asyncio.create_task(database.write(self._hold))

    def _hold(self, _: apsw.Connection) -> None:
        self._started.set()
        assert self._release.wait(timeout=30)

    async def __aenter__(self) -> None:
        await asyncio.to_thread(self._started.wait, 30)

    async def __aexit__(self, *_: object) -> None:
        self._release.set()
        await asyncio.gather(self._task, return_exceptions=True)


class TestCommits:
    async def test_writes_that_wait_together_share_one_commit(self, database: Database) -> None:
        commits = 0

        def count() -> bool:
            nonlocal commits
            commits += 1
            return False

        await database.write(lambda db: db.set_commit_hook(count))
        before = commits
        async with Held(database):
            writes = [asyncio.create_task(write(database, f"note {n}")) for n in range(100)]
            await asyncio.sleep(0)
        await asyncio.gather(*writes)
        assert commits - before == 2  # the one that was held, and one for all the others
        assert len(await notes(database)) == 100

    async def test_a_refusal_undoes_its_own_work_and_nobody_elses(self, database: Database) -> None:
        def refuse(db: apsw.Connection) -> None:
            db.execute("INSERT INTO notes (text) VALUES ('half done')")
            raise LookupError("no such thing")

        async with Held(database):
            before = asyncio.create_task(write(database, "before"))
            refused = asyncio.create_task(database.write(refuse))
            after = asyncio.create_task(write(database, "after"))
            await asyncio.sleep(0)
        await asyncio.gather(before, after)
        with pytest.raises(LookupError, match="no such thing"):
            await refused
        assert await notes(database) == ["before", "after"]

    async def test_a_statement_that_fails_takes_nobody_along(self, database: Database) -> None:
        await write(database, "taken")
        async with Held(database):
            writes = [asyncio.create_task(write(database, text)) for text in ("a", "taken", "b")]
            await asyncio.sleep(0)
        answers = await asyncio.gather(*writes, return_exceptions=True)
        assert [type(answer) for answer in answers] == [type(None), StoreError, type(None)]
        assert await notes(database) == ["taken", "a", "b"]

    async def test_a_write_cancelled_before_its_turn_never_happens(self, database: Database) -> None:
        async with Held(database):
            cancelled = asyncio.create_task(write(database, "cancelled"))
            await asyncio.sleep(0)
            cancelled.cancel()
            await asyncio.gather(cancelled, return_exceptions=True)
        await write(database, "next")
        assert await notes(database) == ["next"]

    async def test_a_read_sees_every_write_answered_before(self, database: Database) -> None:
        for n in range(20):
            await write(database, f"note {n}")
            assert len(await notes(database)) == n + 1

    async def test_a_read_sees_one_snapshot_throughout(self, database: Database) -> None:
        first_look, written = threading.Event(), threading.Event()

        def look_twice(db: apsw.Connection) -> tuple[Any, Any]:
            first = db.execute("SELECT count(*) FROM notes").get
            first_look.set()
            assert written.wait(timeout=30)
            return first, db.execute("SELECT count(*) FROM notes").get

        looking = asyncio.create_task(database.read(look_twice))
        await asyncio.to_thread(first_look.wait, 30)
        await write(database, "note")
        written.set()
        assert await looking == (0, 0)

    async def test_a_reader_cannot_write(self, database: Database) -> None:
        with pytest.raises(StoreUnavailable, match="may not be written"):
            await database.read(lambda db: db.execute("DELETE FROM notes").fetchall())


class TestFaults:
    async def test_a_full_disk_is_said_clearly_and_nothing_is_lost(self, path: Path) -> None:
        database = await Database.open(path, DatabasePolicy(max_pages=20))
        await database.migrate(NOTES)
        await write(database, "kept")
        with pytest.raises(StoreFull, match=r"no room left to write .*test\.db; free some disk space"):
            await write(database, "x" * 200_000)
        await write(database, "still room for this")
        assert await notes(database) == ["kept", "still room for this"]
        await database.close()
        larger = await Database.open(path)
        await write(larger, "x" * 200_000)
        assert len(await notes(larger)) == 3
        await larger.close()

    async def test_a_write_too_large_does_not_take_its_neighbours_along(self, path: Path) -> None:
        database = await Database.open(path, DatabasePolicy(max_pages=20))
        await database.migrate(NOTES)
        async with Held(database):
            writes = [asyncio.create_task(write(database, text)) for text in ("a", "x" * 200_000, "b")]
            await asyncio.sleep(0)
        answers = await asyncio.gather(*writes, return_exceptions=True)
        assert [type(answer) for answer in answers] == [type(None), StoreFull, type(None)]
        await database.close()

    async def test_another_process_that_keeps_the_lock_is_waited_for_within_bounds(
        self, database: Database, path: Path
    ) -> None:
        stranger = apsw.Connection(str(path))
        stranger.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreUnavailable, match="locked by another process"):
            await write(database, "note")
        assert await notes(database) == []
        stranger.execute("ROLLBACK")
        stranger.close()
        await write(database, "note")
        assert await notes(database) == ["note"]

    async def test_too_many_waiting_writes_are_turned_away(self, path: Path) -> None:
        database = await Database.open(path, DatabasePolicy(max_queue=2))
        await database.migrate(NOTES)
        async with Held(database):
            waiting = [asyncio.create_task(write(database, text)) for text in ("a", "b")]
            await asyncio.sleep(0)
            with pytest.raises(StoreUnavailable, match="2 writes behind"):
                await write(database, "c")
        await asyncio.gather(*waiting)
        await database.close()

    async def test_a_database_that_does_not_answer_is_given_up_on(self, path: Path) -> None:
        database = await Database.open(path, DatabasePolicy(patience_s=0.05))
        async with Held(database):
            with pytest.raises(StoreUnavailable, match=r"no answer in 0\.05 s"):
                await database.write(lambda _: None)
        await database.close()

    async def test_a_closed_database_says_so(self, path: Path) -> None:
        database = await Database.open(path)
        await database.close()
        with pytest.raises(StoreUnavailable, match="is closed"):
            await database.write(lambda _: None)
        with pytest.raises(StoreUnavailable, match="is closed"):
            await database.read(lambda _: None)

    async def test_closing_finishes_what_is_queued(self, path: Path) -> None:
        database = await Database.open(path)
        await database.migrate(NOTES)
        writes = [asyncio.create_task(write(database, f"note {n}")) for n in range(50)]
        await asyncio.sleep(0)
        await database.close()
        await asyncio.gather(*writes)
        again = await Database.open(path)
        assert len(await notes(again)) == 50
        await again.close()

    async def test_a_shared_database_stays_open_for_the_last_user(self, path: Path) -> None:
        database = await Database.open(path)
        share = database.share()
        await database.close()
        await share.migrate(NOTES)
        assert await notes(share) == []
        await share.close()


class TestOpening:
    async def test_a_fresh_file_is_ours_and_uses_the_write_ahead_log(self, database: Database, path: Path) -> None:
        stranger = apsw.Connection(str(path))
        assert stranger.pragma("application_id") == APPLICATION_ID
        assert stranger.pragma("journal_mode") == "wal"
        stranger.close()

    async def test_another_programs_database_is_left_alone(self, path: Path) -> None:
        path.parent.mkdir()
        stranger = apsw.Connection(str(path))
        stranger.execute("CREATE TABLE theirs (x)")
        stranger.close()
        with pytest.raises(StoreMismatch, match="belongs to another program"):
            await Database.open(path)

    async def test_a_file_that_is_no_database_is_left_alone(self, path: Path) -> None:
        path.parent.mkdir()
        path.write_bytes(b"a letter, not a database" * 100)
        with pytest.raises(StoreMismatch, match="is not a database"):
            await Database.open(path)
        assert path.read_bytes().startswith(b"a letter")

    async def test_a_folder_that_cannot_be_made_is_said_clearly(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("in the way")
        with pytest.raises(StoreUnavailable, match="cannot create"):
            await Database.open(tmp_path / "file" / "test.db")
        (tmp_path / "folder.db").mkdir()
        with pytest.raises(StoreUnavailable, match="cannot open"):
            await Database.open(tmp_path / "folder.db")

    async def test_migrations_run_once_and_in_order(self, path: Path) -> None:
        database = await Database.open(path)
        await database.migrate(NOTES)
        await write(database, "old")
        second = Schema("notes", (*NOTES.migrations, "ALTER TABLE notes ADD COLUMN stars INTEGER NOT NULL DEFAULT 3;"))
        await database.migrate(second)
        await database.migrate(second)
        assert await database.read(lambda db: db.execute("SELECT text, stars FROM notes").fetchall()) == [("old", 3)]
        await database.close()

    async def test_a_migration_that_fails_leaves_the_version_before(self, path: Path) -> None:
        database = await Database.open(path)
        await database.migrate(NOTES)
        broken = Schema("notes", (*NOTES.migrations, "CREATE TABLE more (x); INSERT INTO nowhere VALUES (1);"))
        with pytest.raises(StoreError, match="no such table"):
            await database.migrate(broken)
        tables = await database.read(lambda db: [n for (n,) in db.execute("SELECT name FROM sqlite_schema")])
        assert "more" not in tables
        await database.migrate(NOTES)
        await database.close()

    async def test_a_file_of_a_newer_version_is_left_alone(self, path: Path) -> None:
        database = await Database.open(path)
        await database.migrate(Schema("notes", (*NOTES.migrations, "SELECT 1;")))
        with pytest.raises(StoreMismatch, match="holds version 2 of notes"):
            await database.migrate(NOTES)
        await database.close()
