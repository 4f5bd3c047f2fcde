"""The words of each collection: one FTS5 table per collection, so that a swap moves words with their statistics."""

# ruff: noqa: S608 - a table's name holds the number of its collection, never anything that came from outside

from collections.abc import Container, Sequence
from itertools import islice

import apsw


def create(db: apsw.Connection, collection: int) -> None:
    """The terms are plain ASCII words; no copy of them is kept. Without positions (detail=none) BM25 would be zero."""
    db.execute(
        f"CREATE VIRTUAL TABLE {_table(collection)} USING"
        " fts5(terms, tokenize = 'ascii', content = '', contentless_delete = 1)"
    )


def drop(db: apsw.Connection, collection: int) -> None:
    """Forget a collection's words."""
    db.execute(f"DROP TABLE IF EXISTS {_table(collection)}")


def put(db: apsw.Connection, collection: int, rowid: int, terms: str) -> None:
    """Index a passage under `terms`, instead of what it was indexed under before."""
    db.execute(f"INSERT OR REPLACE INTO {_table(collection)} (rowid, terms) VALUES (?, ?)", (rowid, terms))


def remove(db: apsw.Connection, collection: int, rowid: int) -> None:
    """Forget one passage's words."""
    db.execute(f"DELETE FROM {_table(collection)} WHERE rowid = ?", (rowid,))


def has(db: apsw.Connection, collection: int, rowid: int) -> bool:
    """Whether a passage is indexed at all."""
    return bool(db.execute(f"SELECT count(*) FROM {_table(collection)} WHERE rowid = ?", (rowid,)).get)


def best(
    db: apsw.Connection, collection: int, terms: Sequence[str], count: int, allowed: Container[int] | None
) -> dict[int, float]:
    """BM25 (larger is better) of the best passages that hold any of the terms and are allowed (None: all are)."""
    table = _table(collection)
    match = " OR ".join(f'"{term}"' for term in terms)
    query = f"SELECT rowid, -rank FROM {table} WHERE {table} MATCH ? ORDER BY rank"
    if allowed is None:
        return dict(db.execute(query + " LIMIT ?", (match, count)))
    # Read in the order of rank until enough have passed: joining every match with its row would cost far more.
    passing = (row for row in db.execute(query, (match,)) if row[0] in allowed)
    return dict(islice(passing, count))


def _table(collection: int) -> str:
    return f"words_{int(collection)}"
