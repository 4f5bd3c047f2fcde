"""EvidenceIndex in Weaviate."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import _Filters as Filters

from storage.errors import StoreError, StoreUnavailable
from storage.fusion import SearchPolicy
from storage.ports.checks import aware, identifier
from storage.ports.evidence import Collection, Embedder, Hit, HybridQuery, Passage, Vector
from storage.servers.config import WeaviateServer
from storage.servers.weaviate import checking, searching, writing
from storage.servers.weaviate.catalog import Catalog, Generation
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.objects import SHOWN, Prepared, digest, passage_of, prepare, stored_of, valid_ids
from storage.times import micros
from storage.vectors import checked_vector, require_embedder

T = TypeVar("T")
ATTEMPTS = 5
"""Tries at a call while the collection it works on is swapped away under it; a swap takes milliseconds."""
CHECKED_AT_ONCE = 500
REPAIRED_AT_ONCE = 500
"""Passages per request while checking and mending."""
BEFORE_ALL = "00000000-0000-0000-0000-000000000000"


class WeaviateEvidenceIndex:
    """The EvidenceIndex on a server that any number of workers share.

    Names are resolved to one generation of a collection before each call, and everything a call does is done on
    that generation: a reader sees all of the old or all of the new.
    """

    def __init__(
        self,
        connection: WeaviateConnection,
        embedder: Embedder,
        policy: SearchPolicy | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._weaviate = connection
        self._embedder = embedder
        self._policy = policy or SearchPolicy()
        self._catalog = Catalog(connection)
        self._clock = clock
        self._believed: dict[str, tuple[Generation, float]] = {}

    @classmethod
    async def open(
        cls, server: WeaviateServer, embedder: Embedder, policy: SearchPolicy | None = None
    ) -> "WeaviateEvidenceIndex":
        """Reach the server and finish what a crash left half cleared."""
        connection = await WeaviateConnection.open(server)
        index = cls(connection, embedder, policy)
        try:
            await index._catalog.sweep()
        except BaseException:
            await connection.close()
            raise
        return index

    async def upsert(self, items: Sequence[tuple[Passage, Vector]]) -> int:
        prepared = await asyncio.to_thread(prepare, items, self._embedder)
        found = {name: await self._catalog.find(name) for name in prepared}
        for name, generation in found.items():  # nothing is written before everything is known to fit
            if generation is not None:
                require_embedder(name, generation.embedder, self._embedder)
        return sum([await self._upsert_into(name, group, found[name]) for name, group in prepared.items()])

    async def _upsert_into(self, name: str, group: Sequence[Prepared], found: Generation | None) -> int:
        """Write to the generation that was found, or to a new one; again if it was replaced meanwhile."""
        for _ in range(ATTEMPTS):
            generation = found or await self._catalog.find_or_make(name, self._embedder)
            found = None
            require_embedder(name, generation.embedder, self._embedder)
            try:
                fresh = await writing.upsert(self._weaviate, generation.physical, group)
            except StoreError:
                if await self._catalog.still(name, generation.physical):
                    raise
                continue
            if await self._catalog.still(name, generation.physical):
                return fresh
            await self._catalog.discard(generation.physical)  # a server may make anew what is written to
        raise StoreUnavailable(f"collection {name!r} is being replaced again and again; try again later")

    async def search(self, query: HybridQuery) -> list[Hit]:
        checked = replace(query, vector=checked_vector(query.vector, self._embedder))
        left: list[Hit] | None = None
        for _ in range(ATTEMPTS):
            generations = await self._generations(dict.fromkeys(query.collections))
            try:
                found, complete = await self._search(checked, generations)
            except StoreError:
                if await self._are_still(generations):
                    raise
                continue
            if complete:
                return found
            # Something was deleted between being found and being fetched: what took its place may be there by now.
            left = found if await self._are_still(generations) else None
        if left is None:
            raise StoreUnavailable("the collections are being replaced again and again; try again later")
        return left

    async def _search(self, query: HybridQuery, generations: dict[str, str]) -> tuple[list[Hit], bool]:
        """The hits, and whether everything that was found could be fetched."""
        halves = await asyncio.gather(
            *(
                searching.both_halves(self._weaviate, name, physical, query, self._policy)
                for name, physical in generations.items()
            )
        )
        best, scores = searching.fused(halves, query, self._policy)
        ids: dict[str, list[str]] = {}
        for name, key in scores:
            ids.setdefault(name, []).append(key)
        fetched = await asyncio.gather(
            *(searching.fetch(self._weaviate, name, generations[name], group, query) for name, group in ids.items())
        )
        found = {key: passage for part in fetched for key, passage in part.items()}
        return searching.hits(best, scores, found), len(found) == len(scores)

    async def _generations(self, names: Sequence[str] | dict[str, None]) -> dict[str, str]:
        """What the names stand for; those that do not exist are left out."""
        found = await asyncio.gather(*(self._known(name) for name in names))
        return {name: known.physical for name, known in zip(names, found, strict=True) if known is not None}

    async def _known(self, name: str) -> Generation | None:
        believed, until = self._believed.get(name, (None, 0.0))
        if believed is None or self._clock() >= until:
            believed = await self._catalog.find(name)
            if believed is None:
                self._believed.pop(name, None)
                return None
            self._believed[name] = (believed, self._clock() + self._weaviate.server.policy.known_for_s)
        require_embedder(name, believed.embedder, self._embedder)
        return believed

    async def _are_still(self, generations: dict[str, str]) -> bool:
        """Whether the names still lead there; what was believed is forgotten."""
        self._believed.clear()
        return await self._generations(list(generations)) == generations

    async def get(self, collection: str, ids: Sequence[str]) -> list[Passage]:
        asked = valid_ids(ids)
        if not asked:
            return []

        async def fetch(generation: Generation) -> list[Passage]:
            answer = await self._weaviate.read(
                self._weaviate.collection(generation.physical).query.fetch_objects_by_ids(
                    asked, limit=len(asked), return_properties=SHOWN
                )
            )
            found = {str(item.uuid): passage_of(item.properties, collection) for item in answer.objects}
            return [found[key] for key in asked if key in found]

        return await self._on(collection, fetch) or []

    async def _on(self, name: str, work: Callable[[Generation], Awaitable[T]]) -> T | None:
        """Do `work` on what a name stands for, if anything; again, if that was replaced while it was being done."""
        for _ in range(ATTEMPTS):
            generation = await self._catalog.find(name)
            if generation is None:
                return None
            try:
                answer = await work(generation)
            except StoreError:
                if await self._catalog.still(name, generation.physical):
                    raise
                continue
            if await self._catalog.still(name, generation.physical):
                return answer
        raise StoreUnavailable(f"collection {name!r} is being replaced again and again; try again later")

    async def pages_held(self, urls: Sequence[str]) -> set[str]:
        held: set[str] = set()
        for name in await self._catalog.names():
            held |= (
                await self._on(name, partial(self._pages_held, urls=[url for url in urls if url not in held])) or set()
            )
        return held

    async def _pages_held(self, generation: Generation, urls: Sequence[str]) -> set[str]:
        return await checking.pages_held(self._weaviate, generation.physical, urls)

    async def delete_by_url(self, url: str, collection: str | None = None) -> int:
        names = [collection] if collection is not None else list(await self._catalog.names())
        condition = Filter.by_property("url_digest").equal(digest(url))
        return sum([await self._delete(name, condition) for name in names])

    async def keep_only(self, collection: str, pages: Mapping[str, Sequence[str]], *, fetched_before: datetime) -> int:
        before = micros(aware("fetched_before", fetched_before))

        async def keep(generation: Generation) -> int:
            return await writing.keep_only(self._weaviate, generation.physical, pages, before)

        return await self._on(collection, keep) or 0

    async def delete_fetched_before(self, moment: datetime, collection: str) -> int:
        before = micros(aware("moment", moment))
        return await self._delete(collection, Filter.by_property("fetched").less_than(before))

    async def _delete(self, name: str, condition: Filters) -> int:
        async def delete(generation: Generation) -> int:
            return await writing.delete_where(self._weaviate, generation.physical, condition)

        return await self._on(name, delete) or 0

    async def collections(self) -> list[Collection]:
        return [
            Collection(name, generation.embedder, await self.count(name))
            for name, generation in (await self._catalog.names()).items()
        ]

    async def count(self, collection: str) -> int:
        return await self._on(collection, self._size) or 0

    async def _size(self, generation: Generation) -> int:
        counting = self._weaviate.collection(generation.physical).aggregate.over_all(total_count=True)
        answer = await self._weaviate.read(counting)
        return answer.total_count or 0

    async def swap(self, fresh: str, live: str) -> None:
        identifier("live", live)
        await self._catalog.swap(fresh, live)
        self._believed.clear()

    async def drop(self, collection: str) -> None:
        await self._catalog.drop(collection)
        self._believed.clear()

    async def scan(
        self, collection: str, *, after: str | None = None, limit: int = 500
    ) -> list[tuple[Passage, Vector]]:
        page = await self._on(collection, lambda generation: self._page(generation, collection, after, limit))
        return [(item.passage, item.vector) for item in page or []]

    async def _page(self, generation: Generation, collection: str, after: str | None, limit: int) -> list[Prepared]:
        """In the order of ids, which is the order of the server's cursor."""
        answer = await self._weaviate.read(
            self._weaviate.collection(generation.physical).query.fetch_objects(
                limit=limit, after=after or BEFORE_ALL, include_vector=True, return_properties=SHOWN
            )
        )
        return [stored_of(item, collection, generation.embedder.dimension) for item in answer.objects]

    async def unreachable(self, collection: str) -> list[str]:
        return await self._on(collection, lambda generation: self._lost(generation, collection)) or []

    async def _lost(self, generation: Generation, collection: str) -> list[str]:
        lost: list[str] = []
        last = None
        while page := await self._page(generation, collection, last, CHECKED_AT_ONCE):
            lost += await checking.unreachable(self._weaviate, generation.physical, page)
            last = page[-1].id
        return lost

    async def repair(self, collection: str, ids: Sequence[str]) -> int:
        asked = valid_ids(ids)
        return await self._on(collection, lambda generation: self._rewrite(generation, collection, asked)) or 0

    async def _rewrite(self, generation: Generation, collection: str, ids: Sequence[str]) -> int:
        require_embedder(collection, generation.embedder, self._embedder)
        mended = 0
        for first in range(0, len(ids), REPAIRED_AT_ONCE):
            share = ids[first : first + REPAIRED_AT_ONCE]
            dimension = generation.embedder.dimension
            mended += await checking.rewrite(self._weaviate, generation.physical, collection, share, dimension)
        return mended

    async def close(self) -> None:
        await self._weaviate.close()
