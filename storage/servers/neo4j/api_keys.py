"""KeyRing in Neo4j: every method is one transaction."""

from datetime import datetime
from typing import Any, LiteralString

from neo4j import Record

from storage.errors import KeyNameTaken, KeyUnknown
from storage.ports.checks import aware
from storage.ports.keys import ApiKey, KeyLimits, Scope
from storage.servers.neo4j.connection import Neo4jConnection, Work
from storage.times import micros, moment_of, optional_moment

KEY: LiteralString = (
    " RETURN k.key_id AS key_id, k.name AS name, k.digest AS digest, k.scopes AS scopes, k.created_at AS created_at,"
    " k.revoked_at AS revoked_at, k.submissions_per_minute AS submissions_per_minute,"
    " k.submissions_burst AS submissions_burst, k.reads_per_minute AS reads_per_minute "
)
THE_KEY: LiteralString = "MATCH (k:ApiKey {space: $space, key_id: $key_id})"
IN_FORCE: LiteralString = "MATCH (k:ApiKey {space: $space, name_in_force: $name})"
# A MERGE on a unique property creates one node, however many try.
ADD: LiteralString = "MERGE (k:ApiKey {space: $space, name_in_force: $name}) ON CREATE SET k += $row"
ALL: LiteralString = (
    "MATCH (k:ApiKey) WHERE k.space = $space AND k.key_id IS NOT NULL" + KEY + "ORDER BY created_at, key_id"
)
LOCK: LiteralString = THE_KEY + " SET k.locked = true"
REVOKE: LiteralString = THE_KEY + " SET k.revoked_at = coalesce(k.revoked_at, $at) REMOVE k.name_in_force" + KEY


class Neo4jKeyRing:
    """The KeyRing on a server that any number of gateways share."""

    def __init__(self, connection: Neo4jConnection) -> None:
        self._db = connection.share()

    async def add(self, key: ApiKey) -> None:
        await self._db.write(lambda work: _add(work, key))

    async def key(self, key_id: str) -> ApiKey | None:
        return await self._db.read(lambda work: _key(work, key_id))

    async def keys(self) -> list[ApiKey]:
        return await self._db.read(_keys)

    async def revoke(self, name_or_id: str, now: datetime) -> ApiKey:
        at = micros(aware("now", now))
        return await self._db.write(lambda work: _revoke(work, name_or_id, at))

    async def close(self) -> None:
        await self._db.close()


async def _add(work: Work, key: ApiKey) -> None:
    known = await _key(work, key.key_id)
    if known is not None or not await work.created(ADD, name=key.name, row=_columns(key)):
        raise KeyNameTaken(f"a key named {key.name!r} is in force; revoke it first, or choose another name")


async def _key(work: Work, key_id: str) -> ApiKey | None:
    row = await work.row(THE_KEY + KEY, key_id=key_id)
    return None if row is None else _read(row)


async def _keys(work: Work) -> list[ApiKey]:
    return [_read(row) for row in await work.rows(ALL)]


async def _revoke(work: Work, name_or_id: str, at: int) -> ApiKey:
    named = await work.row(IN_FORCE + " RETURN k.key_id AS key_id", name=name_or_id)
    key_id = named["key_id"] if named else name_or_id
    await work.rows(LOCK, key_id=key_id)
    row = await work.row(REVOKE, key_id=key_id, at=at)
    if row is None:
        raise KeyUnknown(f"no key in force is called {name_or_id!r}; see `veristream keys list`")
    return _read(row)


def _columns(key: ApiKey) -> dict[str, Any]:
    return {
        "key_id": key.key_id,
        "name": key.name,
        "digest": key.digest,
        "scopes": sorted(key.scopes),
        "created_at": micros(key.created_at),
        "submissions_per_minute": key.limits.submissions_per_minute,
        "submissions_burst": key.limits.submissions_burst,
        "reads_per_minute": key.limits.reads_per_minute,
    }


def _read(row: Record) -> ApiKey:
    return ApiKey(
        key_id=row["key_id"],
        name=row["name"],
        digest=row["digest"],
        scopes=frozenset(Scope(scope) for scope in row["scopes"]),
        created_at=moment_of(row["created_at"]),
        revoked_at=optional_moment(row["revoked_at"]),
        limits=KeyLimits(row["submissions_per_minute"], row["submissions_burst"], row["reads_per_minute"]),
    )
