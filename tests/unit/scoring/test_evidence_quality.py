"""Evidence quality: segment support, penalties, diversity factor and ceiling, worked out by hand from 000 §6.2."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.coverage import Link, Segment
from scoring.derivation import Derivation, replay
from scoring.evidence_quality import (
    DEFAULT,
    EvidenceQualityPolicy,
    evidence_quality,
    recompute_evidence_quality,
    recompute_segment_support,
)
from scoring.inputs import constants
from scoring.polarity import Relation
from scoring.values import NEUTRAL, Evidence, SegmentStatus

units = st.floats(0, 1)
PLAIN = "The bridge was opened by the mayor."
HEDGED = "The bridge may have been opened by the mayor."
REPORTED = "Posts claim that the bridge was opened."


def support(**changes: Any) -> Derivation:
    inputs: dict[str, Any] = {
        "sem": 0.8,
        "kg": 0.0,
        "anchor_overlap": 0.6,
        "overlap_ratio": 0.5,
        "cred": 0.8,
        "contradicts": False,
        "uncertain": False,
        "reporting": False,
        "policy": constants(DEFAULT),
    }
    return recompute_segment_support({**inputs, **changes})


def overall(supports: list[float], diversity: float) -> Derivation:
    return recompute_evidence_quality(
        {"segment_supports": supports, "diversity": diversity, "policy": constants(DEFAULT)}
    )


def part(*relations: Relation) -> Segment:
    links = tuple(
        Link(f"e{n}", f"e{n}", relation, 0.7, 0.6, 1.0, anchor_overlap=0.6, overlap_ratio=0.5)
        for n, relation in enumerate(relations)
    )
    return Segment("part", SegmentStatus.VALID, links=links)


def passage(id_: str, text: str = PLAIN, **changes: Any) -> Evidence:
    return replace(Evidence(id_, text, "web", 0.5, NEUTRAL, semantic=0.8, credibility=0.8), **changes)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        # rel = 0.7 * 0.8 = 0.56; 0.392 + 0.09 + 0.05 + 0.04
        ({}, 0.572),
        ({"kg": 0.5}, 0.677),  # rel = 0.71; 0.497 + 0.18
        ({"contradicts": True}, 0.272),  # - 0.30
        ({"uncertain": True}, 0.452),  # - 0.12
        ({"reporting": True}, 0.3718),  # * 0.65
        ({"reporting": True, "uncertain": True, "contradicts": True}, 0.0),  # 0.3718 - 0.42, clamped
        ({"sem": 1.0, "kg": 1.0, "anchor_overlap": 1.0, "overlap_ratio": 1.0, "cred": 1.0}, 1.0),
        ({"sem": 0.0, "kg": 0.0, "anchor_overlap": 0.0, "overlap_ratio": 0.0, "cred": 0.0}, 0.0),
    ],
)
def test_segment_support_is_the_specified_mixture_less_its_penalties(changes: dict[str, Any], expected: float) -> None:
    assert support(**changes).value == pytest.approx(expected)


@pytest.mark.parametrize(
    ("supports", "diversity", "expected", "capped"),
    [
        ([0.8, 0.4], 0.0, 0.51, False),  # 0.6 * 0.85
        ([0.8, 0.4], 1.0, 0.60, False),  # 0.6 * 1.0
        ([0.8, 0.4], 0.5, 0.555, False),  # 0.6 * 0.925
        ([1.0], 1.0, 0.95, True),
        ([0.95], 1.0, 0.95, False),  # exactly at the ceiling
        ([0.951], 1.0, 0.95, True),
        ([1.0], 0.0, 0.85, False),  # 1.0 * 0.85 is the ceiling already
        ([], 1.0, 0.0, False),
    ],
)
def test_the_mean_is_scaled_by_diversity_and_kept_under_the_ceiling(
    supports: list[float], diversity: float, expected: float, capped: bool
) -> None:
    found = overall(supports, diversity)
    assert found.value == pytest.approx(expected)
    assert ("diversity_ceiling" in [step.name for step in found.steps]) is capped


def test_the_best_passage_supports_a_part() -> None:
    evidence = [passage("e0", semantic=0.2), passage("e1")]
    found = evidence_quality([part(Relation.SUPPORTS, Relation.SUPPORTS)], evidence, 1.0)
    assert found.supports[0].evidence_id == "e1"
    assert found.value == pytest.approx(0.572)


def test_a_part_that_no_passage_speaks_about_has_no_support() -> None:
    found = evidence_quality([part(Relation.SUPPORTS), part()], [passage("e0")], 1.0)
    assert [one.derivation.value for one in found.supports] == [pytest.approx(0.572), 0.0]
    assert found.value == pytest.approx(0.286)


def test_a_link_to_evidence_that_is_not_there_counts_for_nothing() -> None:
    assert evidence_quality([part(Relation.SUPPORTS)], [], 1.0).value == 0.0


@pytest.mark.parametrize(
    ("text", "relation", "claim", "expected"),
    [
        (PLAIN, Relation.CONTRADICTS, {}, 0.272),
        (PLAIN, Relation.QUALIFIES, {}, 0.572),  # qualifying is not contradicting
        (HEDGED, Relation.SUPPORTS, {}, 0.452),
        (HEDGED, Relation.SUPPORTS, {"assertive": False}, 0.572),
        (REPORTED, Relation.SUPPORTS, {}, 0.3718),
        (REPORTED, Relation.SUPPORTS, {"belief": True}, 0.572),
    ],
)
def test_the_penalties_come_from_stance_and_wording(
    text: str, relation: Relation, claim: dict[str, Any], expected: float
) -> None:
    found = evidence_quality([part(relation)], [passage("e0", text)], 1.0, **claim)
    assert found.value == pytest.approx(expected)


@given(st.lists(units, max_size=8), units)
def test_evidence_quality_is_bounded_and_recomputable_from_json(supports: list[float], diversity: float) -> None:
    found = overall(supports, diversity)
    assert 0.0 <= found.value <= 0.85 + 0.10 * diversity + 1e-12
    assert replay(found) == pytest.approx(found.value, abs=1e-9)
    assert recompute_evidence_quality(json.loads(json.dumps(found.inputs))).value == found.value


@given(units, units, units, units, units)
def test_contradiction_and_doubtful_wording_never_raise_support(
    sem: float, kg: float, anchor: float, overlap: float, cred: float
) -> None:
    signals = {"sem": sem, "kg": kg, "anchor_overlap": anchor, "overlap_ratio": overlap, "cred": cred}
    plain = support(**signals)
    assert 0.0 <= plain.value <= 1.0
    for flag in ("contradicts", "uncertain", "reporting"):
        assert support(**signals, **{flag: True}).value <= plain.value


@pytest.mark.parametrize("name", ["sem", "kg", "anchor_overlap", "overlap_ratio", "cred"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1, None, True])
def test_a_signal_out_of_range_is_refused_by_name(name: str, bad: Any) -> None:
    with pytest.raises(ValueError, match=name):
        support(**{name: bad})


def test_a_policy_out_of_range_is_refused() -> None:
    with pytest.raises(ValueError, match="w_rel"):
        EvidenceQualityPolicy(w_rel=1.7)
