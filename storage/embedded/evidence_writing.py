"""The index's SQL for writing; each function runs in its caller's transaction."""

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

import apsw
import numpy as np

from storage.embedded import words
from storage.embedded.codes import write_codes
from storage.embedded.evidence_rows import Prepared, collection_id, columns_of
from storage.errors import StoreError
from storage.lexical import index_terms
from storage.ports.evidence import Embedder, Vector

CLEARED_AT_ONCE = 2_000
"""Passages of a retired collection deleted per transaction: a few tens of milliseconds of the write lock."""


def upsert(db: apsw.Connection, items: Sequence[Prepared], embedder: Embedder) -> int:
    """Insert or update; returns how many were new."""
    fresh = 0
    for name, group in groupby(sorted(items, key=_collection), key=_collection):
        collection = collection_id(db, name, embedder)
        if collection is None:
            collection = _create(db, name, embedder)
        fresh += _upsert_into(db, collection, list(group), embedder)
    return fresh


def _collection(item: Prepared) -> str:
    return item.passage.collection


def _create(db: apsw.Connection, name: str, embedder: Embedder) -> int:
    db.execute(
        "INSERT INTO collections (name, embedder, dimension) VALUES (?, ?, ?)",
        (name, embedder.name, embedder.dimension),
    )
    collection = db.last_insert_rowid()
    words.create(db, collection)
    return collection


def _upsert_into(db: apsw.Connection, collection: int, items: list[Prepared], embedder: Embedder) -> int:
    stored = _stored(db, collection, items)
    slots = iter(_take_slots(db, collection, sum(item.id not in stored for item in items)))
    vectors: dict[int, Vector] = {}
    for item in items:
        found = stored.get(item.id)
        if found is None:
            slot = next(slots)
            words.put(db, collection, _insert(db, collection, slot, item), item.terms)
        else:
            rowid, slot, title = found
            _update(db, rowid, item)
            if title != item.passage.title:  # the text cannot differ: its hash is part of the id
                words.put(db, collection, rowid, item.terms)
        vectors[slot] = item.vector
    write_codes(db, collection, embedder.dimension, vectors.items())
    return len(items) - len(stored)


def _stored(db: apsw.Connection, collection: int, items: list[Prepared]) -> dict[str, tuple[int, int, str]]:
    """Row, slot and title of those that are there already."""
    rows = db.execute(
        "SELECT passage_id, passages.id, slot, title FROM json_each(?) CROSS JOIN passages"
        " ON collection = ? AND passage_id = value",
        (json.dumps([item.id for item in items]), collection),
    )
    return {passage_id: (rowid, slot, title) for passage_id, rowid, slot, title in rows}


def _insert(db: apsw.Connection, collection: int, slot: int, item: Prepared) -> int:
    db.execute(
        "INSERT INTO passages (collection, slot, passage_id, url, title, text, snippet, domain, published, fetched,"
        " credibility, extraction, content_hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (collection, slot, item.id, *columns_of(item.passage)),
    )
    rowid = db.last_insert_rowid()
    db.execute("INSERT INTO vectors VALUES (?, ?)", (rowid, item.vector.tobytes()))
    return rowid


def _update(db: apsw.Connection, rowid: int, item: Prepared) -> None:
    db.execute(
        "UPDATE passages SET url = ?, title = ?, text = ?, snippet = ?, domain = ?, published = ?, fetched = ?,"
        " credibility = ?, extraction = ?, content_hash = ? WHERE id = ?",
        (*columns_of(item.passage), rowid),
    )
    db.execute("UPDATE vectors SET vector = ? WHERE id = ?", (item.vector.tobytes(), rowid))


def _take_slots(db: apsw.Connection, collection: int, count: int) -> list[int]:
    """Slots that deleted passages left, then new ones."""
    freed = db.execute("SELECT slot FROM free_slots WHERE collection = ? ORDER BY slot LIMIT ?", (collection, count))
    slots = [slot for (slot,) in freed]
    db.executemany("DELETE FROM free_slots WHERE collection = ? AND slot = ?", [(collection, slot) for slot in slots])
    first = db.execute("SELECT slots FROM collections WHERE id = ?", (collection,)).get
    assert isinstance(first, int)
    beyond = first + count - len(slots)
    db.execute("UPDATE collections SET slots = ? WHERE id = ?", (beyond, collection))
    return [*slots, *range(first, beyond)]


