"""Figures in a claim against figures in evidence that matches it closely."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.coverage import compute_subclaim_coverage
from scoring.numeric import NumericPolicy, NumericRelation, compare_figures, numeric_relation
from scoring.values import Evidence, Stance

CLAIM = "The Newtown hospital treated 1,200 patients."
AGREES, DIFFERS, SILENT = NumericRelation.AGREES, NumericRelation.DIFFERS, NumericRelation.SILENT


@pytest.mark.parametrize(
    ("claim", "texts", "expected"),
    [
        (CLAIM, ["It treated 1,200 patients."], AGREES),
        (CLAIM, ["It treated 1,187 patients."], AGREES),  # 13 of 1,200 is 1.1 %
        (CLAIM, ["It treated 1,176 patients."], AGREES),  # 24 of 1,200 is exactly 2 %
        (CLAIM, ["It treated 1,175 patients."], DIFFERS),
        (CLAIM, ["It treated 900 patients."], DIFFERS),
        (CLAIM, ["It treated 900 patients, then 700 patients."], SILENT),  # which one is meant?
        (CLAIM, ["It treated 900 patients, 1,200 patients in all."], AGREES),
        (CLAIM, ["It has 900 beds."], SILENT),  # another unit
        (CLAIM, ["It treated many patients."], SILENT),
        (CLAIM, ["It treated 1,200 patients.", "It treated 900 patients."], SILENT),  # the sources disagree
        (CLAIM, ["It treated 1,200 patients.", "It has 900 beds."], AGREES),
        (CLAIM, [], SILENT),
        ("The hospital is old.", ["It treated 900 patients."], SILENT),  # nothing to compare
        ("More than 500 patients were treated.", ["It treated 700 patients."], SILENT),  # a bound
        ("Unemployment rose to 12%.", ["Unemployment is at 13 percent."], DIFFERS),
        ("Unemployment rose to 12%.", ["Unemployment is at 12 per cent."], AGREES),
        ("12% of 300 members left.", ["12% left."], SILENT),  # only one of two figures
        ("The bridge opened in 2019.", ["The bridge opened in 2018."], SILENT),  # years are left out
    ],
)
def test_figures_are_compared_where_they_must_be_the_same_one(
    claim: str, texts: list[str], expected: NumericRelation
) -> None:
    assert compare_figures(claim, texts) is expected


def test_only_closely_matching_passages_are_asked() -> None:
    close = Evidence("a", "Newtown hospital treated 900 patients.", "web", 0.5, Stance(0, 1, 0), semantic=0.8)
    loose = Evidence("b", "Oldport clinic treated 1,200 patients.", "web", 0.5, Stance(0, 0, 1), semantic=0.1)
    evidence = [close, loose]
    segments = compute_subclaim_coverage([CLAIM], evidence).segments
    assert numeric_relation(CLAIM, segments, evidence) is DIFFERS
    assert numeric_relation(CLAIM, segments, evidence, NumericPolicy(close_match=1.0)) is SILENT


@given(st.text(max_size=80), st.lists(st.text(max_size=80), max_size=3))
def test_any_text_gets_an_answer_and_order_does_not_matter(claim: str, texts: list[str]) -> None:
    assert compare_figures(claim, texts) is compare_figures(claim, list(reversed(texts)))


@pytest.mark.parametrize("bad", [{"tolerance": -0.1}, {"close_match": float("nan")}])
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="must"):
        NumericPolicy(**bad)
