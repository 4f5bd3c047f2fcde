"""Writing passages to one generation of a collection, message by message, and deleting them."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import _Filters as Filters
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from storage.errors import StoreError
from storage.servers.config import WeaviatePolicy
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.failures import translated
from storage.servers.weaviate.objects import SHOWN, Prepared, digest, object_of, stored_of

DELETED_AT_ONCE = 10_000
"""Weaviate deletes at most so many objects per request."""
LISTED = 10_000
"""Weaviate lists no more than this. Of a page cut into more passages some old ones may stay beside the new."""
PAGES_AT_ONCE = 256
STALE_AT_ONCE = 500
"""Pages looked at, and passages deleted, per request."""


def messages(items: Sequence[Prepared], policy: WeaviatePolicy) -> Iterator[list[Prepared]]:
    """The items in shares that fit into one message each."""
    share: list[Prepared] = []
    size = 0
    for item in items:
        if share and (len(share) == policy.batch_objects or size + item.size > policy.batch_bytes):
            yield share
            share, size = [], 0
        share.append(item)
        size += item.size
    if share:
        yield share


async def upsert(weaviate: WeaviateConnection, physical: str, items: Sequence[Prepared]) -> int:
    """Insert or update; returns how many were new.

    What is stored already, word for word, is not sent: each rewriting would move the average length that BM25
    measures by. The server knows no transactions: of a batch that breaks off in the middle some is written, and
    writing it again completes it. Taking it out again could take out what another writer was promised.
    """
    fresh: list[str] = []
    for share in messages(items, weaviate.server.policy):
        there = await _stored(weaviate, physical, share)
        fresh += [item.id for item in share if item.id not in there]
        changed = [item for item in share if item.id not in there or not _same(item, there[item.id])]
        await insert(weaviate, physical, changed)
    return len(fresh)


async def _stored(weaviate: WeaviateConnection, physical: str, share: Sequence[Prepared]) -> dict[str, Prepared]:
    """Those of the passages that are there already, as they are there."""
    answer = await weaviate.read(
        weaviate.collection(physical).query.fetch_objects_by_ids(
            [item.id for item in share], limit=len(share), include_vector=True, return_properties=SHOWN
        )
    )
    name, dimension = share[0].passage.collection, share[0].vector.size
    return {str(item.uuid): stored_of(item, name, dimension) for item in answer.objects}


def _same(item: Prepared, stored: Prepared) -> bool:
    return item.passage == stored.passage and np.array_equal(item.vector, stored.vector)


def _objects(share: Sequence[Prepared]) -> list[DataObject[Any, Any]]:
    return [object_of(item) for item in share]


async def insert(weaviate: WeaviateConnection, physical: str, share: Sequence[Prepared]) -> None:
    """Send one message; every object must be accepted."""
    if not share:
        return
    objects = await asyncio.to_thread(_objects, share)  # stemming a batch takes longer than a loop should stand still
    answer = await weaviate.write(weaviate.collection(physical).data.insert_many(objects))
    for error in answer.errors.values():
        raise translated(WeaviateInsertManyAllFailedError(error.message), weaviate.server)


async def keep_only(
    weaviate: WeaviateConnection, physical: str, pages: Mapping[str, Sequence[str]], before: int
) -> int:
    """Delete what earlier readings of these pages left; return how many passages that were."""
    gone = 0
    for group in _shares(pages):
        while stale := await _stale(weaviate, physical, group, before):
            gone += await delete_where(weaviate, physical, Filter.by_id().contains_any(stale))
    return gone


def _shares(pages: Mapping[str, Sequence[str]]) -> Iterator[dict[str, Sequence[str]]]:
    """The pages in groups whose passages one query can list, with room for as many old ones."""
    group: dict[str, Sequence[str]] = {}
    size = 0
    for url, ids in pages.items():
        if group and (len(group) == PAGES_AT_ONCE or size + len(ids) > LISTED // 2):
            yield group
            group, size = {}, 0
        group[url] = ids
        size += len(ids)
    if group:
        yield group


async def _stale(
    weaviate: WeaviateConnection, physical: str, pages: Mapping[str, Sequence[str]], before: int
) -> list[str]:
    """Some of the passages that only earlier readings had; none when none are left."""
    answer = await weaviate.read(
        weaviate.collection(physical).query.fetch_objects(
            limit=LISTED,
            filters=Filter.by_property("url_digest").contains_any([digest(url) for url in pages])
            & Filter.by_property("fetched").less_than(before),
            return_properties=[],
        )
    )
    kept = {passage_id for ids in pages.values() for passage_id in ids}
    return [found for item in answer.objects if (found := str(item.uuid)) not in kept][:STALE_AT_ONCE]


async def delete_where(weaviate: WeaviateConnection, physical: str, condition: Filters) -> int:
    """Delete what fits the condition; return how many."""
    gone = 0
    while True:
        answer = await weaviate.write(weaviate.collection(physical).data.delete_many(where=condition))
        gone += answer.successful
        if answer.failed:
            raise StoreError(f"Weaviate kept {answer.failed} passages that were to be deleted; try again")
        if answer.matches < DELETED_AT_ONCE:
            return gone
