"""The words of each collection: one FTS5 table per collection, so that a swap moves words with their statistics."""

# ruff: noqa: S608 - a table's name holds the number of its collection, never anything that came from outside

from collections.abc import Sequence

import apsw


def create(db: apsw.Connection, collection: int) -> None:
    """The terms are plain ASCII words in any order: no positions and no copy of the text are kept."""
    db.execute(
        f"CREATE VIRTUAL TABLE {_table(collection)} USING"
        " fts5(terms, tokenize = 'ascii', detail = none, content = '', contentless_delete = 1)"
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
    db: apsw.Connection,
    collection: int,
    terms: Sequence[str],
    count: int,
    *,
    narrowed: tuple[str, Sequence[str | int | None]] = ("", ()),
) -> dict[int, float]:
    """BM25 (larger is better) of the best passages that hold any of the terms.

    `narrowed` is a literal condition on the columns of `passages`, with the values of its placeholders ?1, ?2 ….
    """
    condition, values = narrowed
    table = _table(collection)
    match = " OR ".join(f'"{term}"' for term in terms)
    join = f"JOIN passages ON passages.id = {table}.rowid AND {condition}" if condition else ""
    next_value = len(values) + 1
    rows = db.execute(
        f"SELECT {table}.rowid, -rank FROM {table} {join} WHERE {table} MATCH ?{next_value}"
        f" ORDER BY rank LIMIT ?{next_value + 1}",
        (*values, match, count),
    )
    return dict(rows)


def _table(collection: int) -> str:
    return f"words_{int(collection)}"
