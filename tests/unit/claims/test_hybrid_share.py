"""Retrieval weighs meaning against words as suits the embedder that made the vectors."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

import samples
from agents.claims.submission import Submission
from agents.language.embedders.static import StaticEmbedder
from agents.language.ports import EQUAL_SHARES, Vectors, vector_share
from agents.services import Services
from storage.ports import Hit, HybridQuery
from tests.unit.claims.conftest import travel


class Listening:
    """An index that remembers what it was asked."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.asked: list[HybridQuery] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._index, name)

    async def search(self, query: HybridQuery) -> list[Hit]:
        self.asked.append(query)
        found: list[Hit] = await self._index.search(query)
        return found


async def test_a_search_gives_vectors_the_share_of_their_embedder(services: Services) -> None:
    index = Listening(services.index)
    claim = samples.load().claims[0]
    await travel(Submission(job_id=claim.job_id, claim=claim.claim), dataclasses.replace(services, index=index))
    assert {query.alpha for query in index.asked} == {StaticEmbedder.vector_share}


def test_an_embedder_that_was_not_measured_gets_half() -> None:
    class Unmeasured:
        name, dimension, calibration = "unmeasured", 2, StaticEmbedder.calibration

        async def embed(self, texts: Sequence[str]) -> Vectors:
            return np.zeros((len(texts), self.dimension), dtype=np.float32)

    assert vector_share(Unmeasured()) == EQUAL_SHARES != StaticEmbedder.vector_share
