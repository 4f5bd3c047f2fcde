"""Every route to sufficiency at, just below and just above its thresholds, and the guard that closes it again."""

from dataclasses import replace
from math import nextafter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.sufficiency_gates import CONFIDENCE, NORMAL, GatePolicy, TrustMetrics, TrustMode, decide, open_routes

units = st.floats(0, 1)
# Enough passages, and nothing else that any route asks for; one contradicted part keeps the override shut.
SHUT = TrustMetrics(
    coverage=0.0,
    diversity=0.0,
    agreement=0.0,
    evidence_count=3,
    avg_relevance=0.0,
    num_subclaims=2,
    strong_covered=0,
    contradicted=1,
    supporting=0,
    contradicting=0,
)


def below(value: float) -> float:
    return nextafter(value, 0.0)


def routes(mode: TrustMode = "adaptive", policy: GatePolicy = NORMAL, **changes: Any) -> tuple[str, ...]:
    return open_routes(replace(SHUT, **changes), mode, policy)


def test_without_any_of_the_signals_no_route_is_open() -> None:
    assert routes() == ()


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"coverage": 0.60, "agreement": 0.80}, True),
        ({"coverage": 0.61, "agreement": 0.81}, True),
        ({"coverage": below(0.60), "agreement": 0.80}, False),
        ({"coverage": 0.60, "agreement": below(0.80)}, False),
        ({"coverage": 0.60, "agreement": 0.80, "evidence_count": 2}, False),
        ({"coverage": 0.60, "agreement": 0.80, "evidence_count": 4}, True),
    ],
)
def test_strict_gate_of_high_coverage_and_high_agreement(changes: dict[str, Any], is_open: bool) -> None:
    assert routes(**changes) == (("strict:high_coverage",) if is_open else ())


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"coverage": 0.40, "diversity": 0.70, "agreement": 0.80}, True),
        ({"coverage": 0.59, "diversity": 0.71, "agreement": 0.81}, True),
        ({"coverage": below(0.40), "diversity": 0.70, "agreement": 0.80}, False),
        ({"coverage": 0.40, "diversity": below(0.70), "agreement": 0.80}, False),
        ({"coverage": 0.40, "diversity": 0.70, "agreement": below(0.80)}, False),
        ({"coverage": 0.40, "diversity": 0.70, "agreement": 0.80, "evidence_count": 2}, False),
    ],
)
def test_strict_gate_of_medium_coverage_and_high_diversity(changes: dict[str, Any], is_open: bool) -> None:
    assert routes(**changes) == (("strict:medium_coverage",) if is_open else ())


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"coverage": 0.25, "diversity": 0.75}, "adaptive_override:coverage_diversity"),
        ({"coverage": 0.26, "diversity": 0.76}, "adaptive_override:coverage_diversity"),
        ({"coverage": below(0.25), "diversity": 0.75}, None),
        ({"coverage": 0.25, "diversity": below(0.75)}, None),
        ({"strong_covered": 1}, "adaptive_override:strong_covered"),
        ({"strong_covered": 2}, "adaptive_override:strong_covered"),
        ({"strong_covered": 0}, None),
        ({"avg_relevance": 0.55}, "adaptive_override:avg_relevance"),
        ({"avg_relevance": 0.56}, "adaptive_override:avg_relevance"),
        ({"avg_relevance": below(0.55)}, None),
    ],
)
def test_adaptive_override_has_three_alternatives(changes: dict[str, Any], expected: str | None) -> None:
    assert routes(contradicted=0, **changes) == ((expected,) if expected else ())
    assert routes(contradicted=1, **changes) == ()  # not with a contradicted part
    assert routes(contradicted=0, evidence_count=2, **changes) == ()  # not with too little evidence


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"diversity": 0.90, "avg_relevance": 0.75}, True),
        ({"diversity": 1.0, "avg_relevance": 0.8}, True),
        ({"diversity": below(0.90), "avg_relevance": 0.75}, False),
        ({"diversity": 0.90, "avg_relevance": below(0.75)}, False),
        ({"diversity": 0.90, "avg_relevance": 0.75, "evidence_count": 3}, False),  # no longer low
        ({"diversity": 0.90, "avg_relevance": 0.75, "evidence_count": 0}, False),
        ({"diversity": 0.90, "avg_relevance": 0.75, "supporting": 2}, True),
        ({"diversity": 0.90, "avg_relevance": 0.75, "contradicting": 2}, True),
        ({"diversity": 0.90, "avg_relevance": 0.75, "supporting": 1, "contradicting": 1}, False),
    ],
)
def test_low_count_override_needs_excellent_passages_of_one_mind(changes: dict[str, Any], is_open: bool) -> None:
    assert routes(**{"evidence_count": 2, **changes}) == (("low_count_override",) if is_open else ())


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"coverage": 0.30, "agreement": 0.65}, True),
        ({"coverage": 0.31, "agreement": 0.66}, True),
        ({"coverage": below(0.30), "agreement": 0.65}, False),
        ({"coverage": 0.30, "agreement": below(0.65)}, False),
        ({"coverage": 0.30, "agreement": 0.65, "evidence_count": 1}, False),
    ],
)
def test_confidence_mode_has_a_relaxed_gate_of_its_own(changes: dict[str, Any], is_open: bool) -> None:
    relaxed = {"evidence_count": 2, **changes}
    assert routes("confidence", CONFIDENCE, **relaxed) == (("confidence_mode",) if is_open else ())
    assert "confidence_mode" not in routes("adaptive", CONFIDENCE, **relaxed)


