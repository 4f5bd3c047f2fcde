"""Subclaim coverage: match, weight, status and the weighted mean, worked out by hand."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.coverage import (
    CoveragePolicy,
    compute_subclaim_coverage,
    judge_segment,
    match_score,
    recompute_coverage,
    weighted_coverage,
)
from scoring.derivation import replay
from scoring.polarity import Relation
from scoring.values import NEUTRAL, Evidence, Origin, SegmentStatus, Stance

CLAIM = "The Newtown hospital treated 1,200 patients."
RESTATED = "Newtown hospital treated 1,200 patients last week."  # all anchors, all stems
UNRELATED = "A football match ended without goals."
YES, NO = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
LEANING = Stance(0.45, 0.35, 0.20)
units = st.floats(0, 1)


def passage(
    id_: str = "e1",
    text: str = RESTATED,
    *,
    stance: Stance = YES,
    semantic: float = 0.8,
    origin: Origin = "web",
    same_as: str = "",
) -> Evidence:
    return Evidence(id_, text, origin, 0.5, stance, semantic=semantic, same_as=same_as)


def status(*evidence: Evidence) -> SegmentStatus:
    return compute_subclaim_coverage([CLAIM], evidence).segments[0].status


# The match


@pytest.mark.parametrize(
    ("anchor", "overlap", "similarity", "triple", "expected"),
    [
        (1.0, 1.0, 0.8, False, 0.93),  # 0.40 + 0.25 + 0.35 * 0.8
        (0.5, 0.4, 0.6, False, 0.51),  # 0.20 + 0.10 + 0.21
        (1.0, 1.0, 0.8, True, 0.744),  # 0.93 * 0.80: a triple counts for less
        (0.0, 0.0, 0.0, False, 0.0),
        (1.0, 1.0, 1.0, False, 1.0),
    ],
)
def test_match_mixes_anchors_similarity_and_overlap(
    anchor: float, overlap: float, similarity: float, triple: bool, expected: float
) -> None:
    assert match_score(anchor, overlap, similarity, triple=triple) == pytest.approx(expected)


def test_a_triple_without_text_similarity_is_matched_by_its_graph_score() -> None:
    triple = replace(passage(origin="kg", semantic=0.0), kg=0.5)
    (link,) = compute_subclaim_coverage([CLAIM], [triple]).segments[0].links
    assert link.match == pytest.approx(0.66)  # (0.40 + 0.175 + 0.25) * 0.80


# Weight: band times stance


@pytest.mark.parametrize(
    ("stance", "semantic_at", "expected"),
    [
        # RESTATED has 0.65 from anchors and overlap; thresholds are moved to sit exactly on 0.65 + 0.35 * semantic.
        (YES, 0.5, 1.0),
        (NO, 0.5, 1.0),  # a refuted part is covered as much as a confirmed one
        (LEANING, 0.5, 0.5),
        (NEUTRAL, 0.5, 0.25),
    ],
)
def test_a_strong_match_weighs_by_its_stance(stance: Stance, semantic_at: float, expected: float) -> None:
    found = compute_subclaim_coverage([CLAIM], [passage(stance=stance, semantic=semantic_at)])
    assert found.segments[0].weight == expected
    assert found.value == expected


@pytest.mark.parametrize(
    ("strong", "partial", "expected"),
    [
        (0.65, 0.35, 1.0),  # at the strong threshold: the match is 0.40 + 0.25 = 0.65
        (0.6501, 0.35, 0.5),  # just below it
        (0.6499, 0.35, 1.0),  # just above it
        (0.9, 0.65, 0.5),  # at the partial threshold
        (0.9, 0.6501, 0.0),  # just below it
        (0.9, 0.6499, 0.5),  # just above it
    ],
)
def test_the_two_thresholds_decide_the_band(strong: float, partial: float, expected: float) -> None:
    policy = CoveragePolicy(strong_match=strong, partial_match=partial)
    found = compute_subclaim_coverage([CLAIM], [passage(semantic=0.0)], policy)
    assert found.segments[0].weight == expected


def test_strength_is_the_stance_lowered_by_a_loose_match() -> None:
    segment = compute_subclaim_coverage([CLAIM], [passage(semantic=0.0)]).segments[0]
    assert segment.links[0].match == pytest.approx(0.65)
    assert segment.support == segment.strength == pytest.approx(0.7425)  # 0.9 * (0.5 + 0.5 * 0.65)


# Status


def test_two_independent_stories_corroborate_and_one_does_not() -> None:
    assert status(passage("a")) is SegmentStatus.VALID
    assert status(passage("a"), passage("b")) is SegmentStatus.STRONGLY_VALID


def test_a_copy_of_a_story_does_not_corroborate_it() -> None:
    assert status(passage("a"), passage("b", same_as="a"), passage("c", same_as="a")) is SegmentStatus.VALID


LOOSE = "The hospital in Newtown is old."  # anchors 2 of 5, stems 2 of 5


def test_a_loose_match_is_partial_on_either_side() -> None:
    # 0.40 * 0.4 + 0.25 * 0.4 + 0.35 * 0.5 = 0.435: between the two thresholds
    assert status(passage(text=LOOSE, semantic=0.5)) is SegmentStatus.PARTIALLY_VALID
    assert status(passage(text=LOOSE, semantic=0.5, stance=NO)) is SegmentStatus.PARTIALLY_INVALID


def test_a_close_refutation_is_invalid() -> None:
    assert status(passage(stance=NO)) is SegmentStatus.INVALID


def test_absence_of_evidence_is_never_refutation() -> None:
    assert status() is SegmentStatus.UNKNOWN
    assert status(passage(text=UNRELATED, stance=NO, semantic=0.0)) is SegmentStatus.UNKNOWN
    assert status(passage(stance=NEUTRAL)) is SegmentStatus.UNKNOWN


def test_qualifying_is_not_contradicting() -> None:
    segment = compute_subclaim_coverage([CLAIM], [passage(stance=Stance(0.31, 0.49, 0.20))]).segments[0]
    assert segment.status is SegmentStatus.UNKNOWN
    assert segment.refuting_ids == ()
    assert segment.contradiction == 0.0


@pytest.mark.parametrize(
    ("refutes", "expected", "contested"),
    [
        # Both match at 0.93, so strengths are 0.965 times the stance; support is 0.8685.
        (0.60, SegmentStatus.PARTIALLY_VALID, False),  # 0.579: 0.29 apart
        (0.74, SegmentStatus.PARTIALLY_VALID, False),  # 0.7141: 0.154 apart
        (0.75, SegmentStatus.UNKNOWN, True),  # 0.72375: 0.145 apart
        (0.90, SegmentStatus.UNKNOWN, True),
    ],
)
def test_sides_that_are_too_close_leave_the_part_open(refutes: float, expected: SegmentStatus, contested: bool) -> None:
    rest = (1.0 - refutes) / 2
    found = compute_subclaim_coverage([CLAIM], [passage("a"), passage("b", stance=Stance(rest, refutes, rest))])
    assert found.segments[0].status is expected
    assert found.segments[0].contested is contested


def test_a_stronger_refutation_against_a_weaker_support_is_partially_invalid() -> None:
    weak_support = passage("a", stance=Stance(0.6, 0.2, 0.2))
    assert status(weak_support, passage("b", stance=NO)) is SegmentStatus.PARTIALLY_INVALID


# The whole


def test_coverage_is_the_sum_of_weights_over_the_number_of_subclaims() -> None:
    found = compute_subclaim_coverage([CLAIM, "The football club in Oldport won the cup."], [passage()])
    assert [segment.weight for segment in found.segments] == [1.0, 0.0]
    assert found.value == 0.5


@pytest.mark.parametrize(
    ("weights", "expected"),
    [([], 0.0), ([1.0], 1.0), ([1.0, 0.5, 0.25, 0.0], 0.4375), ([0.0, 0.0], 0.0)],
)
def test_weighted_coverage(weights: list[float], expected: float) -> None:
    assert weighted_coverage(weights).value == pytest.approx(expected)


def test_inadmissible_evidence_covers_nothing() -> None:
    assert compute_subclaim_coverage([CLAIM], [replace(passage(), admissible=False)]).value == 0.0


def test_a_stance_towards_the_subclaim_itself_goes_before_the_claims() -> None:
    found = compute_subclaim_coverage([CLAIM], [passage()], stances={CLAIM: {"e1": NO}})
    assert found.segments[0].status is SegmentStatus.INVALID
    assert found.segments[0].refuting_ids == ("e1",)


def test_proposed_anchors_are_the_ones_that_are_matched() -> None:
    found = compute_subclaim_coverage(
        [CLAIM], [passage(semantic=0.0)], proposed_anchors={CLAIM: ["clinic", "visitors"]}
    )
    assert found.segments[0].anchors == ("clinic", "visitors")
    assert found.segments[0].links == ()  # only the overlap is left: 0.25


def test_the_best_evidence_is_named_and_links_are_ordered() -> None:
    weaker = passage("a", stance=Stance(0.6, 0.2, 0.2))
    segment = compute_subclaim_coverage([CLAIM], [weaker, passage("b"), passage("c", stance=NEUTRAL)]).segments[0]
    assert segment.best_evidence_id == "b"
    assert [link.evidence_id for link in segment.links] == ["b", "a", "c"]
    assert [link.relation for link in segment.links] == [Relation.SUPPORTS, Relation.SUPPORTS, Relation.NEUTRAL]
    assert segment.supporting_ids == ("b", "a")


@given(st.lists(units, max_size=12))
def test_weighted_coverage_is_bounded_and_recomputable(weights: list[float]) -> None:
    found = weighted_coverage(weights)
    assert 0.0 <= found.value <= 1.0
    assert recompute_coverage(found.inputs) == found
    assert replay(found) == pytest.approx(found.value, abs=1e-9)


evidence_lists = st.lists(
    st.builds(
        passage,
        id_=st.sampled_from("abcdef"),
        text=st.one_of(st.sampled_from([RESTATED, LOOSE, UNRELATED, ""]), st.text(max_size=60)),
        stance=st.builds(Stance, units, units, units),
        semantic=units,
        origin=st.sampled_from(["web", "kg", "vector"]),
        same_as=st.sampled_from(["", "a", "b"]),
    ),
    max_size=6,
    unique_by=lambda item: item.id,
)


@given(evidence_lists)
def test_any_evidence_gives_bounded_weights_in_any_order(evidence: list[Evidence]) -> None:
    found = compute_subclaim_coverage([CLAIM, UNRELATED], evidence)
    for segment in found.segments:
        assert 0.0 <= segment.weight <= 1.0
        assert 0.0 <= segment.strength <= 1.0
    assert compute_subclaim_coverage([CLAIM, UNRELATED], list(reversed(evidence))) == found


@given(evidence_lists)
def test_nothing_is_refuted_unless_some_passage_contradicts(evidence: list[Evidence]) -> None:
    against = (SegmentStatus.INVALID, SegmentStatus.PARTIALLY_INVALID)
    for segment in compute_subclaim_coverage([CLAIM], evidence).segments:
        assert segment.refuting_ids or segment.status not in against


@pytest.mark.parametrize("field", ["semantic", "kg"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.01, 1.01])
def test_a_signal_out_of_range_is_refused_by_name(field: str, bad: float) -> None:
    changes: dict[str, Any] = {field: bad}
    with pytest.raises(ValueError, match=field):
        compute_subclaim_coverage([CLAIM], [replace(passage(), **changes)])


@pytest.mark.parametrize(
    "bad",
    [{"w_anchor": 0.5}, {"strong_match": 0.2}, {"partial_weight": 1.5}, {"kg_factor": float("nan")}],
)
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        CoveragePolicy(**bad)


def test_recomputing_refuses_a_count_that_does_not_fit() -> None:
    with pytest.raises(ValueError, match="number_of_subclaims"):
        recompute_coverage({"weights": [1.0], "number_of_subclaims": 2})


@given(evidence_lists)
def test_a_segment_can_be_judged_again_from_its_links(evidence: list[Evidence]) -> None:
    for segment in compute_subclaim_coverage([CLAIM, UNRELATED], evidence).segments:
        assert judge_segment(segment.text, segment.links[::-1], anchors=segment.anchors) == segment
