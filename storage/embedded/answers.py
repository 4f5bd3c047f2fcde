"""AnswerStore in SQLite."""

from datetime import datetime

import apsw

from storage.embedded.connection import Schema
from storage.embedded.database import Database
from storage.ports.answers import AnswerPolicy, checked_answer
from storage.ports.checks import aware
from storage.times import micros

FIRST = """
CREATE TABLE answers (
  written INTEGER PRIMARY KEY AUTOINCREMENT, -- grows with every write, so that the smallest is the oldest
  key     TEXT NOT NULL UNIQUE,
  text    TEXT NOT NULL,
  until   INTEGER NOT NULL
) STRICT;
CREATE INDEX answers_by_end ON answers (until);
"""
ANSWERS = Schema(component="answers", migrations=(FIRST,))


class SqliteAnswerStore:
    """The embedded AnswerStore. Several processes may have the same file open."""

    def __init__(self, database: Database, policy: AnswerPolicy | None = None) -> None:
        self._db = database
        self._policy = policy or AnswerPolicy()

    @classmethod
    async def open(cls, database: Database, policy: AnswerPolicy | None = None) -> "SqliteAnswerStore":
        """Take a share of `database` and bring its table up to date."""
        await database.migrate(ANSWERS)
        return cls(database.share(), policy)

    async def get(self, key: str, *, now: datetime) -> str | None:
        at = micros(aware("now", now))
        return await self._db.read(lambda db: _get(db, key, at))

    async def put(self, key: str, text: str, *, until: datetime, now: datetime) -> None:
        key, text, until, now = checked_answer(key, text, until, now)
        if len(text) <= self._policy.max_characters:
            await self._db.write(lambda db: self._put(db, key, text, micros(until), micros(now)))

    def _put(self, db: apsw.Connection, key: str, text: str, until: int, now: int) -> None:
        _purge(db, now)
        db.execute("INSERT OR REPLACE INTO answers (key, text, until) VALUES (?, ?, ?)", (key, text, until))
        db.execute(
            "DELETE FROM answers WHERE written <= (SELECT written FROM answers ORDER BY written DESC LIMIT 1 OFFSET ?)",
            (self._policy.max_entries,),
        )

    async def purge(self, now: datetime) -> int:
        at = micros(aware("now", now))
        return await self._db.write(lambda db: _purge(db, at))

    async def count(self) -> int:
        return await self._db.read(lambda db: int(db.execute("SELECT count(*) FROM answers").get))

    async def close(self) -> None:
        await self._db.close()


def _get(db: apsw.Connection, key: str, now: int) -> str | None:
    found = db.execute("SELECT text FROM answers WHERE key = ? AND until > ?", (key, now)).get
    return None if found is None else str(found)


def _purge(db: apsw.Connection, now: int) -> int:
    db.execute("DELETE FROM answers WHERE until <= ?", (now,))
    return db.changes()
