"""Copies of a story are told from independent reports by the word sequences that they share."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stories import StoryPolicy, Told, copies, shared, shingles

WIRE = (
    "Storm Edda cut power to 5,200 homes in Kelderwick on Friday night, the grid operator Northgrid said. "
    "Crews worked through the night and had reconnected all but three hundred homes by Saturday noon. "
    "Nobody was seriously hurt, but a fallen lime tree crushed three parked cars on Mill Lane."
)
OWN = (
    "More than five thousand households in Kelderwick lost electricity as Edda swept over the valley late on Friday. "
    "By midday on Saturday the lights were back almost everywhere, and the only damage on Mill Lane was to parked cars."
)
REST = (
    "The council has opened the town hall as a warm place for everybody who is still without heating. "
    "Schools in the lower town stay closed on Monday while their roofs are looked at by engineers."
)


def told(id_: str, text: str, page: str = "", relevance: float = 0.5) -> Told:
    return Told(id_, text, page or f"site-{id_}.org/story", relevance)


def test_ten_copies_point_to_the_most_relevant_one() -> None:
    sites = [
        told(f"c{n}", f"Site {n}, Friday. {WIRE} Read more on page {n}.", relevance=0.4 + n / 100) for n in range(10)
    ]
    assert copies(sites) == {f"c{n}": "c9" for n in range(9)}


def test_independent_reports_of_one_event_are_not_copies() -> None:
    assert copies([told("a", WIRE), told("b", OWN)]) == {}


def test_a_copy_that_adds_a_paragraph_and_changes_words_is_one_still() -> None:
    edited = WIRE.replace("Crews", "Engineers").replace("seriously hurt", "injured").replace("parked", "empty")
    assert copies([told("a", WIRE, relevance=0.9), told("b", f"{OWN} {edited}")]) == {"b": "a"}


def test_passages_of_one_page_are_no_copies_of_each_other() -> None:
    assert copies([told("a", WIRE, "a.org/1"), told("b", WIRE, "a.org/1")]) == {}


def test_every_passage_of_a_copy_points_to_the_passage_that_it_repeats() -> None:
    original = [told("a1", WIRE, "a.org", 0.9), told("a2", REST, "a.org", 0.8)]
    copy = [told("b1", REST, "b.org", 0.7), told("b2", WIRE, "b.org", 0.6)]
    assert copies(original + copy) == {"b1": "a2", "b2": "a1"}


def test_a_passage_that_the_original_is_not_represented_with_belongs_to_the_same_story() -> None:
    rest = told("b2", REST, "b.org", 0.3)
    assert copies([told("a", WIRE, relevance=0.9), told("b1", WIRE + OWN, "b.org"), rest])["b2"] == "a"


def test_a_quotation_in_an_independent_article_makes_it_no_copy() -> None:
    quoting = f"{OWN} {REST} The operator put it so: crews worked through the night and had reconnected all."
    assert copies([told("a", WIRE), told("b", quoting)]) == {}


def test_short_sentences_may_be_the_same_by_chance() -> None:
    short = "The council of Kelderwick has 41 members in all."
    assert copies([told("a", short), told("b", short)]) == {}


def test_the_order_in_which_passages_come_does_not_matter() -> None:
    rows = [told(f"r{n}", text, relevance=0.5) for n, text in enumerate((WIRE, OWN, WIRE + REST, REST, WIRE))]
    expected = copies(rows)
    for seed in range(5):
        shuffled = random.Random(seed).sample(rows, len(rows))
        assert copies(shuffled) == expected


@given(st.lists(st.tuples(st.sampled_from([WIRE, OWN, REST, ""]), st.floats(0, 1)), max_size=8))
def test_who_is_pointed_to_never_points_on(drawn: list[tuple[str, float]]) -> None:
    found = copies([told(f"r{n}", text, relevance=score) for n, (text, score) in enumerate(drawn)])
    assert not set(found) & set(found.values())


def test_texts_without_sequences_share_nothing() -> None:
    assert shared(shingles("one two"), shingles("one two")) == 0.0


@pytest.mark.parametrize("bad", [{"copied_share": 1.5}, {"shingle_words": 0}, {"min_shingles": 0}])
def test_a_policy_without_sense_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        StoryPolicy(**bad)  # type: ignore[arg-type] # one number at a time
