"""KeyRing in the ledger's SQLite file."""

from dataclasses import replace
from datetime import datetime
from pathlib import Path

import apsw

from storage.embedded.connection import DatabasePolicy, Schema
from storage.embedded.database import Database
from storage.errors import KeyNameTaken, KeyUnknown
from storage.ports.checks import aware
from storage.ports.keys import ApiKey, KeyLimits, Scope
from storage.times import micros, moment_of, optional_micros, optional_moment

FIRST = """
CREATE TABLE api_keys (
  key_id                 TEXT PRIMARY KEY,
  name                   TEXT NOT NULL,
  digest                 TEXT NOT NULL,
  scopes                 TEXT NOT NULL,
  created_at             INTEGER NOT NULL,
  revoked_at             INTEGER,
  submissions_per_minute INTEGER,
  submissions_burst      INTEGER,
  reads_per_minute       INTEGER
) STRICT;
CREATE UNIQUE INDEX api_keys_in_force ON api_keys (name) WHERE revoked_at IS NULL;
"""
KEYS = Schema(component="keys", migrations=(FIRST,))

SELECT = (
    "SELECT key_id, name, digest, scopes, created_at, revoked_at,"
    " submissions_per_minute, submissions_burst, reads_per_minute FROM api_keys "
)


class SqliteKeyRing:
    """The embedded KeyRing. Several processes may have the same file open."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @classmethod
    async def open(cls, path: Path, policy: DatabasePolicy | None = None) -> "SqliteKeyRing":
        """Open the keys at `path`; synchronous=FULL, because a revoked key must not come back with the power."""
        database = await Database.open(path, replace(policy or DatabasePolicy(), synchronous="FULL"))
        try:
            await database.migrate(KEYS)
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def add(self, key: ApiKey) -> None:
        await self._db.write(lambda db: _add(db, key))

    async def key(self, key_id: str) -> ApiKey | None:
        return await self._db.read(lambda db: _first(db, "WHERE key_id = ?", key_id))

    async def keys(self) -> list[ApiKey]:
        return await self._db.read(lambda db: [_key(row) for row in db.execute(SELECT + "ORDER BY created_at, key_id")])

    async def revoke(self, name_or_id: str, now: datetime) -> ApiKey:
        aware("now", now)
        return await self._db.write(lambda db: _revoke(db, name_or_id, now))

    async def close(self) -> None:
        await self._db.close()


def _add(db: apsw.Connection, key: ApiKey) -> None:
    taken = db.execute(
        "SELECT 1 FROM api_keys WHERE key_id = ? OR (name = ? AND revoked_at IS NULL)", (key.key_id, key.name)
    ).get
    if taken:
        raise KeyNameTaken(f"a key named {key.name!r} is in force; revoke it first, or choose another name")
    limits = key.limits
    db.execute(
        "INSERT INTO api_keys VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            key.key_id,
            key.name,
            key.digest,
            " ".join(sorted(key.scopes)),
            micros(key.created_at),
            optional_micros(key.revoked_at),
            limits.submissions_per_minute,
            limits.submissions_burst,
            limits.reads_per_minute,
        ),
    )


def _revoke(db: apsw.Connection, name_or_id: str, now: datetime) -> ApiKey:
    found = _first(db, "WHERE name = ? AND revoked_at IS NULL", name_or_id) or _first(
        db, "WHERE key_id = ?", name_or_id
    )
    if found is None:
        raise KeyUnknown(f"no key in force is called {name_or_id!r}; see `veristream keys list`")
    if found.revoked_at is not None:
        return found
    db.execute("UPDATE api_keys SET revoked_at = ? WHERE key_id = ?", (micros(now), found.key_id))
    return replace(found, revoked_at=moment_of(micros(now)))


def _first(db: apsw.Connection, where: str, value: str) -> ApiKey | None:
    row = db.execute(SELECT + where, (value,)).fetchone()
    return None if row is None else _key(row)


def _key(row: tuple[str, str, str, str, int, int | None, int | None, int | None, int | None]) -> ApiKey:
    key_id, name, digest, scopes, created_at, revoked_at, *limits = row
    return ApiKey(
        key_id=key_id,
        name=name,
        digest=digest,
        scopes=frozenset(Scope(scope) for scope in scopes.split()),
        created_at=moment_of(created_at),
        revoked_at=optional_moment(revoked_at),
        limits=KeyLimits(*limits),
    )
