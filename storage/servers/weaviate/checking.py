"""Finding passages that searches do not reach, and mending them.

After a kill -9 Weaviate holds every object that it has acknowledged, but the vectors of the last ones can be
missing from its vector index for good. Writing such an object again changes nothing, because its vector is the
same; writing it with another vector, and then with its own, does. Nothing is deleted on the way.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from weaviate.classes.query import Filter, MetadataQuery

from storage.lexical import index_terms
from storage.ports.evidence import Vector
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.objects import SHOWN, Prepared, digest, stored_of
from storage.servers.weaviate.writing import insert, messages

SELF_SEARCH = 16
"""Neighbours looked at for a passage's own vector; more if they are all copies of it."""
WIDER = 8
MOST = 10_000
"""Weaviate returns no more than this. Of a passage with more copies than that nobody can tell."""
SAME = 1e-4
"""Two vectors whose dot products with a third differ by less than this are copies, rounding included."""
PAGES_AT_ONCE = 256
"""Addresses looked for by one query."""
WORDS_AT_ONCE = 64
"""Passages whose words one query checks."""


async def pages_held(weaviate: WeaviateConnection, physical: str, urls: Sequence[str]) -> set[str]:
    """Those of the addresses that passages come from; asked again for the rest while an answer is cut off."""
    held: set[str] = set()
    for start in range(0, len(urls), PAGES_AT_ONCE):
        asked = {digest(url): url for url in urls[start : start + PAGES_AT_ONCE]}
        while asked:
            answer = await weaviate.read(
                weaviate.collection(physical).query.fetch_objects(
                    limit=MOST,
                    filters=Filter.by_property("url_digest").contains_any(list(asked)),
                    return_properties=["url_digest"],
                )
            )
            found = {str(item.properties["url_digest"]) for item in answer.objects}
            held |= {asked.pop(one) for one in found}
            if len(answer.objects) < MOST:
                break
    return held


async def unreachable(weaviate: WeaviateConnection, physical: str, page: Sequence[Prepared]) -> list[str]:
    """Those that their own vector or their own words do not find."""
    gate = asyncio.Semaphore(weaviate.server.policy.checks_at_once)

    async def is_near(item: Prepared) -> bool:
        async with gate:
            return not item.vector.any() or await _finds_itself(weaviate, physical, item)

    near = await asyncio.gather(*(is_near(item) for item in page))
    unworded = await _unworded(weaviate, physical, page)
    return [item.id for item, reached in zip(page, near, strict=True) if not reached or item.id in unworded]


async def _finds_itself(weaviate: WeaviateConnection, physical: str, item: Prepared) -> bool:
    """Whether a search for its vector finds it; a filter would hide the gap, because filtered searches are exact."""
    own = float(np.dot(item.vector, item.vector))
    limit = SELF_SEARCH
    while True:
        answer = await weaviate.read(
            weaviate.collection(physical).query.near_vector(
                item.vector.tolist(),
                limit=limit,
                return_metadata=MetadataQuery(distance=True),
                return_properties=[],
            )
        )
        if any(str(found.uuid) == item.id for found in answer.objects):
            return True
        farthest = max((found.metadata.distance or 0.0 for found in answer.objects), default=1.0)
        if len(answer.objects) < limit or farthest > SAME - own:
            return False
        if limit == MOST:
            return True
        limit = min(limit * WIDER, MOST)


async def _unworded(weaviate: WeaviateConnection, physical: str, page: Sequence[Prepared]) -> set[str]:
    """Those with words that a search for their first word, among themselves alone, does not find."""
    first = {item.id: index_terms(item.passage.title, item.passage.text).partition(" ")[0] for item in page}
    worded = [key for key, term in first.items() if term]
    lost: set[str] = set()
    for start in range(0, len(worded), WORDS_AT_ONCE):
        ids = worded[start : start + WORDS_AT_ONCE]
        answer = await weaviate.read(
            weaviate.collection(physical).query.bm25(
                " ".join(dict.fromkeys(first[key] for key in ids)),
                query_properties=["terms"],
                limit=len(ids),
                filters=Filter.by_id().contains_any(ids),
                return_properties=[],
            )
        )
        lost |= set(ids) - {str(found.uuid) for found in answer.objects}
    return lost


async def rewrite(weaviate: WeaviateConnection, physical: str, name: str, ids: Sequence[str], dimension: int) -> int:
    """Write these anew from what is stored, with a vector that differs by a hair and then with their own."""
    answer = await weaviate.read(
        weaviate.collection(physical).query.fetch_objects_by_ids(
            list(ids), limit=max(1, len(ids)), include_vector=True, return_properties=SHOWN
        )
    )
    items = [stored_of(item, name, dimension) for item in answer.objects]
    for share in messages(items, weaviate.server.policy):
        await insert(weaviate, physical, [replace(item, vector=_beside(item.vector)) for item in share])
        await insert(weaviate, physical, share)
    return len(items)


def _beside(vector: Vector) -> Vector:
    """The vector with its largest number moved by the least amount there is: should we die now, nobody would notice."""
    moved = vector.copy()
    largest = int(np.argmax(np.abs(moved)))
    moved[largest] = np.nextafter(moved[largest], np.float32(0.0))
    return moved
