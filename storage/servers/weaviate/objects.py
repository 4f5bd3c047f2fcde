"""Passages as Weaviate's objects, and the schema of a collection of them."""

import hashlib
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from weaviate.classes.config import Configure, DataType, Property, StopwordsPreset, Tokenization, VectorDistances
from weaviate.classes.data import DataObject
from weaviate.classes.query import Filter
from weaviate.collections.classes.filters import _Filters as Filters

from storage.lexical import index_terms
from storage.ports.evidence import Embedder, HybridQuery, Passage, Vector
from storage.times import micros, moment_of
from storage.vectors import checked_vector

VECTOR = "default"
"""The name Weaviate gives to a collection's only vector."""

TEXTS = ("url", "title", "text", "snippet", "domain", "extraction", "content_hash")
SHOWN = [*TEXTS, "published", "fetched", "credibility"]
"""The properties that make up a passage; the others are there to be searched."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A passage made ready to be sent."""

    id: str
    passage: Passage
    vector: Vector

    @property
    def size(self) -> int:
        """About how many bytes it takes in a message."""
        return 2 * len(self.passage.text.encode()) + self.vector.nbytes + 1_000


def prepare(items: Sequence[tuple[Passage, Vector]], embedder: Embedder) -> dict[str, list[Prepared]]:
    """Checked and by collection; of a passage given twice the last one counts."""
    kept: dict[str, dict[str, Prepared]] = {}
    for passage, vector in items:
        item = Prepared(passage.id, passage, checked_vector(vector, embedder))
        kept.setdefault(passage.collection, {})[item.id] = item
    return {name: list(group.values()) for name, group in sorted(kept.items())}


def schema() -> dict[str, Any]:
    """What a collection is created with.

    Words are searched in `terms`, which holds the same stems that the embedded index searches, so that both find
    alike. Filters look at digests: a value of any length and any characters then takes the same room. Vectors
    have length one, so that the dot product is the cosine and no object's vector is changed by the server.
    """
    return {
        "properties": [
            *(_unsearched(name, DataType.TEXT) for name in TEXTS),
            _unsearched("credibility", DataType.NUMBER),
            Property(
                name="terms",
                data_type=DataType.TEXT,
                tokenization=Tokenization.WHITESPACE,
                index_filterable=False,
                index_searchable=True,
            ),
            *(_digest(name) for name in ("url_digest", "domain_digest")),
            *(
                Property(name=name, data_type=DataType.INT, index_filterable=False, index_range_filters=True)
                for name in ("published", "fetched")  # a day number, and microseconds since 1970
            ),
        ],
        "inverted_index_config": Configure.inverted_index(stopwords_preset=StopwordsPreset.NONE),
        "vector_config": Configure.Vectors.self_provided(
            vector_index_config=Configure.VectorIndex.hnsw(distance_metric=VectorDistances.DOT)
        ),
    }


def _unsearched(name: str, kind: DataType) -> Property:
    searchable = False if kind is DataType.TEXT else None
    return Property(name=name, data_type=kind, index_filterable=False, index_searchable=searchable)


def _digest(name: str) -> Property:
    return Property(
        name=name,
        data_type=DataType.TEXT,
        tokenization=Tokenization.FIELD,
        index_filterable=True,
        index_searchable=False,
    )


def digest(text: str) -> str:
    """A text as a value to filter by."""
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def object_of(item: Prepared) -> DataObject[Any, Any]:
    """A passage as it is sent. A vector without direction is left out: no search should find it by meaning."""
    passage = item.passage
    properties: dict[str, Any] = {name: getattr(passage, name) for name in TEXTS}
    properties |= {
        "fetched": micros(passage.fetched),
        "credibility": passage.credibility,
        "terms": index_terms(passage.title, passage.text),
        "url_digest": digest(passage.url),
        "domain_digest": digest(passage.domain),
    }
    if passage.published is not None:
        properties["published"] = passage.published.toordinal()
    vector = item.vector.tolist() if item.vector.any() else None
    return DataObject(uuid=item.id, properties=properties, vector=vector)


def passage_of(properties: Mapping[str, Any], collection: str) -> Passage:
    """The passage that an object holds."""
    published = properties["published"]
    return Passage(
        collection=collection,
        fetched=moment_of(int(properties["fetched"])),
        published=None if published is None else date.fromordinal(int(published)),
        credibility=float(properties["credibility"]),
        **{name: str(properties[name]) for name in TEXTS},
    )


def vector_of(vectors: Mapping[str, Any], dimension: int) -> Vector:
    """The vector of an object; zeros if it has none."""
    stored = vectors.get(VECTOR)
    return np.asarray(stored, dtype=np.float32) if stored else np.zeros(dimension, dtype=np.float32)


def stored_of(item: Any, collection: str, dimension: int) -> Prepared:
    """A passage as it lies in the store, from an object that was fetched with its vector."""
    return Prepared(str(item.uuid), passage_of(item.properties, collection), vector_of(item.vector, dimension))


def valid_ids(ids: Sequence[str]) -> list[str]:
    """Those that can be the id of an object at all."""
    return [text for text in ids if _is_uuid(text)]


def _is_uuid(text: str) -> bool:
    try:
        return str(uuid.UUID(text)) == text
    except ValueError:
        return False


def filters_of(query: HybridQuery) -> Filters | None:
    """The query's filters; a passage without a date fails those on dates."""
    conditions: list[Filters] = []
    if query.domains:
        wanted = [digest(domain) for domain in query.domains]
        conditions.append(Filter.by_property("domain_digest").contains_any(wanted))
    if query.published_after is not None:
        conditions.append(Filter.by_property("published").greater_or_equal(query.published_after.toordinal()))
    if query.published_before is not None:
        conditions.append(Filter.by_property("published").less_or_equal(query.published_before.toordinal()))
    return Filter.all_of(conditions) if conditions else None
