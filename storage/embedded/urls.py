"""UrlRegistry in SQLite."""

from collections.abc import Sequence
from datetime import datetime

from storage.embedded import urls_sql
from storage.embedded.database import Database
from storage.embedded.urls_schema import URLS
from storage.ports.checks import aware, identifier, storable
from storage.ports.urls import RegistryPolicy, Store, UrlRecord, normal_url, normal_urls


class SqliteUrlRegistry:
    """The embedded UrlRegistry. Several processes may have the same file open."""

    def __init__(self, database: Database, policy: RegistryPolicy | None = None) -> None:
        self._db = database
        self._policy = policy or RegistryPolicy()

    @classmethod
    async def open(cls, database: Database, policy: RegistryPolicy | None = None) -> "SqliteUrlRegistry":
        """Take a share of `database` and bring its tables up to date."""
        await database.migrate(URLS)
        return cls(database.share(), policy)

    async def register(
        self, urls: Sequence[str], *, stage: int, claim_ids: Sequence[str], now: datetime
    ) -> list[UrlRecord]:
        aware("now", now)
        claims = [identifier("claim_id", claim) for claim in claim_ids]
        known = normal_urls(urls)
        return await self._db.write(lambda db: urls_sql.register(db, known, (stage, claims), now, self._policy))

    async def get(self, urls: Sequence[str]) -> list[UrlRecord]:
        return await self._db.read(lambda db: urls_sql.get(db, normal_urls(urls)))

    async def pending(self, *, now: datetime, claim_id: str | None = None, limit: int = 100) -> list[str]:
        aware("now", now)
        return await self._db.read(lambda db: urls_sql.pending(db, now, claim_id, limit))

    async def lease(self, urls: Sequence[str], *, owner: str, now: datetime) -> list[str]:
        aware("now", now)
        identifier("owner", owner)
        return await self._db.write(lambda db: urls_sql.lease(db, normal_urls(urls), owner, now, self._policy))

    async def acknowledge(self, url: str, store: Store, *, owner: str, now: datetime, known_by: str = "") -> UrlRecord:
        aware("now", now)
        identifier("owner", owner)
        known, final = normal_url(url), normal_url(known_by) if known_by else ""
        return await self._db.write(lambda db: urls_sql.acknowledge(db, (known, final), store, owner, now))

    async def fail(self, url: str, *, owner: str, reason: str, now: datetime) -> UrlRecord:
        aware("now", now)
        identifier("owner", owner)
        storable("reason", reason)
        known = normal_url(url)
        return await self._db.write(lambda db: urls_sql.fail(db, known, owner, reason, now))

    async def release(self, url: str, *, owner: str) -> UrlRecord:
        identifier("owner", owner)
        known = normal_url(url)
        return await self._db.write(lambda db: urls_sql.release(db, known, owner))

    async def unprocessed(self, job_id: str, loop: int, urls: Sequence[str], *, now: datetime) -> list[str]:
        aware("now", now)
        known = normal_urls(urls)
        return await self._db.read(lambda db: urls_sql.unprocessed(db, (job_id, loop), known, now, self._policy))

    async def remember(self, job_id: str, loop: int, urls: Sequence[str], *, now: datetime) -> None:
        aware("now", now)
        identifier("job_id", job_id)
        known = normal_urls(urls)
        await self._db.write(lambda db: urls_sql.remember(db, job_id, loop, known, now))

    async def processed(self, job_id: str) -> list[str]:
        return await self._db.read(lambda db: urls_sql.processed(db, job_id))

    async def scan(self, *, after: str | None = None, limit: int = 500) -> list[UrlRecord]:
        return await self._db.read(lambda db: urls_sql.scan(db, after, limit))

    async def forget(self, url: str) -> bool:
        known = normal_url(url)
        return await self._db.write(lambda db: urls_sql.forget(db, known))

    async def purge(self, now: datetime) -> int:
        before = aware("now", now) - self._policy.job_memory_for
        return await self._db.write(lambda db: urls_sql.purge(db, before))

    async def close(self) -> None:
        await self._db.close()
