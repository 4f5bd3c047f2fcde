"""Writing passages to one generation of a collection, message by message, and deleting them."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import _Filters as Filters
from weaviate.exceptions import WeaviateInsertManyAllFailedError

from storage.errors import StoreError
from storage.servers.config import WeaviatePolicy
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.failures import translated
from storage.servers.weaviate.objects import Prepared, object_of

DELETED_AT_ONCE = 10_000
"""Weaviate deletes at most so many objects per request."""


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


async def known(weaviate: WeaviateConnection, physical: str, ids: Sequence[str]) -> set[str]:
    """Those of the ids that are stored already."""
    answer = await weaviate.read(
        weaviate.collection(physical).query.fetch_objects_by_ids(list(ids), limit=len(ids), return_properties=[])
    )
    return {str(item.uuid) for item in answer.objects}


async def upsert(weaviate: WeaviateConnection, physical: str, items: Sequence[Prepared]) -> int:
    """Insert or update; returns how many were new.

    The server knows no transactions: of a batch that it refuses in the middle, what was new is taken out again.
    """
    fresh: list[str] = []
    for share in messages(items, weaviate.server.policy):
        there = await known(weaviate, physical, [item.id for item in share])
        fresh += [item.id for item in share if item.id not in there]
        try:
            await insert(weaviate, physical, share)
        except StoreError:
            with suppress(StoreError):
                await delete_ids(weaviate, physical, fresh)
            raise
    return len(fresh)


async def insert(weaviate: WeaviateConnection, physical: str, share: Sequence[Prepared]) -> None:
    """Send one message; every object must be accepted."""
    objects = [object_of(item) for item in share]
    answer = await weaviate.write(weaviate.collection(physical).data.insert_many(objects))
    for error in answer.errors.values():
        raise translated(WeaviateInsertManyAllFailedError(error.message), weaviate.server)


async def delete_ids(weaviate: WeaviateConnection, physical: str, ids: Sequence[str]) -> None:
    """Delete these."""
    for first in range(0, len(ids), DELETED_AT_ONCE):
        await delete_where(weaviate, physical, Filter.by_id().contains_any(list(ids[first : first + DELETED_AT_ONCE])))


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
