"""What the stages ask of language: sentence vectors and stances. Adapters live beside this module."""

from collections.abc import Sequence
from datetime import date
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from agents.language.calibration import SimilarityCalibration
from scoring.values import Stance

Vectors = NDArray[np.float32]


class Pair(NamedTuple):
    """A claim and one passage that may speak about it, with what its page is called and when it was published."""

    claim: str
    passage: str
    title: str = ""
    published: date | None = None

    @property
    def titled(self) -> str:
        """The passage with its title in front: often only the title says who or what a passage is about."""
        return f"{self.title}. {self.passage}" if self.title else self.passage


class Embedder(Protocol):
    """Turns texts into unit vectors. Vectors of two different names must never meet in one index."""

    @property
    def name(self) -> str: ...

    @property
    def dimension(self) -> int: ...

    @property
    def calibration(self) -> SimilarityCalibration: ...

    async def embed(self, texts: Sequence[str]) -> Vectors:
        """One row of float32 per text, each of length one (a text without any token gives a zero row)."""
        ...


async def embed_queries(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    """Vectors of texts that look for others: claims and search queries.

    Some models were trained to find passages with a phrase in front of the question; they name it `query_prefix`."""
    prefix = getattr(embedder, "query_prefix", "")
    return await embedder.embed([f"{prefix}{text}" for text in texts])


EQUAL_SHARES = 0.5


def vector_share(embedder: Embedder) -> float:
    """How much of a search's score should come from this embedder's vectors; words give the rest.

    Measured by `benchmarks/retrieval.py`, named `vector_share` by the embedders that were measured."""
    return float(getattr(embedder, "vector_share", EQUAL_SHARES))


class StanceModel(Protocol):
    """Says how each passage stands towards its claim."""

    @property
    def name(self) -> str: ...

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        """One stance per pair, in order; the three probabilities of each add up to one."""
        ...
