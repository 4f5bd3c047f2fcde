"""Log-odds, impact and consensus cap of 002, worked out by hand, and what holds for any input."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.beliefs import (
    BeliefPolicy,
    BeliefState,
    Consensus,
    WeighedEvidence,
    apply_consensus_bound,
    belief_from_probability,
    belief_verdict,
    log_odds_to_prob,
    prob_to_log_odds,
    recompute_belief,
    recompute_consensus_bound,
    recompute_impact,
    sigmoid_impact,
    update_belief,
)
from scoring.derivation import replay
from scoring.values import StanceLabel, Verdict

units = st.floats(0, 1)
evidence_lists = st.lists(
    st.builds(
        WeighedEvidence,
        id=st.sampled_from("abcdefgh"),
        strength=units,
        relevance=units,
        direction=st.sampled_from(["supports", "refutes", "neutral"]),
    ),
    max_size=8,
)


def evidence(strength: float, relevance: float, direction: StanceLabel, name: str = "e") -> WeighedEvidence:
    return WeighedEvidence(id=name, strength=strength, relevance=relevance, direction=direction)


@pytest.mark.parametrize(
    ("probability", "log_odds"),
    [
        (0.5, 0.0),
        (0.75, 1.0986122886681098),  # ln 3
        (0.25, -1.0986122886681098),
        (0.9, 2.1972245773362196),  # ln 9
        (0.0, -13.815509557963774),  # ln(1e-6 / (1 - 1e-6)): certainty is kept a millionth away
        (1.0, 13.815509557963774),
    ],
)
def test_log_odds_of_a_probability(probability: float, log_odds: float) -> None:
    assert prob_to_log_odds(probability) == pytest.approx(log_odds, abs=1e-9)


@pytest.mark.parametrize(
    ("strength", "relevance", "impact"),
    [
        (0.5, 1.0, 1.0),  # sigmoid(10 * 0) = 0.5; 0.5 * 2
        (0.5, 0.6, 0.6),
        (0.7, 1.0, 1.7615941559557649),  # sigmoid(2) = 0.8807970779778823
        (0.7, 0.5, 0.8807970779778824),
        (0.3, 1.0, 0.2384058440442351),  # sigmoid(-2) = 0.1192029220221176
        (0.0, 1.0, 0.0133857018485697),  # sigmoid(-5): weak evidence is damped to almost nothing
        (1.0, 1.0, 1.9866142981514305),  # sigmoid(5): and strong evidence stays below L_max
        (1.0, 0.0, 0.0),
    ],
)
def test_impact_is_relevance_times_l_max_times_sigmoid(strength: float, relevance: float, impact: float) -> None:
    assert sigmoid_impact(strength, relevance).value == pytest.approx(impact, abs=1e-12)


def test_an_update_adds_support_and_subtracts_refutation() -> None:
    update = update_belief(
        BeliefState(),
        [
            evidence(0.7, 1.0, "supports", "a"),
            evidence(0.5, 0.5, "refutes", "b"),
            evidence(1.0, 1.0, "neutral", "c"),
        ],
    )
    # 0 + 1.7615941559557649 - 0.5; what is neutral moves nothing
    assert update.state.log_odds == pytest.approx(1.2615941559557649)
    assert [step.name for step in update.log_odds.steps] == ["prior", "supports:a", "refutes:b"]
    # each piece removes half its share of L_max from the doubt that is left:
    # 0.5 * 1.76159.../2 = 0.44039853898894116; then (1 - 0.44039853898894116) * 0.5 * 0.5/2 = 0.06995018262638236
    assert update.state.confidence == pytest.approx(0.5103487216153235)


@pytest.mark.parametrize(
    ("limit", "sources", "expected"),
    [
        (0.6, 0, 2.1972245773362196),
        (0.6, 1, 2.1972245773362196),  # one source is no consensus
        (0.6, 2, 0.4054651081081644),  # ln 1.5: at two sources the cap holds
        (0.6, 3, 0.4054651081081644),
        (0.95, 2, 2.1972245773362196),  # a cap above the belief changes nothing
    ],
)
def test_the_consensus_cap_holds_from_two_sources_on(limit: float, sources: int, expected: float) -> None:
    bounded = apply_consensus_bound(belief_from_probability(0.9, 0.4), Consensus(limit, sources))
    assert bounded.state.log_odds == pytest.approx(expected)
    assert bounded.state.confidence == 0.4


@pytest.mark.parametrize(
    ("probability", "verdict"),
    [
        (0.75, Verdict.TRUE),
        (0.7499, Verdict.UNVERIFIABLE),
        (0.7501, Verdict.TRUE),
        (0.5, Verdict.UNVERIFIABLE),
        (0.2501, Verdict.UNVERIFIABLE),
        (0.25, Verdict.FALSE),
        (0.2499, Verdict.FALSE),
    ],
)
def test_odds_of_three_to_one_decide_a_verdict(probability: float, verdict: Verdict) -> None:
    assert belief_verdict(belief_from_probability(probability)) is verdict


@given(units)
def test_log_odds_and_probability_are_inverse_up_to_the_margin(probability: float) -> None:
    assert log_odds_to_prob(prob_to_log_odds(probability)) == pytest.approx(probability, abs=1.1e-6)


@given(st.floats(-1e308, 1e308))
def test_any_finite_log_odds_is_a_probability(log_odds: float) -> None:
    assert 0.0 <= log_odds_to_prob(log_odds) <= 1.0


@given(units, units)
def test_the_impact_stays_between_nothing_and_l_max(strength: float, relevance: float) -> None:
    impact = sigmoid_impact(strength, relevance)
    assert 0.0 <= impact.value < BeliefPolicy().l_max
    assert replay(impact) == pytest.approx(impact.value, abs=1e-9)
    assert recompute_impact(json.loads(json.dumps(impact.inputs))) == impact


@given(st.floats(-20, 20), units, evidence_lists)
def test_an_update_can_be_recomputed_from_its_steps_its_inputs_and_by_hand(
    log_odds: float, confidence: float, items: list[WeighedEvidence]
) -> None:
    update = update_belief(BeliefState(log_odds, confidence), items)
    assert replay(update.log_odds) == pytest.approx(update.state.log_odds, abs=1e-9)
    assert replay(update.confidence) == pytest.approx(update.state.confidence, abs=1e-9)
    again = recompute_belief(json.loads(json.dumps(update.log_odds.inputs)))
    assert again.state == update.state
    assert again.log_odds.steps == update.log_odds.steps
    sign = {"supports": 1.0, "refutes": -1.0, "neutral": 0.0}
    expected = log_odds + sum(
        sign[item.direction] * item.relevance * 2.0 / (1 + math.exp(-10 * (item.strength - 0.5))) for item in items
    )
    assert update.state.log_odds == pytest.approx(expected, abs=1e-9)


@given(st.floats(-20, 20), evidence_lists, units, units)
def test_refutation_never_raises_a_belief_and_support_never_lowers_it(
    log_odds: float, items: list[WeighedEvidence], strength: float, relevance: float
) -> None:
    before = update_belief(BeliefState(log_odds), items).state
    refuted = update_belief(BeliefState(log_odds), [*items, evidence(strength, relevance, "refutes")]).state
    supported = update_belief(BeliefState(log_odds), [*items, evidence(strength, relevance, "supports")]).state
    assert refuted.log_odds <= before.log_odds <= supported.log_odds
    assert before.confidence <= min(refuted.confidence, supported.confidence)


@given(st.floats(-50, 50), units, st.integers(0, 5))
def test_the_consensus_bound_never_raises_a_belief(log_odds: float, limit: float, sources: int) -> None:
    bounded = apply_consensus_bound(BeliefState(log_odds), Consensus(limit, sources))
    assert bounded.state.log_odds <= log_odds
    assert replay(bounded.log_odds) == bounded.state.log_odds
    assert recompute_consensus_bound(json.loads(json.dumps(bounded.log_odds.inputs))).state == bounded.state


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf, -0.1, 1.1])
def test_numbers_outside_their_range_are_refused_by_name(bad: float) -> None:
    with pytest.raises(ValueError, match="strength"):
        sigmoid_impact(bad, 0.5)
    with pytest.raises(ValueError, match="relevance"):
        sigmoid_impact(0.5, bad)
    with pytest.raises(ValueError, match="probability"):
        prob_to_log_odds(bad)
    with pytest.raises(ValueError, match="confidence"):
        BeliefState(0.0, bad)
    with pytest.raises(ValueError, match="limit"):
        Consensus(bad, 2)
    with pytest.raises(ValueError, match="strength"):
        update_belief(BeliefState(), [evidence(bad, 1.0, "neutral")])


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_log_odds_must_be_finite(bad: float) -> None:
    with pytest.raises(ValueError, match="log_odds"):
        BeliefState(bad)
    with pytest.raises(ValueError, match="log_odds"):
        log_odds_to_prob(bad)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("k", math.nan),
        ("k", 0.0),
        ("l_max", -1.0),
        ("l_max", 0.0),
        ("certainty_margin", 0.0),
        ("false_to", 0.8),
        ("false_to", 0.75),
        ("true_from", 1.5),
    ],
)
def test_a_policy_that_makes_no_sense_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        replace(BeliefPolicy(), **{field: value})


def test_a_consensus_of_fewer_than_no_sources_is_refused() -> None:
    with pytest.raises(ValueError, match="source_count"):
        Consensus(0.5, -1)


def test_a_direction_that_is_none_is_refused_when_inputs_come_back_from_outside() -> None:
    inputs = update_belief(BeliefState(), [evidence(1.0, 1.0, "supports")]).log_odds.inputs
    with pytest.raises(ValueError, match="direction of e"):
        recompute_belief({**inputs, "direction": ["sideways"]})
    with pytest.raises(ValueError, match="policy"):
        recompute_belief({**inputs, "policy": {"k": 10.0}})
