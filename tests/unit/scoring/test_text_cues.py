"""Hedging, reporting, negation, quantifiers, comparison and counting."""

import pytest

from scoring.text import (
    has_absolute_quantifier,
    is_comparative,
    is_count_claim,
    is_hedged,
    is_negated,
    is_reporting,
)
from scoring.text.cues import low_signal
from scoring.text.overlap import Passage


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The drug may help.", True),
        ("Evidence suggests a link.", True),
        ("It is unproven.", True),
        ("The drug helps.", False),
        ("It opened on 5 May 2020.", False),
        ("It opened in May and may close.", True),
    ],
)
def test_uncertain_wording(text: str, expected: bool) -> None:
    assert is_hedged(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A viral post claims that masks kill.", True),
        ("The mayor allegedly resigned.", True),
        ("Some believe that the earth is flat.", True),
        ("It is a viral infection.", False),
        ("The mayor resigned.", False),
        ("She filed an insurance claim.", False),
    ],
)
def test_reports_of_claims_and_beliefs(text: str, expected: bool) -> None:
    assert is_reporting(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("It is not so.", True), ("It isn’t so.", True), ("Nobody came.", True), ("It is so.", False)],
)
def test_negation(text: str, expected: bool) -> None:
    assert is_negated(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Vaccines are always safe.", True),
        ("Every doctor agrees.", True),
        ("No vaccine is safe.", True),
        ("It is not at all safe.", False),
        ("It is no longer safe.", False),
        ("It is safe at all times.", True),
        ("In all cases it failed.", True),
        ("The cat all saw.", True),
        ("An all-time high.", False),
        ("Vaccines are safe.", False),
    ],
)
def test_absolute_quantifiers(text: str, expected: bool) -> None:
    assert has_absolute_quantifier(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cats are bigger than dogs.", True),
        ("Sales in 2020 compared with 2019.", True),
        ("She is as tall as her brother.", True),
        ("More than 500 people died.", False),
        ("More than half of them.", False),
        ("Rather than wait, she left.", False),
        ("He as well as she came.", False),
        ("Deaths exceeded births.", True),
    ],
)
def test_comparisons(text: str, expected: bool) -> None:
    assert is_comparative(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("500 people died.", True),
        ("A third of voters agree.", True),
        ("12 % of voters agree.", True),
        ("The number of cases rose in 2020.", True),
        ("The bridge opened in 1932.", False),
        ("COVID-19 spread.", False),
        ("The tower is 300 metres high.", False),
    ],
)
def test_count_claims(text: str, expected: bool) -> None:
    assert is_count_claim(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [("Click here to subscribe.", True), ("All rights reserved.", True), ("She read the page.", False)],
)
def test_low_signal_phrases(text: str, expected: bool) -> None:
    assert low_signal(Passage.of(text)) is expected
