"""Vectors rounded to one byte per number: four times less to read than float32, and off by about 0.0005 in cosine.

A search runs over all of these and takes a short list, whose cosines are then computed from the exact vectors.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import apsw
import numpy as np
from numpy.typing import NDArray

from storage.ports.evidence import Vector

SEGMENT = 512
"""Vectors per row. At 384 dimensions a segment widened to float32 is 0.8 MB: it stays in a core's cache."""

SCALE_BYTES = 4
NO_DIRECTION = 1e-6
"""The largest number of a unit vector is far above this; below it only rounding dust is left."""

Codes = NDArray[np.int8]


def rounded(vector: Vector) -> tuple[np.float32, Codes]:
    """The scale and the bytes of a vector; a scale of zero marks 'no direction' (and an empty slot)."""
    peak = float(np.max(np.abs(vector), initial=0.0))
    if peak < NO_DIRECTION:
        return np.float32(0.0), np.zeros(vector.shape, dtype=np.int8)
    scale = np.float32(peak / 127)
    return scale, np.rint(vector / scale).astype(np.int8)


def write_codes(
    db: apsw.Connection, collection: int, dimension: int, items: Iterable[tuple[int, Vector | None]]
) -> None:
    """Put vectors (None: nothing) into their slots, touching only the pages that hold them."""
    ordered = sorted(items, key=lambda item: item[0])
    for number, group in groupby(ordered, key=lambda item: item[0] // SEGMENT):
        rowid = _segment(db, collection, dimension, number)
        with (
            db.blob_open("main", "segments", "scales", rowid, True) as scales,
            db.blob_open("main", "segments", "codes", rowid, True) as codes,
        ):
            for slot, vector in group:
                scale, code = rounded(vector if vector is not None else np.zeros(dimension, dtype=np.float32))
                scales.seek(slot % SEGMENT * SCALE_BYTES)
                scales.write(scale.tobytes())
                codes.seek(slot % SEGMENT * dimension)
                codes.write(code.tobytes())


def _segment(db: apsw.Connection, collection: int, dimension: int, number: int) -> int:
    found = db.execute("SELECT id FROM segments WHERE collection = ? AND number = ?", (collection, number)).get
    if found is not None:
        return int(found)
    db.execute(
        "INSERT INTO segments (collection, number, scales, codes) VALUES (?, ?, zeroblob(?), zeroblob(?))",
        (collection, number, SEGMENT * SCALE_BYTES, SEGMENT * dimension),
    )
    return db.last_insert_rowid()


def nearest_slots(
    db: apsw.Connection, collection: int, query: Vector, count: int, allowed: Sequence[int] | None
) -> list[int]:
    """The slots whose rounded vectors lie nearest to `query`, at most `count`, in no order."""
    if not query.any():
        return []
    scores = np.concatenate([np.empty(0, np.float32), *_scores(db, collection, query)])
    if allowed is not None:
        closed = np.ones(scores.size, dtype=bool)
        closed[np.asarray(allowed, dtype=np.int64)] = False
        scores[closed] = -np.inf
    best = np.argpartition(-scores, count)[:count] if count < scores.size else np.arange(scores.size)
    return [int(slot) for slot in best if scores[slot] > -np.inf]


def _scores(db: apsw.Connection, collection: int, query: Vector) -> Iterator[Vector]:
    """Approximate cosines, segment by segment in the order of slots; minus infinity where nothing lies."""
    rows = db.execute("SELECT scales, codes FROM segments WHERE collection = ? ORDER BY number", (collection,))
    for scale_bytes, code_bytes in rows:
        scales = np.frombuffer(scale_bytes, dtype=np.float32)
        codes = np.frombuffer(code_bytes, dtype=np.int8).reshape(SEGMENT, -1)
        scores = codes.astype(np.float32) @ query
        yield np.where(scales > 0, scores * scales, np.float32(-np.inf))


def read_code(db: apsw.Connection, collection: int, dimension: int, slot: int) -> Vector:
    """The rounded vector in a slot; zeros if nothing lies there."""
    rowid = db.execute("SELECT id FROM segments WHERE collection = ? AND number = ?", (collection, slot // SEGMENT)).get
    if rowid is None:
        return np.zeros(dimension, dtype=np.float32)
    with (
        db.blob_open("main", "segments", "scales", int(rowid), False) as scales,
        db.blob_open("main", "segments", "codes", int(rowid), False) as codes,
    ):
        scales.seek(slot % SEGMENT * SCALE_BYTES)
        codes.seek(slot % SEGMENT * dimension)
        scale = np.frombuffer(scales.read(SCALE_BYTES), dtype=np.float32)[0]
        code = np.frombuffer(codes.read(dimension), dtype=np.int8)
    return np.asarray(code * scale, dtype=np.float32)
