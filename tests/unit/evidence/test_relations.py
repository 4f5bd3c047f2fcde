"""Relations of a page lead to the things that claims are about, under the names that claims use."""

import pytest

from agents.evidence.relations import aliases_of


@pytest.mark.parametrize(
    ("phrase", "aliases"),
    [
        ("Mayor Jane Morrow", ("Jane Morrow",)),
        ("the Mayor Jane Morrow", ("Jane Morrow",)),
        ("Councillor Ines Halloway", ("Ines Halloway",)),
        ("Jane Morrow", ()),
        ("The population of Kelderwick", ()),
        ("the bridge in Tollbeck", ()),
        ("Jane Morrow and Ines Halloway", ()),
        ("312 beds", ()),
    ],
)
def test_a_title_in_front_of_a_name_is_not_part_of_who_is_meant(phrase: str, aliases: tuple[str, ...]) -> None:
    assert aliases_of(phrase) == aliases
