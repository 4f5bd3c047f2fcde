"""Words, stems and the shares of them that a text contains."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import anchor_match, claim_overlap, content_stems, entity_overlap, stem, tokens
from scoring.text.lexicon import word_set
from scoring.text.overlap import Passage, StemQuery


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The cat sat.", ("the", "cat", "sat")),
        ("Über Ärzte", ("über", "ärzte")),
        ("It’s the WHO's call", ("it", "the", "who", "call")),
        ("don't can’t", ("don't", "can't")),
        ("1,200 people, 3,4", ("1200", "people", "3", "4")),
        ("COVID-19—again…", ("covid", "19", "again")),
        ("snake_case", ("snake", "case")),
        ("Ünder_score", ("ünder", "score")),
        ("हिन्दी", ("हिन्दी",)),
        ("東京です", ("東", "京", "で", "す")),
        ("", ()),
        ("'' ' !?", ()),
    ],
)
def test_text_is_cut_into_lowercase_words(text: str, expected: tuple[str, ...]) -> None:
    assert tokens(text) == expected


def test_composed_and_decomposed_letters_are_the_same_word() -> None:
    assert tokens("cafe\u0301") == tokens("café")


def test_stems_leave_out_stop_words_and_join_forms_of_a_word() -> None:
    assert content_stems("The vaccines and the vaccination of patients") == {"vaccin", "patient"}


def test_a_word_too_long_to_be_one_is_its_own_stem() -> None:
    assert stem("running" * 10) == "running" * 10


@pytest.mark.parametrize(
    ("claim", "text", "expected"),
    [
        ("vaccines reduce admissions", "Vaccination reduced hospital admission.", 3 / 3),
        ("vaccines reduce admissions", "A vaccine for everyone.", 1 / 3),
        ("vaccines reduce admissions", "Nothing of the kind.", 0 / 3),
        ("the of and", "the of and", 0.0),  # a claim without content has nothing to be found
        ("vaccines reduce admissions", "", 0.0),
    ],
)
def test_claim_overlap_is_the_share_of_the_claims_stems_found(claim: str, text: str, expected: float) -> None:
    assert claim_overlap(claim, text) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("entities", "text", "expected"),
    [
        (["Marie Curie"], "Marie Curie won.", 1.0),
        (["Marie Curie"], "Curie won.", 0.5),
        (["Marie Curie", "Warsaw"], "Curie left Warsaw.", 0.75),
        (["World Health Organization"], "The WHO said so.", 1.0),
        (["World Health Organization"], "who said so?", 0.0),  # the pronoun is not the organisation
        (["WHO"], "The WHO said so.", 1.0),
        (["WHO"], "Nobody knows who.", 0.0),
        ([], "anything", 0.0),
        (["!!"], "anything", 0.0),
    ],
)
def test_entity_overlap_counts_words_and_acronyms(entities: list[str], text: str, expected: float) -> None:
    assert entity_overlap(entities, text) == pytest.approx(expected)


def test_anchors_match_by_stem_and_by_words() -> None:
    assert anchor_match(
        ["hospital admissions", "vaccine", "Brazil"], "Hospital staff were vaccinated."
    ) == pytest.approx((0.5 + 1.0 + 0.0) / 3)


_VOCABULARY = sorted(
    word_set(
        "fly flying flies using use used going go dying die died lying lie tying tie awful sky skies cities city "
        "being running ran his was news abs ties vaccines vaccination organise organising as ly ing a be"
    )
)


@given(st.lists(st.sampled_from(_VOCABULARY)), st.lists(st.sampled_from(_VOCABULARY)))
def test_looking_up_by_first_letters_finds_what_stemming_everything_would(wanted: list[str], words: list[str]) -> None:
    stems = {stem(word) for word in wanted}
    assert StemQuery.of(stems).found_in(set(words)) == stems & {stem(word) for word in words}


@given(st.text(), st.text())
def test_overlaps_lie_between_zero_and_one(claim: str, text: str) -> None:
    assert 0.0 <= claim_overlap(claim, text) <= 1.0
    assert 0.0 <= entity_overlap([claim], text) <= 1.0


@given(st.text())
def test_a_text_contains_all_of_itself(text: str) -> None:
    assert claim_overlap(text, text) == (1.0 if content_stems(text) else 0.0)
    assert Passage.of(text).words == set(tokens(text))
