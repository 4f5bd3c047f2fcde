"""UrlRegistry in Neo4j."""

from collections.abc import Sequence
from datetime import datetime

from storage.ports.checks import aware, identifier, storable
from storage.ports.urls import RegistryPolicy, Store, UrlRecord, normal_url, normal_urls
from storage.servers.neo4j import urls_cypher
from storage.servers.neo4j.connection import Neo4jConnection


class Neo4jUrlRegistry:
    """The UrlRegistry on a server that any number of workers share."""

    def __init__(self, connection: Neo4jConnection, policy: RegistryPolicy | None = None) -> None:
        self._db = connection.share()
        self._policy = policy or RegistryPolicy()

    async def register(
        self, urls: Sequence[str], *, stage: int, claim_ids: Sequence[str], now: datetime
    ) -> list[UrlRecord]:
        aware("now", now)
        claims = [identifier("claim_id", claim) for claim in claim_ids]
        known = normal_urls(urls)
        return await self._db.write(lambda work: urls_cypher.register(work, known, (stage, claims), now, self._policy))

    async def get(self, urls: Sequence[str]) -> list[UrlRecord]:
        known = normal_urls(urls)
        return await self._db.read(lambda work: urls_cypher.get(work, known))

    async def pending(self, *, now: datetime, claim_id: str | None = None, limit: int = 100) -> list[str]:
        aware("now", now)
        return await self._db.read(lambda work: urls_cypher.pending(work, now, claim_id, limit))

    async def lease(self, urls: Sequence[str], *, owner: str, now: datetime) -> list[str]:
        aware("now", now)
        identifier("owner", owner)
        known = normal_urls(urls)
        return await self._db.write(lambda work: urls_cypher.lease(work, known, owner, now, self._policy))

    async def acknowledge(self, url: str, store: Store, *, owner: str, now: datetime, known_by: str = "") -> UrlRecord:
        aware("now", now)
        identifier("owner", owner)
        known, final = normal_url(url), normal_url(known_by) if known_by else ""
        return await self._db.write(lambda work: urls_cypher.acknowledge(work, (known, final), store, owner, now))

    async def fail(self, url: str, *, owner: str, reason: str, now: datetime) -> UrlRecord:
        aware("now", now)
        identifier("owner", owner)
        storable("reason", reason)
        known = normal_url(url)
        return await self._db.write(lambda work: urls_cypher.fail(work, known, owner, reason, now))

    async def release(self, url: str, *, owner: str) -> UrlRecord:
        identifier("owner", owner)
        known = normal_url(url)
        return await self._db.write(lambda work: urls_cypher.release(work, known, owner))

    async def unprocessed(self, job_id: str, loop: int, urls: Sequence[str], *, now: datetime) -> list[str]:
        aware("now", now)
        known = normal_urls(urls)
        return await self._db.read(lambda work: urls_cypher.unprocessed(work, (job_id, loop), known, now, self._policy))

    async def remember(self, job_id: str, loop: int, urls: Sequence[str], *, now: datetime) -> None:
        aware("now", now)
        identifier("job_id", job_id)
        known = normal_urls(urls)
        await self._db.write(lambda work: urls_cypher.remember(work, job_id, loop, known, now))

    async def processed(self, job_id: str) -> list[str]:
        return await self._db.read(lambda work: urls_cypher.processed(work, job_id))

    async def scan(self, *, after: str | None = None, limit: int = 500) -> list[UrlRecord]:
        return await self._db.read(lambda work: urls_cypher.scan(work, after, limit))

    async def forget(self, url: str) -> bool:
        known = normal_url(url)
        return await self._db.write(lambda work: urls_cypher.forget(work, known))

    async def purge(self, now: datetime) -> int:
        before = aware("now", now) - self._policy.job_memory_for
        gone = 0
        while some := await self._db.write(lambda work: urls_cypher.purge(work, before)):
            gone += some
        return gone

    async def close(self) -> None:
        await self._db.close()
