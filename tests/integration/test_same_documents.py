"""The same hybrid query finds the same documents in Weaviate and in the embedded index, on the sample town."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agents.evidence.chunking import chunk
from agents.evidence.extraction import ExtractedPage, extract_now
from agents.language.embedders.static import StaticEmbedder
from samples import corpus
from storage.embedded.stores import open_embedded
from storage.ports import Embedder, EvidenceIndex, Hit, HybridQuery, Passage, Vector
from storage.servers.weaviate.index import WeaviateEvidenceIndex
from tests.support.servers import weaviate_server

pytestmark = pytest.mark.services

NOW = datetime(2026, 1, 1, tzinfo=UTC)
TIE = 0.005
"""Fused scores run from 0 to 1; this close, either order is as good."""
Both = tuple[EvidenceIndex, EvidenceIndex]


@pytest.fixture(scope="module")
def embedder() -> StaticEmbedder:
    return StaticEmbedder()


def town(embedder: StaticEmbedder) -> list[tuple[Passage, Vector]]:
    """Every page of the sample web, in chunks."""
    passages = []
    for page in corpus.load().pages:
        extracted = extract_now(page.html(), page.url)
        if isinstance(extracted, ExtractedPage):
            passages += [
                Passage("static_gk", page.url, text, NOW, title=page.title, domain=page.host, published=page.published)
                for text in chunk(extracted.text)
            ]
    return list(zip(passages, embedder.embed_now([passage.text for passage in passages]), strict=True))


@pytest.fixture
async def both(space: str, tmp_path: Path, embedder: StaticEmbedder) -> AsyncIterator[Both]:
    made_by = Embedder(embedder.name, embedder.dimension)
    weaviate = await WeaviateEvidenceIndex.open(weaviate_server(space), made_by)
    embedded = await open_embedded(tmp_path, made_by)
    passages = town(embedder)
    assert len(passages) > 100
    for index in (weaviate, embedded.index):
        assert await index.upsert(passages) == len(passages)
    yield weaviate, embedded.index
    await weaviate.close()
    await embedded.close()


async def test_every_sample_claim_finds_the_same_documents(both: Both, embedder: StaticEmbedder) -> None:
    """Both halves are fused alike; BM25 weighs very common words a little differently, so ties may change places."""
    claims = [claim.claim for claim in corpus.load().claims]
    alike = 0
    for claim, vector in zip(claims, embedder.embed_now(claims), strict=True):
        here, there = [scores(await index.search(HybridQuery(claim, vector, limit=10))) for index in both]
        assert_same_best(here, there, claim)
        assert_same_best(there, here, claim)
        shared = set(list(here)[:3]) & set(list(there)[:3])
        assert len(shared) >= 2, claim
        alike += len(shared) == 3
        for found in here.keys() & there.keys():
            assert here[found].cosine == pytest.approx(there[found].cosine, abs=1e-5)
    assert alike >= 0.9 * len(claims)


def scores(hits: list[Hit]) -> dict[str, Hit]:
    """By id, best first."""
    return {hit.passage.id: hit for hit in hits}


def assert_same_best(here: dict[str, Hit], there: dict[str, Hit], claim: str) -> None:
    """The best of one is the best of the other, or within a hair of it."""
    best = next(iter(here))
    assert best in there, claim
    assert there[best].fused >= next(iter(there.values())).fused - TIE, claim
