"""Rounded vectors: how exact they are, and that a search over them loses nothing."""

from collections.abc import Iterator
from pathlib import Path

import apsw
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from storage.embedded.codes import NO_DIRECTION, SEGMENT, nearest_slots, read_code, rounded, write_codes
from storage.embedded.connection import DatabasePolicy, connect, migrate
from storage.embedded.evidence_schema import EVIDENCE
from storage.ports import Vector

DIMENSION = 48


def unit_vectors(count: int, seed: int = 1, dimension: int = DIMENSION) -> Vector:
    rows = np.random.default_rng(seed).standard_normal((count, dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows


@pytest.fixture
def db(tmp_path: Path) -> Iterator[apsw.Connection]:
    path = tmp_path / "codes.db"
    connection = connect(path, DatabasePolicy(), writer=True)
    with connection:
        migrate(connection, EVIDENCE, path)
        connection.execute(
            "INSERT INTO collections (id, name, embedder, dimension) VALUES (1, 'c', 'e', ?)", (DIMENSION,)
        )
    yield connection
    connection.close()


@given(arrays.arrays(np.float32, DIMENSION, elements=st.floats(-1, 1, width=32)))
def test_rounding_moves_no_number_by_more_than_half_a_step(vector: Vector) -> None:
    scale, code = rounded(vector)
    assert np.max(np.abs(code * scale - vector)) <= max(float(scale) * 0.5001, NO_DIRECTION)
    assert (float(scale) == 0.0) == (float(np.max(np.abs(vector))) < NO_DIRECTION)


def test_a_rounded_cosine_of_384_dimensions_is_within_two_thousandths() -> None:
    rows = unit_vectors(500, dimension=384)
    codes = [rounded(row) for row in rows]
    approximate = np.array([(code * scale) @ rows[0] for scale, code in codes])
    assert np.max(np.abs(approximate - rows @ rows[0])) < 0.002


def test_what_is_written_can_be_read_back_from_any_segment(db: apsw.Connection) -> None:
    rows = unit_vectors(3)
    slots = (0, SEGMENT - 1, 3 * SEGMENT + 7)
    write_codes(db, 1, DIMENSION, zip(slots, rows, strict=True))
    for slot, row in zip(slots, rows, strict=True):
        np.testing.assert_allclose(read_code(db, 1, DIMENSION, slot), row, atol=0.005)
    assert not read_code(db, 1, DIMENSION, 1).any()
    assert not read_code(db, 1, DIMENSION, 9 * SEGMENT).any()


def test_the_short_list_holds_the_true_nearest(db: apsw.Connection) -> None:
    rows = unit_vectors(3 * SEGMENT + 100)
    write_codes(db, 1, DIMENSION, enumerate(rows))
    for query in unit_vectors(20, seed=2):
        truth = set(np.argsort(-(rows @ query))[:20].tolist())
        assert truth <= set(nearest_slots(db, 1, query, 30, None))


def test_only_allowed_slots_are_found(db: apsw.Connection) -> None:
    rows = unit_vectors(SEGMENT + 50)
    write_codes(db, 1, DIMENSION, enumerate(rows))
    allowed = [3, SEGMENT + 1, 40]
    assert sorted(nearest_slots(db, 1, rows[0], 30, allowed)) == sorted(allowed)
    assert nearest_slots(db, 1, rows[0], 30, []) == []


def test_empty_slots_and_vectors_without_direction_are_never_found(db: apsw.Connection) -> None:
    rows = unit_vectors(4)
    write_codes(db, 1, DIMENSION, enumerate(rows))
    write_codes(db, 1, DIMENSION, [(1, None), (2, np.zeros(DIMENSION, dtype=np.float32))])
    assert sorted(nearest_slots(db, 1, -rows[0], 30, None)) == [0, 3]
    assert nearest_slots(db, 1, np.zeros(DIMENSION, dtype=np.float32), 30, None) == []
    assert nearest_slots(db, 2, rows[0], 30, None) == []


def test_segments_of_collections_are_told_apart(db: apsw.Connection) -> None:
    rows = unit_vectors(2)
    db.execute("INSERT INTO collections (id, name, embedder, dimension) VALUES (2, 'd', 'e', ?)", (DIMENSION,))
    write_codes(db, 1, DIMENSION, [(5, rows[0])])
    write_codes(db, 2, DIMENSION, [(6, rows[1])])
    assert nearest_slots(db, 1, rows[1], 30, None) == [5]
    assert nearest_slots(db, 2, rows[0], 30, None) == [6]
