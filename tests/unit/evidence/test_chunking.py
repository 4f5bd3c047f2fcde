"""What holds for the chunks of any text, and what they look like for ordinary prose."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evidence.chunking import ChunkPolicy, chunk, chunk_spans

WORDS = st.text(alphabet="abcdefghijäöß漢字0123456789,-'\"", min_size=1, max_size=30)
SENTENCES = st.builds(
    lambda words, end: " ".join(words) + end,
    st.lists(WORDS, min_size=1, max_size=60),
    st.sampled_from([". ", "! ", "?\n", ".\n\n", ' " ']),
)
PROSE = st.builds("".join, st.lists(SENTENCES, max_size=12))
TEXTS = PROSE | st.text(max_size=1500)
POLICIES = st.builds(
    lambda size, share: ChunkPolicy(size, size * share // 100), st.integers(10, 600), st.integers(0, 90)
)


@given(TEXTS, POLICIES)
def test_nothing_of_the_text_is_lost(text: str, policy: ChunkPolicy) -> None:
    covered = 0
    for start, end in chunk_spans(text, policy):
        assert start <= covered < end, "a gap, or a chunk that adds nothing"
        covered = end
    assert covered == len(text)


@given(TEXTS, POLICIES)
def test_no_chunk_is_larger_than_the_policy_says_and_none_is_blank(text: str, policy: ChunkPolicy) -> None:
    for piece in chunk(text, policy):
        assert 0 < len(piece) <= policy.size
        assert piece == piece.strip()


@given(TEXTS, POLICIES)
def test_neighbours_share_at_most_the_overlap(text: str, policy: ChunkPolicy) -> None:
    spans = chunk_spans(text, policy)
    for (_, end), (start, _) in pairwise(spans):
        assert 0 <= end - start <= policy.overlap


@given(PROSE)
def test_neighbours_share_text_whenever_words_are_shorter_than_the_overlap(text: str) -> None:
    spans = chunk_spans(text)
    for (_, end), (start, _) in pairwise(spans):
        assert end - start > 0


@given(st.lists(st.integers(10, 90), min_size=1, max_size=40))
def test_chunks_of_short_sentences_hold_whole_sentences_only(lengths: list[int]) -> None:
    sentences = [f"{'x' * length}{number}." for number, length in enumerate(lengths)]
    pieces = chunk(" ".join(sentences))
    for piece in pieces:
        assert set(piece.split()) <= set(sentences)
    assert {sentence for piece in pieces for sentence in piece.split()} == set(sentences)


def test_a_text_that_fits_is_one_chunk() -> None:
    assert chunk("  The river is quick.  It is cold. ") == ["The river is quick.  It is cold."]


@pytest.mark.parametrize("nothing", ["", "   ", "\n\n"])
def test_an_empty_text_has_no_chunks(nothing: str) -> None:
    assert chunk(nothing) == []


def test_the_last_sentence_of_a_chunk_opens_the_next_one() -> None:
    policy = ChunkPolicy(size=60, overlap=25)
    text = "The bridge is closed now. Cars use the road. It opens in autumn. Lorries wait."
    assert chunk(text, policy) == [
        "The bridge is closed now. Cars use the road.",
        "Cars use the road. It opens in autumn. Lorries wait.",
    ]


def test_a_title_an_initial_or_a_number_does_not_end_a_sentence() -> None:
    policy = ChunkPolicy(size=40, overlap=0)
    assert chunk("It cost 3.4 million. Then Dr. J. Abara paid it all.", policy) == [
        "It cost 3.4 million.",
        "Then Dr. J. Abara paid it all.",
    ]


def test_a_word_longer_than_a_chunk_is_cut_where_the_chunk_is_full() -> None:
    assert chunk("x" * 25, ChunkPolicy(size=10, overlap=2)) == ["x" * 10, "x" * 10, "x" * 9]


def test_an_overlap_as_large_as_the_chunk_is_refused() -> None:
    with pytest.raises(ValueError, match="overlap must lie in"):
        ChunkPolicy(size=100, overlap=100)
