"""Confidence: the composite, cap, floors and every reason of the contract, worked out by hand from 000 §7."""

import json
from dataclasses import replace
from math import nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.confidence import DEFAULT, ConfidencePolicy, ConfidenceSignals, confidence, recompute_confidence
from scoring.coverage import Segment
from scoring.derivation import Derivation, replay
from scoring.numeric import NumericRelation
from scoring.values import SegmentStatus, Verdict

SV, V, PV = SegmentStatus.STRONGLY_VALID, SegmentStatus.VALID, SegmentStatus.PARTIALLY_VALID
U, INV = SegmentStatus.UNKNOWN, SegmentStatus.INVALID
TRUE, FALSE, OPEN = Verdict.TRUE, Verdict.FALSE, Verdict.UNVERIFIABLE
units = st.floats(0, 1)
# 0.27 + 0.175 + 0.20 + 0.075 + 0.06 = 0.78, and nothing that bounds it.
PLAIN = ConfidenceSignals(TRUE, 0.9, 0.7, 1.0, 0.5, 0.6, is_sufficient=True)
# 0.27 + 0.25 + 0.20 + 0.15 + 0.08 = 0.95
BEST = replace(PLAIN, coverage=1.0, diversity=1.0, adaptive_trust_post=0.8)
# 0 + 0.25 + 0 + 0.15 + 0.07 = 0.47: the composite of a claim that everybody refutes
REFUTED = ConfidenceSignals(FALSE, 0.0, 1.0, 0.0, 1.0, 0.7, is_sufficient=False)


def sure(signals: ConfidenceSignals, statuses: list[SegmentStatus] | None = None, **changes: Any) -> Derivation:
    segments = [Segment(f"part {n}", status) for n, status in enumerate([V] if statuses is None else statuses)]
    return confidence(replace(signals, **changes), segments)


def bounds(derivation: Derivation) -> list[str]:
    """The steps after the five parts of the composite and before the final clamp."""
    return [step.name for step in derivation.steps[5:-1]]


def test_the_composite_is_the_weighted_sum_of_five() -> None:
    found = sure(PLAIN)
    assert [step.name for step in found.steps[:5]] == [
        "truthfulness",
        "coverage",
        "agreement",
        "diversity",
        "adaptive_trust_post",
    ]
    assert [step.result for step in found.steps[:5]] == pytest.approx([0.27, 0.445, 0.645, 0.72, 0.78])
    assert found.value == pytest.approx(0.78)
    assert bounds(found) == []


@pytest.mark.parametrize(
    ("trust", "expected", "steps"),
    [(1.0, 0.95, ["cap"]), (0.81, 0.95, ["cap"]), (0.79, 0.949, []), (0.7, 0.94, [])],  # 0.97, 0.951, 0.949, 0.94
)
def test_nothing_is_surer_than_the_cap(trust: float, expected: float, steps: list[str]) -> None:
    found = sure(BEST, adaptive_trust_post=trust)
    assert found.value == pytest.approx(expected)
    assert bounds(found) == steps


@pytest.mark.parametrize(
    ("coverage", "truthfulness", "expected", "fires"),
    [
        (0.8, 0.96, 0.72, True),  # 0.288 + 0.20 = 0.488, lifted to 0.96 * 0.75
        (0.81, 0.96, 0.72, True),
        (nextafter(0.8, 0), 0.96, 0.488, False),
        (0.8, 0.4, 0.32, False),  # 0.12 + 0.20 is above 0.4 * 0.75 = 0.30
    ],
)
def test_high_coverage_keeps_confidence_near_the_truth_score(
    coverage: float, truthfulness: float, expected: float, fires: bool
) -> None:
    found = sure(PLAIN, coverage=coverage, truthfulness=truthfulness, agreement=0.0, diversity=0.0,
                 adaptive_trust_post=0.0)  # fmt: skip
    assert found.value == pytest.approx(expected)
    assert (bounds(found) == ["coverage_floor"]) is fires


@pytest.mark.parametrize(
    ("statuses", "changes", "expected", "reasons"),
    [
        ([V, U], {}, 0.70, ["contract:unresolved"]),  # 0.85 - 0.30 / 2
        ([V, V, V, U], {}, 0.775, ["contract:unresolved"]),  # 0.85 - 0.30 / 4
        ([V] * 9 + [U], {}, 0.78, []),  # the cap 0.82 does not bind
        ([U], {}, 0.55, ["contract:unresolved"]),
        ([V], {"is_sufficient": False}, 0.60, ["contract:insufficient"]),
        ([V, U], {"is_sufficient": False}, 0.60, ["contract:unresolved", "contract:insufficient"]),
        ([V], {"is_sufficient": False, "agreement": 0.0}, 0.58, []),
        ([V], {"verdict": OPEN}, 0.35, ["contract:unverifiable"]),
        ([V], {"verdict": OPEN, "comparative": True}, 0.45, ["contract:unverifiable"]),
        ([V], {"comparative": True}, 0.78, []),
        ([V], {"count_claim": True}, 0.60, ["contract:numeric_silent"]),
        ([V], {"count_claim": True, "numeric": NumericRelation.AGREES}, 0.78, []),
        ([V], {"verdict": Verdict.PARTIALLY_TRUE, "count_claim": True}, 0.78, []),
        ([V], {"absolute_quantifier": True, "coverage": 1.0}, 0.80, ["contract:absolute_quantifier"]),  # 0.855
        ([V], {"absolute_quantifier": True}, 0.78, []),
    ],
)
def test_each_reason_of_the_contract_lowers_the_cap(
    statuses: list[SegmentStatus], changes: dict[str, Any], expected: float, reasons: list[str]
) -> None:
    found = sure(PLAIN, statuses, **changes)
    assert found.value == pytest.approx(expected)
    assert bounds(found) == reasons


