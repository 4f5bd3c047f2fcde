"""What counts as a time, a number and a quotation, and when a skeleton covers too little of them (002)."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.skeleton import (
    MAX_QUOTE_LENGTH,
    CoverageSkeleton,
    SkeletonEvent,
    SkeletonMeasurement,
    SkeletonPolicy,
    SkeletonPolicyStatement,
    SkeletonQuote,
    TextAnalysis,
    analyse_text,
    count_number_mentions,
    count_quote_spans,
    count_time_mentions,
    validate_skeleton_coverage,
)
from scoring.skeleton_claims import skeleton_to_claims

ONE_MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("text", "times"),
    [
        ("On 2024-03-12 it rained.", 1),
        ("At 2024-03-12T14:30 it rained.", 1),
        ("Am 12.03.2024 regnete es.", 1),
        ("On 3/12/24 it rained.", 1),
        ("On 12 March 2024 it rained, on March 13 it snowed.", 2),
        ("The 5th of May 2020 and May 2021.", 2),
        ("At 14:30, at 9 AM and at 5:15 p.m. sharp.", 3),
        ("In 1999, in 2024 and in the 1990s.", 3),
        ("橋は2019年3月12日に開業した。", 1),  # where words are not set apart
        ("Model X2019 and 2019ers", 0),  # where they are, digits in a word are not a year
        ("The ratio was 3.1999 and the price $2000.", 0),
        ("About 2000 percent, 2000% and 2,024 people.", 0),
        ("You may go. March on!", 0),
        ("Version 1.2.3 at 10.0.0.1", 0),
        ("", 0),
    ],
)
def test_time_mentions(text: str, times: int) -> None:
    assert count_time_mentions(text) == times


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("5 people paid $1,200.50, or 12%.", 3),
        ("On 12 March 2024 at 14:30, 5 people came.", 1),  # what is part of a time is no number
        ("Es kostete 3,5 Mio. oder 12 345 678,90 Euro.", 2),
        ("1'000'000 Franken", 1),
        ("COVID-19 and B12 and the F-16", 0),  # part of a name
        ("30km and the 21st", 2),
        ("有500人参加。", 1),
        ("٣ people", 1),  # digits of any script
        ("1,000. Then 2.", 2),
        ("", 0),
    ],
)
def test_number_mentions(text: str, numbers: int) -> None:
    assert count_number_mentions(text) == numbers


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ('He said "it works" and left.', 1),
        ("He said “it works” and left.", 1),
        ("Il a dit «ça marche» et «oui».", 2),
        ("Er sagte „es geht“ und ging.", 1),
        ("Er sagte „es geht” und ging.", 1),
        ("Er sagte »es geht« und ging.", 1),
        ('"One," she said, "and two." “Three” «four» „five“', 5),
        ('A 6" pipe and a 4" pipe.', 0),  # inches open nothing
        ('Empty "" and "..." and «» say nothing.', 0),
        ("It's the dogs' bowl.", 0),
        ("An “unclosed one", 0),
        ("“Unclosed, then “closed” again", 1),
        (f"“{'x' * MAX_QUOTE_LENGTH}”", 1),
        (f"“{'x' * (MAX_QUOTE_LENGTH + 1)}”", 0),
        ("", 0),
    ],
)
def test_quotations_in_all_four_styles(text: str, quotes: int) -> None:
    assert count_quote_spans(text) == quotes


@pytest.mark.timeout(60)
@pytest.mark.parametrize("unit", ["a", "1", '"', "“", "„", "«", "»", ".", "1 ", "1:", '"a', "may "])
def test_a_megabyte_of_one_repeated_piece_does_not_stall_any_pattern(unit: str) -> None:
    analysis = analyse_text(unit * (ONE_MEGABYTE // len(unit)))
    assert analysis.times == 0
    assert analysis.quotes <= 1


def skeleton(times: int, numbers: int, quotes: int) -> CoverageSkeleton:
    return CoverageSkeleton(
        events=tuple(SkeletonEvent("city", "opened", time="2019") for _ in range(times)),
        measurements=tuple(SkeletonMeasurement("bridge", "length", "12 m") for _ in range(numbers)),
        quotes=tuple(SkeletonQuote("mayor", "it works") for _ in range(quotes)),
    )


@pytest.mark.parametrize(
    ("covered", "detected", "codes"),
    [
        ((1, 5, 5), (5, 5, 5), ("low_time_coverage:1/5",)),
        ((5, 5, 0), (5, 5, 2), ("low_quote_coverage:0/2",)),
        ((5, 2, 2), (5, 5, 2), ("low_number_coverage:2/5",)),  # 2 < 2.5
        ((5, 3, 2), (5, 5, 2), ()),  # 3 >= 2.5
        ((49, 0, 0), (100, 0, 0), ("low_time_coverage:49/100",)),  # just below half
        ((2, 2, 1), (4, 4, 2), ()),  # exactly half is enough
        ((1, 1, 0), (4, 4, 2), ("low_time_coverage:1/4", "low_number_coverage:1/4", "low_quote_coverage:0/2")),
        ((0, 0, 0), (0, 0, 0), ()),  # nothing to cover
        ((9, 9, 9), (1, 1, 1), ()),
    ],
)
def test_a_skeleton_must_hold_half_of_what_the_text_shows(
    covered: tuple[int, int, int], detected: tuple[int, int, int], codes: tuple[str, ...]
) -> None:
    result = validate_skeleton_coverage(skeleton(*covered), TextAnalysis(*detected))
    assert result.reason_codes == codes
    assert result.ok is (not codes)


@pytest.mark.parametrize(("tolerance", "ok"), [(0.0, True), (0.6, True), (0.61, False), (1.0, False)])
def test_the_tolerance_is_a_policy(tolerance: float, ok: bool) -> None:
    assert validate_skeleton_coverage(skeleton(3, 0, 0), TextAnalysis(5, 0, 0), SkeletonPolicy(tolerance)).ok is ok


def test_a_time_counts_wherever_the_skeleton_states_it_and_blanks_count_nowhere() -> None:
    dated = CoverageSkeleton(
        events=(SkeletonEvent("a", "b", time="2019"), SkeletonEvent("a", "b", time=" ")),
        measurements=(SkeletonMeasurement("a", "b", " ", time="2020"),),
        quotes=(SkeletonQuote("a", ""),),
        policies=(SkeletonPolicyStatement("a", "b", time="2021"),),
    )
    codes = validate_skeleton_coverage(dated, TextAnalysis(7, 1, 1)).reason_codes
    assert codes == ("low_time_coverage:3/7", "low_number_coverage:0/1", "low_quote_coverage:0/1")


@given(st.text(max_size=300))
def test_counting_never_fails_and_never_counts_more_than_there_are_characters(text: str) -> None:
    analysis = analyse_text(text)
    assert analysis.times + analysis.numbers <= len(text)
    assert analysis.quotes <= len(text) // 3


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
def test_a_tolerance_outside_the_unit_interval_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="tolerance"):
        SkeletonPolicy(bad)


def test_a_negative_count_is_refused() -> None:
    with pytest.raises(ValueError, match="numbers"):
        TextAnalysis(0, -1, 0)


def test_a_skeleton_becomes_claims_and_what_cannot_be_verified_is_dropped_with_reasons() -> None:
    result = skeleton_to_claims(
        CoverageSkeleton(
            events=(
                SkeletonEvent("The mayor", "opened", "the new bridge", time="in 2019", location="in Lisbon"),
                SkeletonEvent("The mayor", "opened", "the new bridge"),
            ),
            measurements=(SkeletonMeasurement("The bridge", "total length", "2.3 km", time="2019"),),
            quotes=(
                SkeletonQuote("The mayor", "The bridge will last a century"),
                SkeletonQuote("", "Nobody said this about bridges"),
            ),
            policies=(SkeletonPolicyStatement("The city", "bans trucks on the bridge"),),
        )
    )
    assert [claim.claim_text for claim in result.emitted] == [
        "The mayor opened the new bridge in Lisbon in 2019",
        "The bridge total length 2.3 km 2019",
        'The mayor said: "The bridge will last a century"',
        "The city bans trucks on the bridge",  # policies and quotes need no time
    ]
    assert [dropped.reason_codes for dropped in result.dropped] == [
        ("unknown_time_anchor",),
        ("missing_subject_entities", "not_falsifiable"),
    ]
    assert result.emitted[0].retrieval_seed_terms == ("mayor", "opened", "new", "bridge", "lisbon", "2019")
