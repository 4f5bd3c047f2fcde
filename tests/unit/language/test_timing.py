"""The first day on which what a claim tells can have happened."""

from datetime import date

import pytest

from agents.language.rules.timing import first_day


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("The bridge reopened on 2 October 2025.", date(2025, 10, 2)),
        ("The bridge reopened in May 2025.", date(2025, 5, 1)),
        ("The bridge reopened in 2025.", date(2025, 1, 1)),
        ("Closed in 2019, the bridge reopened in 2025.", date(2025, 1, 1)),
        ("The bridge has 31 arches.", None),
        ("The bridge reopened on 2 October.", None),
    ],
)
def test_the_latest_date_of_a_claim_says_when_all_of_it_can_have_happened(claim: str, expected: date | None) -> None:
    assert first_day(claim) == expected
