"""Adaptive trust: trust_post with its fallback and floor, the verdict state, and claims assessed from evidence."""

from dataclasses import replace
from math import nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.adaptive_trust import (
    AdaptiveTrustPolicy,
    VerdictState,
    assess,
    assess_segments,
    recompute_adaptive_trust,
    recompute_gate,
    verdict_state,
)
from scoring.coverage import Segment
from scoring.derivation import Derivation, replay
from scoring.inputs import constants
from scoring.sufficiency_gates import NORMAL
from scoring.values import NEUTRAL, Evidence, SegmentStatus, Stance

CLAIM = "The Newtown hospital treated 1,200 patients."
RESTATED = "Newtown hospital treated 1,200 patients last week."
YES, NO = Stance(0.9, 0.05, 0.05), Stance(0.05, 0.9, 0.05)
units = st.floats(0, 1)


def passage(id_: str, domain: str = "", **changes: Any) -> Evidence:
    base = Evidence(
        id_, RESTATED, "web", 0.6, YES, domain=domain or f"{id_}.org", semantic=0.8, credibility=0.7, recency=0.5
    )
    return replace(base, **changes)


def trust_post(**changes: Any) -> Derivation:
    inputs: dict[str, Any] = {
        "subclaim_trusts": [],
        "coverage": 0.0,
        "top_trust": 0.0,
        "evidence_count": 3,
        "policy": constants(NORMAL),
    }
    return recompute_adaptive_trust({**inputs, **changes})


def steps(derivation: Derivation) -> list[str]:
    return [step.name for step in derivation.steps]


@pytest.mark.parametrize(
    ("changes", "expected", "path"),
    [
        # Full coverage leaves the mean as it is: 0.6 * (0.5 + 0.5 * 1).
        (
            {"subclaim_trusts": [0.6, 0.6], "coverage": 1.0, "top_trust": 0.6},
            0.6,
            ["mean_subclaim_trust", "coverage", "clamp"],
        ),
        # 0.68 * (0.5 + 0.5 * 0.25); the floor 0.68 * 0.25 = 0.17 is lower
        (
            {"subclaim_trusts": [0.68], "coverage": 0.25, "top_trust": 0.68},
            0.425,
            ["mean_subclaim_trust", "coverage", "clamp"],
        ),
        # mean 0.51 * 0.875 = 0.44625, below the consistency floor 0.68 * 0.75
        (
            {"subclaim_trusts": [0.68, 0.34], "coverage": 0.75, "top_trust": 0.68},
            0.51,
            ["mean_subclaim_trust", "coverage", "consistency_floor", "clamp"],
        ),
        # nothing covered: top_trust * coverage
        ({"coverage": 0.5, "top_trust": 0.7}, 0.35, ["top_trust", "coverage", "clamp"]),
        ({"coverage": 0.0, "top_trust": 0.7}, 0.0, ["top_trust", "coverage", "clamp"]),
        ({"evidence_count": 0}, 0.0, ["no_evidence", "clamp"]),
    ],
)
def test_trust_post_takes_the_specified_path(changes: dict[str, Any], expected: float, path: list[str]) -> None:
    found = trust_post(**changes)
    assert found.value == pytest.approx(expected)
    assert steps(found) == path


def test_the_mean_is_an_input_under_its_own_name() -> None:
    assert trust_post(subclaim_trusts=[0.4, 0.6], coverage=1.0).inputs["mean_subclaim_trust"] == pytest.approx(0.5)
    assert trust_post().inputs["mean_subclaim_trust"] is None


@pytest.mark.parametrize(
    ("value", "sufficient", "state"),
    [
        (0.8, True, "confirmed"),
        (nextafter(0.8, 0), True, "provisional"),
        (0.6, True, "provisional"),
        (nextafter(0.6, 0), True, "revoked"),
        (0.0, True, "revoked"),
        (0.95, False, "evidence_insufficiency"),
    ],
)
def test_the_verdict_state_follows_trust_and_sufficiency(value: float, sufficient: bool, state: VerdictState) -> None:
    assert verdict_state(value, sufficient) == state


