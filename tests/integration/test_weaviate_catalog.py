"""What a crash in the middle of a swap leaves behind in Weaviate, and that nobody ever takes it for something else."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import numpy as np
import pytest

from storage.errors import StoreMismatch
from storage.ports import Embedder, HybridQuery, Passage, Vector
from storage.servers.weaviate.catalog import Catalog
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.index import WeaviateEvidenceIndex
from storage.servers.weaviate.names import alias_of
from tests.support.servers import weaviate_server

pytestmark = pytest.mark.services

EMBEDDER = Embedder("e", 4)
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def a_passage(text: str, collection: str) -> tuple[Passage, Vector]:
    return Passage(collection, f"https://a.org/{text}", text, NOW), np.array([1, 0, 0, 0], dtype=np.float32)


async def texts(index: WeaviateEvidenceIndex, collection: str) -> list[str]:
    query = HybridQuery("", np.array([1, 0, 0, 0], dtype=np.float32), collections=(collection,))
    return [hit.passage.text for hit in await index.search(query)]


@pytest.fixture
async def weaviate(space: str) -> AsyncIterator[WeaviateConnection]:
    connection = await WeaviateConnection.open(weaviate_server(space))
    yield connection
    await connection.close()


@pytest.fixture
async def index(weaviate: WeaviateConnection) -> WeaviateEvidenceIndex:
    return WeaviateEvidenceIndex(weaviate, EMBEDDER)


@pytest.fixture
async def half_swapped(weaviate: WeaviateConnection, index: WeaviateEvidenceIndex) -> WeaviateEvidenceIndex:
    """The alias of `live` has moved to what `fresh` stood for, and then the swapping process died."""
    await index.upsert([a_passage("old", "live"), a_passage("new", "fresh")])
    generation = await Catalog(weaviate).find("fresh")
    assert generation is not None
    await weaviate.client.alias.update(
        alias_name=alias_of(weaviate.server.space, "live"), new_target_collection=generation.physical
    )
    return index


async def physical(weaviate: WeaviateConnection) -> set[str]:
    found = await weaviate.client.collections.list_all(simple=True)
    return {name for name in found if name.startswith(f"{weaviate.server.space}_")}


async def test_after_a_swap_cut_short_the_fresh_name_is_gone(half_swapped: WeaviateEvidenceIndex) -> None:
    assert await texts(half_swapped, "live") == ["new"]
    assert await texts(half_swapped, "fresh") == []
    assert [found.name for found in await half_swapped.collections()] == ["live"]


async def test_filling_the_fresh_name_again_does_not_touch_what_is_live(half_swapped: WeaviateEvidenceIndex) -> None:
    await half_swapped.upsert([a_passage("newer", "fresh")])
    assert await texts(half_swapped, "live") == ["new"]
    assert await texts(half_swapped, "fresh") == ["newer"]
    await half_swapped.swap("fresh", "live")
    assert await texts(half_swapped, "live") == ["newer"]


async def test_dropping_the_fresh_name_does_not_delete_what_is_live(half_swapped: WeaviateEvidenceIndex) -> None:
    await half_swapped.drop("fresh")
    assert await texts(half_swapped, "live") == ["new"]


async def test_a_collection_that_got_its_name_by_a_swap_can_be_swapped_on(
    weaviate: WeaviateConnection, index: WeaviateEvidenceIndex
) -> None:
    await index.upsert([a_passage("text", "a")])
    await index.swap("a", "b")
    await index.swap("b", "c")
    await index.upsert([a_passage("other", "b")])
    assert (await texts(index, "a"), await texts(index, "b"), await texts(index, "c")) == ([], ["other"], ["text"])
    assert len(await physical(weaviate)) == 2


async def test_what_nothing_leads_to_is_cleared_away_once_it_is_old(
    weaviate: WeaviateConnection, half_swapped: WeaviateEvidenceIndex
) -> None:
    assert len(await physical(weaviate)) == 2
    await Catalog(weaviate).sweep()
    assert len(await physical(weaviate)) == 2  # somebody may be about to name it
    late = weaviate.server.policy.orphan_after_s + 60
    await Catalog(weaviate, now=lambda: datetime.now(UTC).timestamp() + late).sweep()
    assert len(await physical(weaviate)) == 1
    assert await texts(half_swapped, "live") == ["new"]


async def test_a_name_whose_collection_was_deleted_from_outside_can_be_used_again(
    weaviate: WeaviateConnection, index: WeaviateEvidenceIndex
) -> None:
    await index.upsert([a_passage("text", "live")])
    for name in await physical(weaviate):
        await weaviate.client.collections.delete(name)
    assert await texts(index, "live") == []
    assert await index.upsert([a_passage("text", "live")]) == 1


async def test_somebody_elses_collection_is_not_touched(
    weaviate: WeaviateConnection, index: WeaviateEvidenceIndex
) -> None:
    foreign = f"{weaviate.server.space}_Foreign"
    await weaviate.client.collections.create(foreign)
    await weaviate.client.alias.create(alias_name=alias_of(weaviate.server.space, "live"), target_collection=foreign)
    with pytest.raises(StoreMismatch, match="was not made by this program; choose another space"):
        await index.upsert([a_passage("text", "live")])
    assert await index.collections() == []
