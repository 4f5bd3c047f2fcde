"""Long passages in windows, and one answer from several."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.language.stance.windows import pool, sentence_windows

PASSAGE = "One stands first. Two comes second. Three is third. Four goes fourth. Five ends it."


def words(text: str) -> int:
    return len(text.split())


def test_a_short_passage_is_one_window_as_it_is() -> None:
    assert sentence_windows(PASSAGE, words, 50, 1, 8) == [PASSAGE]


def test_windows_are_whole_sentences_that_fit_and_overlap() -> None:
    windows = sentence_windows(PASSAGE, words, 6, 1, 8)
    assert windows[0] == "One stands first. Two comes second."
    assert windows[1] == "Two comes second. Three is third."
    assert windows[-1].endswith("Five ends it.")
    assert all(words(window) <= 6 for window in windows)


def test_a_sentence_that_is_too_long_stands_alone() -> None:
    windows = sentence_windows("Short one. Very " + "very " * 30 + "long. Last one.", words, 8, 1, 8)
    assert any(window.startswith("Very very") for window in windows)
    assert windows[-1].endswith("Last one.")


def test_no_more_windows_than_allowed_are_read() -> None:
    assert len(sentence_windows("A b c d. " * 200, words, 8, 1, 5)) == 5


@given(st.integers(2, 40), st.integers(3, 30), st.integers(0, 3))
def test_windows_come_to_an_end_and_leave_no_sentence_out(count: int, room: int, overlap: int) -> None:
    sentences = [f"Sentence number {number} ends." for number in range(count)]
    windows = sentence_windows(" ".join(sentences), words, room, overlap, 1000)
    assert all(any(sentence in window for window in windows) for sentence in sentences)


def test_one_telling_window_outweighs_many_silent_ones() -> None:
    silent, telling = np.array([0.02, 0.02, 0.96]), np.array([0.05, 0.9, 0.05])
    pooled = pool([silent] * 6 + [telling], 3.0)
    assert pooled.sum() == pytest.approx(1.0)
    assert pooled.argmax() == 1


def test_windows_that_disagree_leave_both_in_doubt() -> None:
    pooled = pool([np.array([0.9, 0.05, 0.05]), np.array([0.05, 0.9, 0.05])], 3.0)
    assert pooled[0] == pytest.approx(pooled[1])
