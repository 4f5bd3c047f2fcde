"""AnswerStore in Neo4j."""

from datetime import datetime
from typing import LiteralString

from storage.ports.answers import AnswerPolicy, checked_answer
from storage.ports.checks import aware
from storage.servers.neo4j.connection import Neo4jConnection, Work
from storage.times import micros

PURGED_AT_ONCE = 1_000
"""Answers deleted per transaction: nobody who writes waits for long."""

GET: LiteralString = "MATCH (a:Answer {space: $space, key: $key}) WHERE a.until > $now RETURN a.text AS text"
PUT: LiteralString = """
MERGE (a:Answer {space: $space, key: $key}) SET a.text = $text, a.until = $until, a.written = $now
"""
EXPIRED: LiteralString = """
MATCH (a:Answer) WHERE a.space = $space AND a.until <= $now WITH a LIMIT $limit DELETE a RETURN count(*) AS gone
"""
# Naming every property of the index lets the rows come in its order without sorting.
EXCESS: LiteralString = """
MATCH (a:Answer) WHERE a.space = $space AND a.written IS NOT NULL AND a.key IS NOT NULL
WITH a ORDER BY a.space DESC, a.written DESC, a.key DESC SKIP $kept LIMIT $limit DELETE a
"""
COUNT: LiteralString = "MATCH (a:Answer) WHERE a.space = $space AND a.until IS NOT NULL RETURN count(*) AS answers"


class Neo4jAnswerStore:
    """The AnswerStore on a server that any number of workers share."""

    def __init__(self, connection: Neo4jConnection, policy: AnswerPolicy | None = None) -> None:
        self._db = connection.share()
        self._policy = policy or AnswerPolicy()

    async def get(self, key: str, *, now: datetime) -> str | None:
        at = micros(aware("now", now))
        row = await self._db.read(lambda work: work.row(GET, key=key, now=at))
        return None if row is None else str(row["text"])

    async def put(self, key: str, text: str, *, until: datetime, now: datetime) -> None:
        key, text, until, now = checked_answer(key, text, until, now)
        if len(text) > self._policy.max_characters:
            return

        async def put(work: Work) -> None:
            await work.rows(PUT, key=key, text=text, until=micros(until), now=micros(now))

        await self._db.write(put)
        # Two answers that are written at once may find the same ones to delete: in transactions of their own, the
        # second finds them gone and nothing is held back.
        await self._db.write(lambda work: work.rows(EXPIRED, now=micros(now), limit=PURGED_AT_ONCE))
        await self._db.write(lambda work: work.rows(EXCESS, kept=self._policy.max_entries, limit=PURGED_AT_ONCE))

    async def purge(self, now: datetime) -> int:
        at, gone = micros(aware("now", now)), 0
        while some := await self._db.write(lambda work: _purge(work, at)):
            gone += some
        return gone

    async def count(self) -> int:
        row = await self._db.read(lambda work: work.row(COUNT))
        return 0 if row is None else int(row["answers"])

    async def close(self) -> None:
        await self._db.close()


async def _purge(work: Work, now: int) -> int:
    row = await work.row(EXPIRED, now=now, limit=PURGED_AT_ONCE)
    return 0 if row is None else int(row["gone"])
