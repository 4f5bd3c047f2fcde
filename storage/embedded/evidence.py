"""EvidenceIndex in SQLite: FTS5 for words, rounded vectors scanned by NumPy, exact cosines by sqlite-vec."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from storage.embedded import evidence_reading, evidence_writing
from storage.embedded.database import Database
from storage.embedded.evidence_rows import Prepared
from storage.embedded.evidence_schema import EVIDENCE
from storage.fusion import SearchPolicy
from storage.lexical import index_terms
from storage.ports.checks import aware, identifier
from storage.ports.evidence import Collection, Embedder, Hit, HybridQuery, Passage, Vector
from storage.times import micros
from storage.vectors import checked_vector

CHECKED_AT_ONCE = 1_000
"""Passages per snapshot while looking for unreachable ones, so that no snapshot is held for long."""


class SqliteEvidenceIndex:
    """The embedded EvidenceIndex. Several processes may have the same file open."""

    def __init__(self, database: Database, embedder: Embedder, policy: SearchPolicy | None = None) -> None:
        self._db = database
        self._embedder = embedder
        self._policy = policy or SearchPolicy()

    @classmethod
    async def open(
        cls, database: Database, embedder: Embedder, policy: SearchPolicy | None = None
    ) -> "SqliteEvidenceIndex":
        """Take a share of `database`, bring its tables up to date, and finish what a crash left half cleared."""
        await database.migrate(EVIDENCE)
        index = cls(database, embedder, policy)
        await index._clear_retired()
        database.share()
        return index

    async def upsert(self, items: Sequence[tuple[Passage, Vector]]) -> int:
        embedder = self._embedder
        prepared = await asyncio.to_thread(_prepare, items, embedder)
        if not prepared:
            return 0
        return await self._db.write(lambda db: evidence_writing.upsert(db, prepared, embedder))

    async def search(self, query: HybridQuery) -> list[Hit]:
        checked = replace(query, vector=checked_vector(query.vector, self._embedder))
        return await self._db.read(lambda db: evidence_reading.search(db, checked, self._embedder, self._policy))

    async def get(self, collection: str, ids: Sequence[str]) -> list[Passage]:
        return await self._db.read(lambda db: evidence_reading.get(db, collection, ids))

    async def pages_held(self, urls: Sequence[str]) -> set[str]:
        return await self._db.read(lambda db: evidence_reading.pages_held(db, urls))

    async def delete_by_url(self, url: str, collection: str | None = None) -> int:
        return await self._db.write(lambda db: evidence_writing.delete_by_url(db, url, collection))

    async def keep_only(self, collection: str, pages: Mapping[str, Sequence[str]], *, fetched_before: datetime) -> int:
        before = micros(aware("fetched_before", fetched_before))
        return await self._db.write(lambda db: evidence_writing.keep_only(db, collection, pages, before))

    async def delete_fetched_before(self, moment: datetime, collection: str) -> int:
        at = micros(aware("moment", moment))
        return await self._db.write(lambda db: evidence_writing.delete_fetched_before(db, at, collection))

    async def collections(self) -> list[Collection]:
        return await self._db.read(evidence_reading.collections)

    async def count(self, collection: str) -> int:
        return await self._db.read(lambda db: evidence_reading.count(db, collection))

    async def swap(self, fresh: str, live: str) -> None:
        identifier("live", live)
        await self._db.write(lambda db: evidence_writing.swap(db, fresh, live))
        await self._clear_retired()

    async def drop(self, collection: str) -> None:
        await self._db.write(lambda db: evidence_writing.retire(db, collection))
        await self._clear_retired()

    async def _clear_retired(self) -> None:
        """In several short transactions, so that other writers get their turn; a crash in between is made good."""
        while await self._db.write(evidence_writing.clear_retired):
            pass

    async def scan(
        self, collection: str, *, after: str | None = None, limit: int = 500
    ) -> list[tuple[Passage, Vector]]:
        return await self._db.read(lambda db: evidence_reading.scan(db, collection, after, limit))

    async def unreachable(self, collection: str) -> list[str]:
        lost: list[str] = []
        last = ""
        while True:
            found, last = await self._unreachable_after(collection, last)
            lost += found
            if not last:
                return lost

    async def _unreachable_after(self, collection: str, last: str) -> tuple[list[str], str]:
        return await self._db.read(
            lambda db: evidence_reading.unreachable(db, collection, last, CHECKED_AT_ONCE, self._embedder)
        )

    async def repair(self, collection: str, ids: Sequence[str]) -> int:
        return await self._db.write(lambda db: evidence_writing.rewrite(db, collection, ids, self._embedder))

    async def close(self) -> None:
        await self._db.close()


def _prepare(items: Sequence[tuple[Passage, Vector]], embedder: Embedder) -> list[Prepared]:
    """Everything that needs no lock; of a passage given twice the last one counts."""
    prepared = (
        Prepared(passage, passage.id, checked_vector(vector, embedder), index_terms(passage.title, passage.text))
        for passage, vector in items
    )
    return list({(item.passage.collection, item.id): item for item in prepared}.values())
