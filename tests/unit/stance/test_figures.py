"""Numbers and dates of a passage against those of a claim."""

import pytest

from agents.language.stance.figures import Figures, read_figures

CASES = [
    ("Bulgaria had fewer than 186 cases.", "There are 187 confirmed cases in Bulgaria.", Figures.CONTRADICT_BOUND),
    ("Bulgaria had fewer than 190 cases.", "There are 187 confirmed cases in Bulgaria.", Figures.AGREE_BOUND),
    ("The film grossed over $ 80 million.", "The film has grossed $ 77.8 million so far.", Figures.CONTRADICT_BOUND),
    ("The film grossed over $ 77 million.", "The film has grossed $ 77.8 million so far.", Figures.AGREE_BOUND),
    ("The lighthouse was finished after 1948.", "The lighthouse was finished in 1921.", Figures.CONTRADICT_BOUND),
    ("The lighthouse was finished before 1948.", "The lighthouse was finished in 1921.", Figures.AGREE_BOUND),
    ("The pipeline is 12 miles long.", "The pipeline is 12 kilometres long.", Figures.CONTRADICT_BOUND),
    ("The bank paid 12 billion dollars.", "The settlement cost 12 million dollars.", Figures.CONTRADICT_BOUND),
    ("The fire destroyed 42 houses.", "The fire destroyed 42 houses in the valley.", Figures.AGREE),
    ("The fire destroyed 42 houses.", "The fire destroyed 86 houses in the valley.", Figures.CONTRADICT),
    ("She was born in Oslo.", "She was born in Oslo in 1950.", Figures.SILENT),
    ("She won 3 medals.", "She was born in Oslo.", Figures.SILENT),
    ("It has more than 600 views.", "It has more than 500 views.", Figures.SILENT),
]


@pytest.mark.parametrize(("claim", "passage", "expected"), CASES)
def test_the_numbers_of_a_passage_answer_those_of_the_claim(claim: str, passage: str, expected: Figures) -> None:
    assert read_figures(claim, passage) is expected


def test_the_number_that_is_about_the_same_thing_is_compared() -> None:
    passage = "As of 20 March there are 127 confirmed cases in 13 provinces, 54 of them in Sofia, and three deaths."
    assert read_figures("There were fewer than 130 confirmed cases.", passage) is Figures.AGREE_BOUND
    assert read_figures("There were more than 130 confirmed cases.", passage) is Figures.CONTRADICT_BOUND


def test_numbers_about_different_things_contradict_nothing() -> None:
    assert read_figures("The tower is 300 metres tall.", "The club has 12 members and 4 trainers.") is Figures.SILENT
