"""Numbers with what they count."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.text import Quantity, quantities


@pytest.mark.parametrize(
    ("text", "value", "unit", "kind"),
    [
        ("1,200 people came", 1200, "people", "count"),
        ("1200 people came", 1200, "people", "count"),
        ("3.4 million cases", 3.4e6, "cases", "count"),
        ("500 newly confirmed cases", 500, "cases", "count"),
        ("twenty-three dogs", 23, "dogs", "count"),
        ("two hundred and five thousand voters", 205_000, "voters", "count"),
        ("a dozen eggs", 12, "eggs", "count"),
        ("a million reasons", 1e6, "reasons", "count"),
        ("1.5bn users", 1.5e9, "users", "count"),
        ("12 % of voters", 12, "%", "percent"),
        ("12.5 percent", 12.5, "%", "percent"),
        ("twelve per cent", 12, "%", "percent"),
        ("$1.5 billion", 1.5e9, "USD", "money"),
        ("£5m deal", 5e6, "GBP", "money"),
        ("30 euros", 30, "EUR", "money"),
        ("US$30", 30, "USD", "money"),
        ("a 5m high wave", 5, "m", "measure"),
        ("8,849 metres", 8849, "m", "measure"),
        ("37 °C", 37, "°C", "measure"),
        ("half of them", 0.5, "", "fraction"),
        ("two thirds agree", 2 / 3, "", "fraction"),
        ("a quarter of voters", 0.25, "", "fraction"),
        ("the 3rd attempt", 3, "", "ordinal"),
        ("in 2020", 2020, "", "year"),
        ("the 2020 elections", 2020, "", "year"),
        ("on 5 May", 5, "", "date"),
        ("May 5th", 5, "", "date"),
        ("type 2 diabetes", 2, "", "label"),
        ("Apollo 11 landed", 11, "", "label"),
    ],
)
def test_a_quantity_is_read_with_its_unit_and_kind(text: str, value: float, unit: str, kind: str) -> None:
    (found,) = quantities(text)
    assert found.value == pytest.approx(value)
    assert (found.unit, found.kind) == (unit, kind)


@pytest.mark.parametrize(
    "text", ["COVID-19", "B12", "one of them", "no numbers", "12/28/63", "2024-05-12", "at 10:30", ""]
)
def test_identifiers_dates_times_and_pronouns_are_no_quantities(text: str) -> None:
    assert quantities(text) == ()


def test_several_quantities_come_in_order() -> None:
    found = quantities("In 2021, 85 % of 1,200 patients paid $30.")
    assert [(one.value, one.kind) for one in found] == [(2021, "year"), (85, "percent"), (1200, "count"), (30, "money")]


def test_two_spelled_numbers_in_a_row_are_two() -> None:
    assert [one.value for one in quantities("two three dogs")] == [2, 3]


def test_a_run_of_digits_too_long_to_be_a_number_is_none() -> None:
    assert quantities("1" * 25) == ()
    assert quantities("1" * 24) == (Quantity(float("1" * 24), "", "count"),)


@given(st.text(alphabet="0123456789.,% $mbnkoe twhundralfi-/:½²", max_size=60))
def test_values_are_finite_and_not_negative(text: str) -> None:
    assert all(math.isfinite(one.value) and one.value >= 0 for one in quantities(text))
