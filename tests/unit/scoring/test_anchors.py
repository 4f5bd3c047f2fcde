"""Anchors of a subclaim: two to five, from its own words."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.anchors import MAX_ANCHORS, MIN_ANCHORS, anchors
from scoring.text import content_words


def test_names_come_first_then_numbers_then_the_longest_words() -> None:
    # Newtown is the name, 1,200 the number; hospital and patients have eight letters, treated seven.
    assert anchors("The Newtown hospital treated 1,200 patients.") == (
        "Newtown",
        "1200",
        "hospital",
        "patients",
        "treated",
    )


def test_at_most_three_names_leave_room_for_what_is_said_about_them() -> None:
    found = anchors("Anna Berg, Boris Carl, Clara Dorn and Emil Falk signed the agreement.")
    assert found[:3] == ("Anna Berg", "Boris Carl", "Clara Dorn")
    assert "agreement" in found


def test_a_models_anchors_are_used_as_they_are_when_there_are_enough() -> None:
    assert anchors("The WHO approved it.", ["World Health Organization", " approval "]) == (
        "World Health Organization",
        "approval",
    )


def test_too_few_proposals_are_filled_up_by_rules() -> None:
    found = anchors("The bridge collapsed in Newtown.", ["bridge"])
    assert found[0] == "bridge"
    assert len(found) >= MIN_ANCHORS
    assert "Newtown" in found


def test_no_more_than_five_proposals_are_taken() -> None:
    assert len(anchors("x", [f"term{n}" for n in range(9)])) == MAX_ANCHORS


@pytest.mark.parametrize("proposed", [["", "  "], ["x" * 81], ["bridges", "bridge", "Bridge"]])
def test_empty_overlong_and_repeated_proposals_do_not_count(proposed: list[str]) -> None:
    found = anchors("The bridge collapsed.", proposed)
    assert all(0 < len(anchor) <= 80 for anchor in found)
    assert len({anchor.lower().removesuffix("s") for anchor in found}) == len(found) == 2


def test_a_single_word_has_one_anchor_and_nothing_is_invented() -> None:
    assert anchors("Rain.") == ("Rain",)
    assert anchors("") == ()


@given(st.text(max_size=200), st.lists(st.text(max_size=100), max_size=8))
def test_there_are_never_more_than_five_and_two_wherever_the_words_allow(text: str, proposed: list[str]) -> None:
    found = anchors(text, proposed)
    assert len(found) <= MAX_ANCHORS
    assert len(set(found)) == len(found)
    if not proposed and len({word[:4] for word in content_words(text)}) >= 6:
        assert len(found) >= MIN_ANCHORS
