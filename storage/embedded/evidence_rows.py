"""Passages as rows, and which collection a name stands for."""

from dataclasses import dataclass
from datetime import date

import apsw

from storage.ports.evidence import Embedder, Passage, Vector
from storage.times import micros, moment_of
from storage.vectors import require_embedder

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
    require_embedder(name, Embedder(made_by, dimension), embedder)
    return int(number)
