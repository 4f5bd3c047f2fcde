"""Passages as rows, and which collection a name stands for."""

from dataclasses import dataclass
from datetime import date

import apsw
import numpy as np

from storage.embedded.times import micros, moment_of
from storage.errors import StoreMismatch, StoreRefused
from storage.ports.evidence import Embedder, Passage, Vector

PASSAGES = """
SELECT collections.name, url, text, fetched, title, snippet, domain, published, credibility, extraction, content_hash
FROM passages JOIN collections ON collections.id = passages.collection
"""
PassageRow = tuple[str, str, str, int, str, str, str, int | None, float, str, str]


@dataclass(frozen=True, slots=True)
class Prepared:
    """A passage made ready outside the transaction: id, vector and terms are computed before the lock is held."""

    passage: Passage
    id: str
    vector: Vector
    terms: str


def passage_of(row: PassageRow) -> Passage:
    """The value of a row that PASSAGES selects."""
    name, url, text, fetched, title, snippet, domain, published, credibility, extraction, content_hash = row
    return Passage(
        collection=name,
        url=url,
        text=text,
        fetched=moment_of(fetched),
        title=title,
        snippet=snippet,
        domain=domain,
        published=None if published is None else date.fromordinal(published),
        credibility=credibility,
        extraction=extraction,
        content_hash=content_hash,
    )


def columns_of(passage: Passage) -> tuple[str | int | float | None, ...]:
    """url … content_hash, in the order of the table."""
    return (
        passage.url,
        passage.title,
        passage.text,
        passage.snippet,
        passage.domain,
        None if passage.published is None else passage.published.toordinal(),
        micros(passage.fetched),
        passage.credibility,
        passage.extraction,
        passage.content_hash,
    )


def collection_id(db: apsw.Connection, name: str, embedder: Embedder) -> int | None:
    """The number of a collection, None if there is none; another embedder's collection is refused."""
    row = db.execute("SELECT id, embedder, dimension FROM collections WHERE name = ?", (name,)).fetchone()
    if row is None:
        return None
    number, made_by, dimension = row
    if (made_by, dimension) != (embedder.name, embedder.dimension):
        raise StoreMismatch(
            f"collection {name!r} holds vectors of {made_by} ({dimension} dimensions), but the embedder in use is"
            f" {embedder.name} ({embedder.dimension}); use that embedder, or ingest the collection again"
        )
    return int(number)


def checked_vector(vector: Vector, embedder: Embedder) -> Vector:
    """The vector as contiguous float32, if it fits the embedder and has length one (or no length at all)."""
    row = np.ascontiguousarray(vector, dtype=np.float32)
    if row.shape != (embedder.dimension,):
        raise StoreMismatch(
            f"a vector of shape {row.shape} does not fit {embedder.name}, which makes {embedder.dimension} dimensions"
        )
    length = float(np.linalg.norm(row))
    if not (length == 0.0 or abs(length - 1.0) < 1e-3):
        raise StoreRefused(f"vectors must have length one, got {length:.4g}; scale them first")
    return row
