"""A megabyte of anything is read in one pass: were any measure quadratic, these would run into the timeout."""

from datetime import date

import pytest

from scoring.claim_types import profile
from scoring.ranking import rank
from scoring.text import (
    claim_overlap,
    content_stems,
    entities,
    entity_overlap,
    is_comparative,
    quantities,
    tokens,
)
from scoring.values import Candidate

MEGABYTE = 1_000_000
pytestmark = pytest.mark.timeout(90)


@pytest.mark.parametrize("character", [*"aAé1(\" '.,-%\n", "\u0301", "“"])
def test_a_megabyte_of_one_character_does_not_stall(character: str) -> None:
    text = character * MEGABYTE
    assert len(tokens(text)) <= 1
    assert len(content_stems(text)) <= 1
    assert entities(text) == ()
    assert quantities(text) == ()
    # The profile asks for every cue.
    assert profile(text) == profile("")
    assert claim_overlap("vaccines reduce admissions", text) == 0.0
    assert entity_overlap([text], "Oslo") == 0.0


@pytest.mark.parametrize("pattern", ["A ", "1,", '"Ab" ', "B.", "\u0316\u0301", "as a ", "A of "])
def test_repeated_patterns_do_not_stall(pattern: str) -> None:
    text = pattern * (MEGABYTE // 10 // len(pattern))
    assert len(entities(text)) <= 2
    assert all(one.value == 1 for one in quantities(text))
    assert not is_comparative(text)
    assert claim_overlap("vaccines reduce admissions", text) == 0.0


def test_ranking_a_megabyte_does_not_stall() -> None:
    candidate = Candidate(id="big", text="vaccine admissions " + "x" * MEGABYTE, origin="web", semantic=0.9)
    result = rank("Vaccines reduce admissions", (), [candidate], date(2024, 1, 1))
    assert result.removed[0].reason == "too_short"
    long = Candidate(
        id="long", text="vaccines reduce nothing here " * 30_000 + "admissions", origin="web", semantic=0.9
    )
    assert rank("Vaccines reduce admissions", (), [long], date(2024, 1, 1)).rows[0].claim_overlap == 1.0