def test_three_agreeing_sources_are_sufficient() -> None:
    found = assess(CLAIM, [], [passage("a"), passage("b"), passage("c")])
    # Trust of each: 0.4*0.8 + 0.3*0.7 + 0.2*0.95 + 0.1*0.5 = 0.77; weight 1, coverage 1.
    assert found.trust_post.value == pytest.approx(0.77)
    assert (found.metrics.coverage, found.metrics.diversity, found.metrics.agreement) == (1.0, 1.0, 1.0)
    assert found.gate.is_sufficient
    assert found.gate.route == "adaptive_override:coverage_diversity"
    assert found.state == "provisional"
    assert found.segments[0].status is SegmentStatus.STRONGLY_VALID


def test_without_evidence_nothing_is_sufficient() -> None:
    found = assess(CLAIM, [], [])
    assert (found.trust_post.value, found.metrics.agreement, found.gate.is_sufficient) == (0.0, 0.0, False)
    assert found.state == "evidence_insufficiency"
    assert found.segments[0].status is SegmentStatus.UNKNOWN


def test_ten_copies_of_one_story_are_one_source() -> None:
    copies = [passage(f"c{n}", same_as="a") for n in range(10)]
    alone, copied = assess(CLAIM, [], [passage("a")]), assess(CLAIM, [], [passage("a"), *copies])
    assert copied.metrics.evidence_count == alone.metrics.evidence_count == 1
    assert copied.metrics.diversity == alone.metrics.diversity == 0.0
    assert copied.metrics.agreement == alone.metrics.agreement
    assert not copied.gate.is_sufficient


def test_neutral_evidence_on_the_subject_is_not_enough_to_stop_searching() -> None:
    silent = [passage(id_, stance=NEUTRAL, relevance=0.9) for id_ in "abcd"]
    found = assess(CLAIM, [], silent)
    # Weight 0.25, trust 0.58: 0.145 * 0.625, floor 0.58 * 0.25 = 0.145, weaker than 0.20.
    assert found.trust_post.value == pytest.approx(0.145)
    assert found.gate.routes == (
        "adaptive_override:coverage_diversity",
        "adaptive_override:avg_relevance",
    )
    assert found.gate.guards == ("weak_relevance",)
    assert found.state == "evidence_insufficiency"


def test_a_refuted_claim_is_covered_but_the_specified_routes_stay_shut() -> None:
    against = [passage(id_, stance=NO) for id_ in "abc"]
    found = assess(CLAIM, [], against)
    assert (found.metrics.coverage, found.metrics.agreement, found.metrics.contradicted) == (1.0, 0.0, 1)
    assert not found.gate.is_sufficient
    willing = AdaptiveTrustPolicy(normal=replace(NORMAL, settle_refutation=True))
    assert assess(CLAIM, [], against, willing).gate.route == "settled_refutation"


def test_a_contested_part_counts_as_contradicted_for_the_override() -> None:
    found = assess(CLAIM, [], [passage("a"), passage("b"), passage("c", stance=NO)])
    assert found.segments[0].contested
    assert found.metrics.contradicted == 1
    assert "adaptive_override:strong_covered" not in found.gate.routes


def test_confidence_mode_settles_earlier_and_weighs_partial_matches_more() -> None:
    # "The hospital in Newtown is old.": anchors 2 of 5, stems 2 of 5, so 0.16 + 0.10 + 0.35 * 0.5 = 0.435, partial.
    loose = [passage(id_, text="The hospital in Newtown is old.", semantic=0.5, relevance=0.5) for id_ in "ab"]
    normal, confident = assess(CLAIM, [], loose), assess(CLAIM, [], loose, mode="confidence")
    assert (normal.metrics.coverage, confident.metrics.coverage) == (0.5, 0.65)
    assert not normal.gate.is_sufficient
    assert confident.gate.route == "confidence_mode"