def test_confidence_mode_lowers_the_strict_gates_too() -> None:
    changes = {"coverage": 0.45, "agreement": 0.65, "evidence_count": 2}
    assert routes("confidence", CONFIDENCE, **changes) == ("confidence_mode", "strict:high_coverage")
    assert routes("adaptive", NORMAL, **changes) == ()


@pytest.mark.parametrize(
    ("changes", "is_open"),
    [
        ({"coverage": 0.60, "contradicting": 3}, True),
        ({"coverage": below(0.60), "contradicting": 3}, False),
        ({"coverage": 0.60, "contradicting": 3, "supporting": 1}, False),
        ({"coverage": 0.60, "contradicting": 0}, False),
        ({"coverage": 0.60, "contradicting": 3, "evidence_count": 2}, False),
        ({"coverage": 0.60, "contradicting": 3, "contradicted": 0}, False),
    ],
)
def test_unanimous_refutation_settles_only_where_the_policy_says_so(changes: dict[str, Any], is_open: bool) -> None:
    willing = GatePolicy(settle_refutation=True)
    assert ("settled_refutation" in routes(policy=willing, **changes)) is is_open
    assert "settled_refutation" not in routes(**changes)


def test_the_first_open_route_is_the_one_reported_and_all_are_listed() -> None:
    everything = replace(SHUT, coverage=1.0, diversity=1.0, agreement=1.0, avg_relevance=1.0, strong_covered=2,
                         contradicted=0)  # fmt: skip
    gate = decide(everything, "adaptive", NORMAL, trust_post=0.9, top_semantic=0.9, top_trust=0.9)
    assert gate.is_sufficient
    assert gate.route == "adaptive_override:coverage_diversity"
    assert gate.routes == (
        "adaptive_override:coverage_diversity",
        "adaptive_override:strong_covered",
        "adaptive_override:avg_relevance",
        "strict:high_coverage",
        "strict:medium_coverage",
    )
    assert gate.thresholds["coverage_high"] == 0.60
    assert (gate.num_subclaims, gate.strong_covered, gate.contradicted) == (2, 2, 0)


@pytest.mark.parametrize(
    ("signals", "sufficient"),
    [
        ((0.20, 0.20, 0.35), True),  # at every threshold
        ((below(0.20), 0.20, 0.35), False),  # trust
        ((0.20, below(0.20), 0.35), False),  # semantic
        ((0.20, 0.20, below(0.35)), False),  # top trust
    ],
)
def test_the_weak_relevance_guard_flips_a_pass_back(signals: tuple[float, float, float], sufficient: bool) -> None:
    passing = replace(SHUT, coverage=1.0, agreement=1.0)
    trust_post, top_semantic, top_trust = signals
    gate = decide(passing, "adaptive", NORMAL, trust_post=trust_post, top_semantic=top_semantic, top_trust=top_trust)
    assert gate.is_sufficient is sufficient
    assert gate.route == "strict:high_coverage"
    assert gate.guards == (() if sufficient else ("weak_relevance",))


def test_the_guard_is_silent_where_nothing_passed() -> None:
    gate = decide(SHUT, "adaptive", NORMAL, trust_post=0.0, top_semantic=0.0, top_trust=0.0)
    assert (gate.is_sufficient, gate.route, gate.guards) == (False, None, ())


metrics = st.builds(
    TrustMetrics,
    coverage=units,
    diversity=units,
    agreement=units,
    evidence_count=st.integers(0, 9),
    avg_relevance=units,
    num_subclaims=st.integers(0, 5),
    strong_covered=st.integers(0, 5),
    contradicted=st.integers(0, 5),
    supporting=st.integers(0, 9),
    contradicting=st.integers(0, 9),
)


@given(metrics)
def test_more_coverage_and_agreement_never_close_a_route(found: TrustMetrics) -> None:
    better = replace(found, coverage=1.0, agreement=1.0)
    assert set(open_routes(found, "adaptive")) <= set(open_routes(better, "adaptive"))


@given(metrics)
def test_confidence_mode_never_asks_for_more_where_evidence_is_enough_for_both(found: TrustMetrics) -> None:
    if found.evidence_count >= NORMAL.min_evidence:
        strict = set(open_routes(found, "adaptive", NORMAL))
        assert strict <= set(open_routes(found, "confidence", CONFIDENCE))


@pytest.mark.parametrize("field", ["coverage", "diversity", "agreement", "avg_relevance"])
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -0.1, 1.1])
def test_metrics_out_of_range_are_refused_by_name(field: str, bad: float) -> None:
    changes: dict[str, Any] = {field: bad}
    with pytest.raises(ValueError, match=field):
        replace(SHUT, **changes)


@pytest.mark.parametrize("bad", [{"coverage_high": 1.2}, {"min_evidence": 0}, {"weak_trust": float("nan")}])
def test_a_policy_that_makes_no_sense_is_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        GatePolicy(**bad)


def test_negative_counts_are_refused_by_name() -> None:
    with pytest.raises(ValueError, match="contradicting"):
        replace(SHUT, contradicting=-1)
