"""KnowledgeGraph in Neo4j: entities, the facts that relate them, and the sources that state those facts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial

from storage.graph_scores import GraphScorePolicy
from storage.ports.checks import aware
from storage.ports.graph import ClaimRecord, Entity, Fact, GraphCandidate, GraphCounts
from storage.servers.neo4j import graph_reading, graph_writing
from storage.servers.neo4j.connection import Neo4jConnection
from storage.times import micros


class Neo4jKnowledgeGraph:
    """The KnowledgeGraph on a server that any number of workers share."""

    def __init__(self, connection: Neo4jConnection, policy: GraphScorePolicy | None = None) -> None:
        self._db = connection.share()
        self._policy = policy or GraphScorePolicy()

    async def upsert_entities(self, entities: Sequence[Entity]) -> None:
        await self._db.write(lambda work: graph_writing.upsert_entities(work, entities))

    async def upsert_facts(self, facts: Sequence[Fact]) -> int:
        if not facts:
            return 0
        return await self._db.write(lambda work: graph_writing.upsert_facts(work, facts))

    async def resolve(self, names: Sequence[str]) -> Mapping[str, Entity]:
        return await self._db.read(lambda work: graph_reading.resolve(work, names))

    async def candidates(self, entities: Sequence[str], limit: int = 40) -> list[GraphCandidate]:
        return await self._db.read(lambda work: graph_reading.candidates(work, entities, limit, self._policy))

    async def facts_from(self, url: str) -> list[Fact]:
        return await self._db.read(lambda work: graph_reading.facts_from(work, url))

    async def delete_facts(self, ids: Sequence[str]) -> int:
        gone = 0
        for start in range(0, len(ids), graph_writing.DELETED_AT_ONCE):
            some = ids[start : start + graph_writing.DELETED_AT_ONCE]
            gone += await self._db.write(partial(graph_writing.delete_facts, ids=some))
        return gone

    async def delete_by_url(self, url: str) -> int:
        return await self._db.write(lambda work: graph_writing.delete_by_url(work, url))

    async def delete_observed_before(self, moment: datetime) -> int:
        at = micros(aware("moment", moment))
        gone = 0
        while some := await self._db.write(lambda work: graph_writing.delete_observed_before(work, at)):
            gone += some
        return gone

    async def record_claim(self, claim: ClaimRecord) -> None:
        await self._db.write(lambda work: graph_writing.record_claim(work, claim))

    async def claims_about(self, entities: Sequence[str], limit: int = 20) -> list[ClaimRecord]:
        return await self._db.read(lambda work: graph_reading.claims_about(work, entities, limit))

    async def scan_facts(self, *, after: str | None = None, limit: int = 500) -> list[Fact]:
        return await self._db.read(lambda work: graph_reading.scan_facts(work, after, limit))

    async def scan_entities(self, *, after: str | None = None, limit: int = 500) -> list[Entity]:
        return await self._db.read(lambda work: graph_reading.scan_entities(work, after, limit))

    async def scan_claims(self, *, after: str | None = None, limit: int = 500) -> list[ClaimRecord]:
        return await self._db.read(lambda work: graph_reading.scan_claims(work, after, limit))

    async def counts(self) -> GraphCounts:
        return await self._db.read(graph_reading.counts)

    async def close(self) -> None:
        await self._db.close()
