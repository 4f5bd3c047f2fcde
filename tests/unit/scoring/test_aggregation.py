"""One verdict from those of the sub-claims, in the priority order of 004 §8."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.aggregation import SubResult, aggregate, parent_segments
from scoring.news import Citation, NewsPolicy
from scoring.values import Label, SegmentStatus, Verdict

TRUE, FALSE, PARTLY, OPEN = Verdict.TRUE, Verdict.FALSE, Verdict.PARTIALLY_TRUE, Verdict.UNVERIFIABLE
DISPUTED = "disputed"


def sub(verdict: Verdict | str, *citations: str) -> SubResult:
    cited = tuple(Citation(id_, f"https://{id_}.org/") for id_ in citations)
    if verdict == DISPUTED:
        return SubResult("part", OPEN, conflict=True, citations=cited)
    return SubResult("part", Verdict(verdict), citations=cited)


@pytest.mark.parametrize(
    ("parts", "label", "verdict", "rule"),
    [
        ([FALSE], Label.REFUTED, FALSE, "any_refuted"),
        ([TRUE, TRUE, FALSE], Label.REFUTED, FALSE, "any_refuted"),
        ([FALSE, PARTLY], Label.REFUTED, FALSE, "any_refuted"),  # before mixed
        ([FALSE, OPEN], Label.REFUTED, FALSE, "any_refuted"),
        ([TRUE, PARTLY], Label.MIXED, PARTLY, "any_mixed"),
        ([OPEN, PARTLY], Label.MIXED, PARTLY, "any_mixed"),
        ([TRUE, DISPUTED], Label.MIXED, PARTLY, "any_mixed"),
        ([OPEN, DISPUTED], Label.MIXED, OPEN, "any_mixed"),
        ([DISPUTED], Label.MIXED, OPEN, "any_mixed"),
        ([TRUE], Label.SUPPORTED, TRUE, "all_supported"),
        ([TRUE, TRUE, TRUE, TRUE, TRUE], Label.SUPPORTED, TRUE, "all_supported"),
        ([OPEN], Label.NOT_ENOUGH, OPEN, "all_not_enough"),
        ([OPEN, OPEN], Label.NOT_ENOUGH, OPEN, "all_not_enough"),
        ([TRUE, OPEN], Label.MIXED, PARTLY, "otherwise_mixed"),
    ],
)
def test_the_first_rule_that_applies_decides_in_any_order(
    parts: list[Verdict | str], label: Label, verdict: Verdict, rule: str
) -> None:
    for order in set(permutations(parts)):
        found = aggregate([sub(part) for part in order])
        assert (found.label, found.verdict, found.rule) == (label, verdict, rule)


@pytest.mark.parametrize(
    ("parts", "label", "verdict", "rule"),
    [
        ([TRUE, FALSE], Label.MIXED, PARTLY, "split"),
        ([FALSE, PARTLY], Label.MIXED, PARTLY, "split"),
        ([TRUE, FALSE, OPEN], Label.MIXED, PARTLY, "split"),
        ([FALSE, OPEN], Label.REFUTED, FALSE, "any_refuted"),  # nothing holds
        ([FALSE, DISPUTED], Label.REFUTED, FALSE, "any_refuted"),
        ([TRUE, OPEN], Label.MIXED, PARTLY, "otherwise_mixed"),
    ],
)
def test_without_the_first_rule_parts_that_hold_and_parts_that_do_not_split_the_claim(
    parts: list[Verdict | str], label: Label, verdict: Verdict, rule: str
) -> None:
    for order in set(permutations(parts)):
        found = aggregate([sub(part) for part in order], NewsPolicy(refuted_part_refutes=False))
        assert (found.label, found.verdict, found.rule) == (label, verdict, rule)


def test_citations_of_all_parts_are_merged() -> None:
    found = aggregate([sub(TRUE, "a", "b"), sub(TRUE, "b", "c")])
    assert [citation.evidence_id for citation in found.citations] == ["a", "b", "c"]


def test_nothing_cannot_be_aggregated() -> None:
    with pytest.raises(ValueError, match="at least one"):
        aggregate([])


def test_sub_results_are_the_parts_of_their_parent() -> None:
    results = [
        SubResult("one", TRUE, coverage=0.5, best_evidence_id="e1"),
        SubResult("two", FALSE),
        SubResult("three", PARTLY),
        SubResult("four", OPEN, conflict=True),
    ]
    parts = parent_segments(results)
    assert [part.status for part in parts] == [
        SegmentStatus.VALID,
        SegmentStatus.INVALID,
        SegmentStatus.PARTIALLY_VALID,
        SegmentStatus.UNKNOWN,
    ]
    assert (parts[0].text, parts[0].weight, parts[0].best_evidence_id) == ("one", 0.5, "e1")
    assert parts[3].contested


@pytest.mark.parametrize(
    ("verdict", "own", "expected"),
    [
        (TRUE, SegmentStatus.STRONGLY_VALID, SegmentStatus.STRONGLY_VALID),
        (TRUE, SegmentStatus.PARTIALLY_VALID, SegmentStatus.PARTIALLY_VALID),
        (FALSE, SegmentStatus.PARTIALLY_INVALID, SegmentStatus.PARTIALLY_INVALID),
        # A guard took the verdict back, so what the passages alone said does not count.
        (OPEN, SegmentStatus.STRONGLY_VALID, SegmentStatus.UNKNOWN),
        (PARTLY, SegmentStatus.VALID, SegmentStatus.PARTIALLY_VALID),
    ],
)
def test_a_part_keeps_the_status_of_its_own_statement_where_its_verdict_says_the_same(
    verdict: Verdict, own: SegmentStatus, expected: SegmentStatus
) -> None:
    (part,) = parent_segments([SubResult("one", verdict, status=own)])
    assert part.status is expected


@given(st.lists(st.sampled_from([TRUE, FALSE, PARTLY, OPEN, DISPUTED]), min_size=1, max_size=5))
def test_a_parent_is_refuted_exactly_when_a_part_is(parts: list[Verdict | str]) -> None:
    found = aggregate([sub(part) for part in parts])
    assert (found.verdict is FALSE) is (FALSE in parts)
    assert (found.label is Label.SUPPORTED) is all(part == TRUE for part in parts)
