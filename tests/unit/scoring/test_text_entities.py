"""Names by their shape."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import entities


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris is the capital of France.", ("Paris", "France")),
        ("The World Health Organization (WHO) warned.", ("World Health Organization", "WHO")),
        ("Vaccines cause autism.", ()),
        ("However, officials in Rome disagreed.", ("Rome",)),
        ("Running helps. Nearly everyone in Oslo runs.", ("Oslo",)),
        ("The Bank of England raised rates.", ("Bank of England",)),
        ("Amina Yusuf of Oxfam spoke.", ("Amina Yusuf", "Oxfam")),
        ("Prime Minister Keir Hollis and Dr. John Smith met.", ("Keir Hollis", "John Smith")),
        ("Angela van der Berg met Alexander the Great.", ("Angela van der Berg", "Alexander the Great")),
        ("The U.S. economy grew.", ("U.S.",)),
        ("COVID-19 and Apollo 11 made history.", ("COVID-19", "Apollo 11")),
        ("Manchester City beat Real Madrid 4-0 on Monday.", ("Manchester City", "Real Madrid")),
        ('The film "The Silent River" won.', ("The Silent River",)),
        ('They said "no comment" twice.', ()),
        ("In March 2021 nothing happened.", ()),
        ("Theresa May resigned in May.", ("Theresa May",)),
        ("Biden spoke. Then Biden left with biden fans.", ("Biden",)),
        ("Water is wet. The water was cold.", ()),
        ("BREAKING NEWS FROM THE TOWN HALL", ()),
        ("", ()),
    ],
)
def test_names_are_found(text: str, expected: tuple[str, ...]) -> None:
    assert entities(text) == expected


def test_each_name_comes_once_in_order_of_appearance() -> None:
    assert entities("In Oslo, Ann Lee met Bo. In Oslo, Bo met Ann Lee.") == ("Oslo", "Ann Lee", "Bo")


def test_a_headline_in_title_case_is_cut_into_names_of_bounded_length() -> None:
    assert all(len(name.split()) <= 8 for name in entities("Alpha " * 50))


@given(st.text())
def test_every_name_is_a_piece_of_the_text(text: str) -> None:
    assert all(name in text for name in entities(text))
