"""The index's SQL for reading; each function runs on its caller's snapshot."""

import json
from collections.abc import Sequence

import apsw
import numpy as np

from storage.embedded import words
from storage.embedded.codes import nearest_slots, read_code
from storage.embedded.evidence_rows import PASSAGES, collection_id, passage_of
from storage.embedded.filters import Filters
from storage.fusion import SearchPolicy, fuse, share_of_best
from storage.lexical import query_terms
from storage.ports.evidence import Collection, Embedder, Hit, HybridQuery, Passage, Vector


def search(db: apsw.Connection, query: HybridQuery, embedder: Embedder, policy: SearchPolicy) -> list[Hit]:
    """Both halves over every collection, fused."""
    cosines: dict[int, float] = {}
    said: dict[int, float] = {}
    wanted, worded = policy.wanted(query.limit), policy.worded(query.limit)
    terms = query_terms(query.text)
    for name in dict.fromkeys(query.collections):
        collection = collection_id(db, name, embedder)
        if collection is not None:
            allowed = _allowed(db, collection, query)
            cosines |= _near(db, collection, query.vector, int(wanted * policy.short_list_factor), allowed)
            if terms:
                said |= words.best(db, collection, terms, worded, allowed)
    cosines, said = _top(cosines, wanted), _top(said, worded)
    fused = fuse(cosines, said, query.alpha)
    ordered = sorted(fused, key=lambda rowid: (-fused[rowid], rowid))
    missing = [rowid for rowid in ordered if rowid not in cosines]
    cosines |= _cosines(db, query.vector, missing)
    shares = share_of_best(said)
    hits: dict[str, Hit] = {}
    for rowid in ordered:
        if len(hits) == query.limit:
            break
        passage = _passage(db, rowid)
        # The same passage may lie in two collections; the better one speaks for it.
        hits.setdefault(passage.id, Hit(passage, cosines.get(rowid, 0.0), shares.get(rowid, 0.0), fused[rowid]))
    return list(hits.values())


def _top(scores: dict[int, float], count: int) -> dict[int, float]:
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:count])


def _near(
    db: apsw.Connection, collection: int, vector: Vector, count: int, allowed: dict[int, int] | None
) -> dict[int, float]:
    """Exact cosines of the passages whose rounded vectors lie nearest."""
    slots = nearest_slots(db, collection, vector, count, None if allowed is None else list(allowed.values()))
    rows = db.execute(
        "SELECT passages.id FROM json_each(?) CROSS JOIN passages ON collection = ? AND slot = value",
        (json.dumps(slots), collection),
    )
    return _cosines(db, vector, [rowid for (rowid,) in rows])


def _cosines(db: apsw.Connection, vector: Vector, rowids: Sequence[int]) -> dict[int, float]:
    """Exact, by sqlite-vec; a vector without direction has cosine 0 with everything."""
    if not vector.any():
        return dict.fromkeys(rowids, 0.0)
    rows = db.execute(
        "SELECT vectors.id, 1 - vec_distance_cosine(vector, ?)"
        " FROM json_each(?) CROSS JOIN vectors ON vectors.id = value",
        (vector.tobytes(), json.dumps(list(rowids))),
    )
    return {rowid: 0.0 if cosine is None else max(-1.0, min(1.0, cosine)) for rowid, cosine in rows}


ROWS = "SELECT id, slot FROM passages "


def _allowed(db: apsw.Connection, collection: int, query: HybridQuery) -> dict[int, int] | None:
    """The rows that pass the filters with their slots, from an index that covers them; None without filters."""
    filters = Filters()
    after, before = query.published_after, query.published_before
    filters.add("published >= ?", None if after is None else after.toordinal())
    filters.add("published <= ?", None if before is None else before.toordinal())
    filters.add("domain IN (SELECT value FROM json_each(?))", json.dumps(query.domains) if query.domains else None)
    if not filters.conditions:
        return None
    filters.add("collection = ?", collection)
    return dict(db.execute(ROWS + filters.where, filters.values))


def _passage(db: apsw.Connection, rowid: int) -> Passage:
    row = db.execute(PASSAGES + "WHERE passages.id = ?", (rowid,)).fetchone()
    assert row is not None
    return passage_of(row)


def get(db: apsw.Connection, name: str, ids: Sequence[str]) -> list[Passage]:
    """Passages by id, in the order asked for."""
    rows = db.execute(
        "SELECT passages.id FROM json_each(?) AS asked CROSS JOIN passages ON passage_id = asked.value"
        " AND collection = (SELECT id FROM collections WHERE name = ?) ORDER BY asked.key",
        (json.dumps(list(ids)), name),
    )
    return [_passage(db, rowid) for (rowid,) in list(rows)]


def pages_held(db: apsw.Connection, urls: Sequence[str]) -> set[str]:
    """Addresses with passages in any collection that has a name."""
    rows = db.execute(
        "SELECT value FROM json_each(?) WHERE EXISTS (SELECT 1 FROM passages"
        " JOIN collections ON collections.id = collection WHERE url = value AND name IS NOT NULL)",
        (json.dumps(list(urls)),),
    )
    return {url for (url,) in rows}


def collections(db: apsw.Connection) -> list[Collection]:
    """Every collection that has a name."""
    rows = db.execute(
        "SELECT name, embedder, dimension, passages FROM collections WHERE name IS NOT NULL ORDER BY name"
    )
    return [Collection(name, Embedder(made_by, dimension), count) for name, made_by, dimension, count in rows]


def count(db: apsw.Connection, name: str) -> int:
    """A running total."""
    found = db.execute("SELECT passages FROM collections WHERE name = ?", (name,)).get
    return 0 if found is None else int(found)


def scan(db: apsw.Connection, name: str, after: str | None, limit: int) -> list[tuple[Passage, Vector]]:
    """A page in the order of ids."""
    rows = db.execute(
        "SELECT passage_id, passages.id, vector FROM passages JOIN vectors USING (id)"
        " WHERE collection = (SELECT id FROM collections WHERE name = ?) AND passage_id > ?"
        " ORDER BY passage_id LIMIT ?",
        (name, after or "", limit),
    )
    return [(_passage(db, rowid), np.frombuffer(vector, dtype=np.float32)) for _, rowid, vector in list(rows)]


def unreachable(db: apsw.Connection, name: str, after: str, limit: int, embedder: Embedder) -> tuple[list[str], str]:
    """Of the next `limit` passages, those whose words or rounded vector are not what they should be; and the last."""
    collection = collection_id(db, name, embedder)
    if collection is None:
        return [], ""
    rows = list(
        db.execute(
            "SELECT passage_id, passages.id, slot, vector FROM passages JOIN vectors USING (id)"
            " WHERE collection = ? AND passage_id > ? ORDER BY passage_id LIMIT ?",
            (collection, after, limit),
        )
    )
    lost = []
    for passage_id, rowid, slot, blob in rows:
        vector = np.frombuffer(blob, dtype=np.float32)
        code = read_code(db, collection, embedder.dimension, slot)
        if not words.has(db, collection, rowid) or not np.allclose(code, vector, atol=0.01):
            lost.append(passage_id)
    return lost, rows[-1][0] if rows else ""
