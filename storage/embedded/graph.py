"""KnowledgeGraph in SQLite."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from storage.embedded import graph_reading, graph_writing
from storage.embedded.database import Database
from storage.embedded.graph_schema import GRAPH
from storage.graph_scores import GraphScorePolicy
from storage.ports.checks import aware
from storage.ports.graph import ClaimRecord, Entity, Fact, GraphCandidate, GraphCounts
from storage.times import micros


class SqliteKnowledgeGraph:
    """The embedded KnowledgeGraph. Several processes may have the same file open."""

    def __init__(self, database: Database, policy: GraphScorePolicy | None = None) -> None:
        self._db = database
        self._policy = policy or GraphScorePolicy()

    @classmethod
    async def open(cls, database: Database, policy: GraphScorePolicy | None = None) -> "SqliteKnowledgeGraph":
        """Take a share of `database` and bring its tables up to date."""
        await database.migrate(GRAPH)
        return cls(database.share(), policy)

    async def upsert_entities(self, entities: Sequence[Entity]) -> None:
        await self._db.write(lambda db: graph_writing.upsert_entities(db, entities))

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        return await self._db.write(lambda db: graph_writing.upsert_facts(db, facts))

    async def resolve(self, names: Sequence[str]) -> Mapping[str, Entity]:
        return await self._db.read(lambda db: graph_reading.resolve(db, names))

    async def candidates(self, entities: Sequence[str], limit: int = 40) -> list[GraphCandidate]:
        return await self._db.read(lambda db: graph_reading.candidates(db, entities, limit, self._policy))

    async def facts_from(self, url: str) -> list[Fact]:
        return await self._db.read(lambda db: graph_reading.facts_from(db, url))

    async def delete_facts(self, ids: Sequence[str]) -> int:
        return await self._db.write(lambda db: graph_writing.delete_facts(db, ids))

    async def delete_by_url(self, url: str) -> int:
        return await self._db.write(lambda db: graph_writing.delete_by_url(db, url))

    async def delete_observed_before(self, moment: datetime) -> int:
        at = micros(aware("moment", moment))
        return await self._db.write(lambda db: graph_writing.delete_observed_before(db, at))

    async def record_claim(self, claim: ClaimRecord) -> None:
        await self._db.write(lambda db: graph_writing.record_claim(db, claim))

    async def claims_about(self, entities: Sequence[str], limit: int = 20) -> list[ClaimRecord]:
        return await self._db.read(lambda db: graph_reading.claims_about(db, entities, limit))

    async def scan_facts(self, *, after: str | None = None, limit: int = 500) -> list[Fact]:
        return await self._db.read(lambda db: graph_reading.scan_facts(db, after, limit))

    async def scan_entities(self, *, after: str | None = None, limit: int = 500) -> list[Entity]:
        return await self._db.read(lambda db: graph_reading.scan_entities(db, after, limit))

    async def scan_claims(self, *, after: str | None = None, limit: int = 500) -> list[ClaimRecord]:
        return await self._db.read(lambda db: graph_reading.scan_claims(db, after, limit))

    async def counts(self) -> GraphCounts:
        return await self._db.read(graph_reading.counts)

    async def close(self) -> None:
        await self._db.close()