@pytest.mark.parametrize(
    ("statuses", "changes", "expected", "floors"),
    [
        ([INV], {}, 0.60, ["false_floor"]),
        ([INV], {"strong_contradictions": 1}, 0.60, ["false_floor"]),
        ([INV], {"strong_contradictions": 2}, 0.70, ["false_floor", "strong_contradiction_floor"]),
        ([INV], {"strong_contradictions": 3}, 0.70, ["false_floor", "strong_contradiction_floor"]),
        ([INV, U], {}, 0.47, []),  # not fully resolved
        ([INV, U], {"strong_contradictions": 2}, 0.70, ["strong_contradiction_floor"]),
        ([INV, PV], {"strong_contradictions": 2}, 0.47, []),  # something is supported
        ([U], {"strong_contradictions": 2}, 0.47, []),  # nothing is refuted
        ([INV], {"verdict": OPEN, "strong_contradictions": 2}, 0.35, ["contract:unverifiable"]),
        ([INV], {"verdict": TRUE}, 0.47, []),
    ],
)
def test_a_false_that_rests_on_contradiction_alone_is_not_underconfident(
    statuses: list[SegmentStatus], changes: dict[str, Any], expected: float, floors: list[str]
) -> None:
    found = sure(REFUTED, statuses, **changes)
    assert found.value == pytest.approx(expected)
    assert bounds(found) == floors


signals = st.builds(
    ConfidenceSignals,
    st.sampled_from(list(Verdict)),
    units,
    units,
    units,
    units,
    units,
    is_sufficient=st.booleans(),
    strong_contradictions=st.integers(0, 5),
    comparative=st.booleans(),
    count_claim=st.booleans(),
    absolute_quantifier=st.booleans(),
    numeric=st.sampled_from(list(NumericRelation)),
)
statuses_of = st.lists(st.sampled_from(list(SegmentStatus)), max_size=6)


@given(signals, statuses_of)
def test_confidence_is_bounded_and_recomputable_from_json(
    found: ConfidenceSignals, statuses: list[SegmentStatus]
) -> None:
    result = sure(found, statuses)
    assert 0.0 <= result.value <= 0.95
    if found.verdict is OPEN:
        assert result.value <= (0.45 if found.comparative else 0.35)
    assert replay(result) == pytest.approx(result.value, abs=1e-9)
    again = recompute_confidence(json.loads(json.dumps(result.inputs)))
    assert again.value == pytest.approx(result.value, abs=1e-9)


@given(signals, statuses_of, st.sampled_from(["agreement", "diversity", "adaptive_trust_post", "truthfulness"]), units)
def test_more_of_a_part_never_lowers_confidence(
    found: ConfidenceSignals, statuses: list[SegmentStatus], name: str, more: float
) -> None:
    raised = replace(found, **{name: max(more, getattr(found, name))})
    assert sure(raised, statuses).value >= sure(found, statuses).value - 1e-12


@given(signals, statuses_of)
def test_sufficiency_never_lowers_confidence(found: ConfidenceSignals, statuses: list[SegmentStatus]) -> None:
    lacking, enough = replace(found, is_sufficient=False), replace(found, is_sufficient=True)
    assert sure(lacking, statuses).value <= sure(enough, statuses).value + 1e-12


@pytest.mark.parametrize("name", ["truthfulness", "coverage", "agreement", "diversity", "adaptive_trust_post"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1])
def test_a_part_out_of_range_is_refused_by_name(name: str, bad: float) -> None:
    changes: dict[str, Any] = {name: bad}
    with pytest.raises(ValueError, match=name):
        sure(PLAIN, **changes)


def test_the_contract_bounds_are_settings() -> None:
    found = confidence(replace(PLAIN, is_sufficient=False), [Segment("p", V)], replace(DEFAULT, insufficient_cap=0.5))
    assert found.value == pytest.approx(0.5)


@pytest.mark.parametrize("bad", [{"w_coverage": 0.5}, {"cap": 1.5}, {"false_floor": float("nan")}])
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        ConfidencePolicy(**bad)