def test_subclaims_are_the_parts_and_the_claim_is_the_only_one_without_them() -> None:
    two = assess(CLAIM, [CLAIM, "The football club in Oldport won the cup."], [passage("a")])
    assert (two.gate.num_subclaims, two.metrics.coverage) == (2, 0.5)
    assert assess(CLAIM, [], [passage("a")]).gate.num_subclaims == 1


def test_inadmissible_evidence_changes_nothing() -> None:
    useful = [passage("a"), passage("b")]
    assert assess(CLAIM, [], [*useful, passage("x", admissible=False, stance=NO)]) == assess(CLAIM, [], useful)


def test_a_parents_parts_may_come_ready_judged() -> None:
    parts = [
        Segment("one", SegmentStatus.VALID, weight=1.0, best_evidence_id="a"),
        Segment("two", SegmentStatus.UNKNOWN),
    ]
    found = assess_segments(parts, [passage("a")])
    assert found.metrics.coverage == 0.5
    assert found.trust_post.value == pytest.approx(0.5775)  # 0.77 * (0.5 + 0.5 * 0.5)


stances = st.sampled_from([YES, NO, NEUTRAL, Stance(0.45, 0.35, 0.2), Stance(0.6, 0.3, 0.1)])
evidence_lists = st.lists(
    st.builds(
        passage,
        st.sampled_from("abcdefgh"),
        domain=st.sampled_from(["x.org", "y.org", ""]),
        text=st.sampled_from([RESTATED, "The hospital in Newtown is old.", "Rain.", ""]),
        stance=stances,
        semantic=units,
        relevance=units,
        credibility=units,
        recency=units,
        same_as=st.sampled_from(["", "a", "b"]),
        admissible=st.booleans(),
    ),
    max_size=8,
    unique_by=lambda item: item.id,
)


@given(evidence_lists, st.sampled_from(["adaptive", "confidence"]))
def test_any_evidence_gives_bounded_recomputable_results_in_any_order(evidence: list[Evidence], mode: Any) -> None:
    found = assess(CLAIM, [CLAIM, "It rained."], evidence, mode=mode)
    for derivation in (found.coverage, found.diversity, found.agreement, found.trust_post):
        assert 0.0 <= derivation.value <= 1.0
        assert replay(derivation) == pytest.approx(derivation.value, abs=1e-9)
    assert recompute_adaptive_trust(found.trust_post.inputs) == found.trust_post
    assert recompute_gate(found.trust_post.inputs) == found.gate
    assert assess(CLAIM, [CLAIM, "It rained."], list(reversed(evidence)), mode=mode) == found


@given(evidence_lists, st.sampled_from(["x.org", "new.org"]))
def test_more_agreeing_admissible_evidence_never_lowers_agreement(evidence: list[Evidence], domain: str) -> None:
    more = passage("z", domain=domain, stance=YES)
    before, after = assess(CLAIM, [], evidence), assess(CLAIM, [], [*evidence, more])
    assert after.metrics.agreement >= before.metrics.agreement - 1e-12


@given(evidence_lists, st.sampled_from("abcdefgh"))
def test_a_copy_of_an_agreeing_story_never_lowers_agreement(evidence: list[Evidence], original: str) -> None:
    more = passage("z", stance=YES, same_as=original, relevance=1.0)
    before, after = assess(CLAIM, [], evidence), assess(CLAIM, [], [*evidence, more])
    assert after.metrics.agreement >= before.metrics.agreement - 1e-12


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"coverage": 1.5}, "coverage"),
        ({"coverage": float("nan")}, "coverage"),
        ({"top_trust": -0.1}, "top_trust"),
        ({"subclaim_trusts": [2.0]}, "subclaim_trusts"),
        ({"subclaim_trusts": "0.5"}, "subclaim_trusts"),
        ({"evidence_count": 1.0}, "evidence_count"),
    ],
)
def test_bad_inputs_are_refused_by_name(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trust_post(**changes)
