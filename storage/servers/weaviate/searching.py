"""A hybrid search: both halves asked of Weaviate, fused here.

Weaviate's own hybrid query tells neither the cosine nor the BM25 of what it finds and scales over one collection
only; fused here, a score means the same as in the embedded index.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from weaviate.classes.query import MetadataQuery

from storage.fusion import SearchPolicy, fuse, share_of_best
from storage.lexical import query_terms
from storage.ports.evidence import Hit, HybridQuery, Passage
from storage.servers.weaviate.connection import WeaviateConnection
from storage.servers.weaviate.objects import SHOWN, filters_of, passage_of, vector_of

Key = tuple[str, str]
"""Collection and id."""


@dataclass(frozen=True, slots=True)
class Halves:
    """What the two halves of a search have found, with their scores."""

    cosines: Mapping[Key, float]
    said: Mapping[Key, float]


@dataclass(frozen=True, slots=True)
class Found:
    """A passage with its cosine."""

    passage: Passage
    cosine: float


async def both_halves(
    weaviate: WeaviateConnection, name: str, physical: str, query: HybridQuery, policy: SearchPolicy
) -> Halves:
    """The nearest and the best-worded of one collection."""
    cosines, said = await asyncio.gather(
        _near(weaviate, name, physical, query, policy.wanted(query.limit)),
        _worded(weaviate, name, physical, query, policy.worded(query.limit)),
    )
    return Halves(cosines, said)


async def _near(
    weaviate: WeaviateConnection, name: str, physical: str, query: HybridQuery, count: int
) -> dict[Key, float]:
    if not query.vector.any():
        return {}
    answer = await weaviate.read(
        weaviate.collection(physical).query.near_vector(
            query.vector.tolist(),
            limit=count,
            filters=filters_of(query),
            return_metadata=MetadataQuery(distance=True),
            return_properties=[],
        )
    )
    return {(name, str(found.uuid)): _cosine(-(found.metadata.distance or 0.0)) for found in answer.objects}


async def _worded(
    weaviate: WeaviateConnection, name: str, physical: str, query: HybridQuery, count: int
) -> dict[Key, float]:
    terms = query_terms(query.text)
    if not terms:
        return {}
    answer = await weaviate.read(
        weaviate.collection(physical).query.bm25(
            " ".join(terms),
            query_properties=["terms"],
            limit=count,
            filters=filters_of(query),
            return_metadata=MetadataQuery(score=True),
            return_properties=[],
        )
    )
    return {(name, str(found.uuid)): found.metadata.score or 0.0 for found in answer.objects}


def _cosine(value: float) -> float:
    return max(-1.0, min(1.0, value))


def fused(halves: list[Halves], query: HybridQuery, policy: SearchPolicy) -> tuple[Halves, dict[Key, float]]:
    """The best of all collections together, and the fused score of each of them, best first, each id once."""
    best = Halves(
        _top([half.cosines for half in halves], policy.wanted(query.limit)),
        _top([half.said for half in halves], policy.worded(query.limit)),
    )
    scores = fuse(best.cosines, best.said, query.alpha)
    chosen: dict[str, Key] = {}
    for key in sorted(scores, key=lambda key: (-scores[key], key[1], key[0])):
        chosen.setdefault(key[1], key)  # the same passage may lie in two collections; the better one speaks for it
    return best, {key: scores[key] for key in list(chosen.values())[: query.limit]}


def _top(parts: list[Mapping[Key, float]], count: int) -> dict[Key, float]:
    everything = [item for part in parts for item in part.items()]
    return dict(sorted(everything, key=lambda item: (-item[1], item[0]))[:count])


async def fetch(
    weaviate: WeaviateConnection, name: str, physical: str, ids: list[str], query: HybridQuery
) -> dict[Key, Found]:
    """The passages with these ids, and their exact cosines."""
    answer = await weaviate.read(
        weaviate.collection(physical).query.fetch_objects_by_ids(
            ids, limit=len(ids), include_vector=True, return_properties=SHOWN
        )
    )
    found = {}
    for item in answer.objects:
        vector = vector_of(item.vector, query.vector.size)
        cosine = _cosine(float(np.dot(vector, query.vector)))
        found[name, str(item.uuid)] = Found(passage_of(item.properties, name), cosine)
    return found


def hits(best: Halves, scores: Mapping[Key, float], found: Mapping[Key, Found]) -> list[Hit]:
    """In the order of the scores; what was deleted since it was found is left out."""
    shares = share_of_best(best.said)
    return [
        Hit(found[key].passage, found[key].cosine, shares.get(key, 0.0), score)
        for key, score in scores.items()
        if key in found
    ]