def delete_by_url(db: apsw.Connection, url: str, name: str | None) -> int:
    """A page's passages, from one collection or all."""
    rows = db.execute(
        "SELECT passages.collection, passages.id, slot FROM passages JOIN collections ON collections.id = collection"
        " WHERE url = ? AND name = ifnull(?, name)",
        (url, name),
    )
    return _delete(db, list(rows))


def keep_only(db: apsw.Connection, name: str, pages: Mapping[str, Sequence[str]], before: int) -> int:
    """What earlier readings of these pages left."""
    stale: list[tuple[int, int, int]] = []
    for url, ids in pages.items():
        rows = db.execute(
            "SELECT collection, id, slot FROM passages WHERE url = ? AND fetched < ?"
            " AND collection = (SELECT id FROM collections WHERE name = ?)"
            " AND passage_id NOT IN (SELECT value FROM json_each(?))",
            (url, before, name, json.dumps(list(ids))),
        )
        stale += rows
    return _delete(db, stale)


def delete_fetched_before(db: apsw.Connection, moment: int, name: str) -> int:
    """What was fetched before `moment`."""
    rows = db.execute(
        "SELECT passages.collection, passages.id, slot FROM passages"
        " WHERE collection = (SELECT id FROM collections WHERE name = ?) AND fetched < ?",
        (name, moment),
    )
    return _delete(db, list(rows))


def _delete(db: apsw.Connection, rows: Iterable[tuple[int, int, int]]) -> int:
    count = 0
    for collection, group in groupby(sorted(rows), key=lambda row: row[0]):
        gone = list(group)
        for _, rowid, slot in gone:
            db.execute("DELETE FROM passages WHERE id = ?", (rowid,))
            words.remove(db, collection, rowid)
            db.execute("INSERT INTO free_slots VALUES (?, ?)", (collection, slot))
        dimension = db.execute("SELECT dimension FROM collections WHERE id = ?", (collection,)).get
        assert isinstance(dimension, int)
        write_codes(db, collection, dimension, [(slot, None) for _, _, slot in gone])
        count += len(gone)
    return count


def swap(db: apsw.Connection, fresh: str, live: str) -> None:
    """Two names change hands in one transaction; what `live` stood for is retired, to be cleared away later."""
    known = db.execute("SELECT id FROM collections WHERE name = ?", (fresh,)).get
    if known is None:
        raise StoreError(f"there is no collection {fresh!r} to put in the place of {live!r}; fill it first")
    if fresh == live:
        return
    retire(db, live)
    db.execute("UPDATE collections SET name = ? WHERE name = ?", (live, fresh))


def retire(db: apsw.Connection, name: str) -> None:
    """Take the name away: no search finds the collection any more."""
    db.execute("UPDATE collections SET name = NULL WHERE name = ?", (name,))


def clear_retired(db: apsw.Connection) -> bool:
    """Delete a bounded share of what is retired; false when nothing is left."""
    collection = db.execute("SELECT id FROM collections WHERE name IS NULL LIMIT 1").get
    if collection is None:
        return False
    db.execute(
        "DELETE FROM passages WHERE id IN (SELECT id FROM passages WHERE collection = ? LIMIT ?)",
        (collection, CLEARED_AT_ONCE),
    )
    if not db.execute("SELECT passages FROM collections WHERE id = ?", (collection,)).get:
        words.drop(db, int(collection))
        db.execute("DELETE FROM segments WHERE collection = ?", (collection,))
        db.execute("DELETE FROM free_slots WHERE collection = ?", (collection,))
        db.execute("DELETE FROM collections WHERE id = ?", (collection,))
    return True


def rewrite(db: apsw.Connection, name: str, ids: Sequence[str], embedder: Embedder) -> int:
    """Write words and rounded vectors again from what is stored."""
    collection = collection_id(db, name, embedder)
    if collection is None:
        return 0
    vectors: dict[int, Vector] = {}
    for passage_id in ids:
        row = db.execute(
            "SELECT passages.id, slot, title, text, vector FROM passages JOIN vectors USING (id)"
            " WHERE collection = ? AND passage_id = ?",
            (collection, passage_id),
        ).fetchone()
        if row is not None:
            rowid, slot, title, text, vector = row
            words.put(db, collection, rowid, index_terms(title, text))
            vectors[slot] = np.frombuffer(vector, dtype=np.float32)
    write_codes(db, collection, embedder.dimension, vectors.items())
    return len(vectors)
