"""The score of one candidate against tables worked out by hand from 000 §4.

The plain candidate of these tables has

    sem_norm 0.5, kg_norm 0, entity_overlap 0.5, claim_overlap 0.4, recency 1 (published today), credibility 0.6

so that with the general weights

    base = 0.31*0.5 + 0.12*0 + 0.20*0.5 + 0.15*0.4 + 0.05*1 + 0.17*0.6
         = 0.155    + 0      + 0.1      + 0.06     + 0.05   + 0.102    = 0.467
"""

import json
from dataclasses import asdict, replace
from datetime import date, timedelta
from typing import Any, get_type_hints

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import Derivation, replay
from scoring.ranking import RankingPolicy, ScorePolicy, Weights, recompute
from scoring.ranking_policy import CAUSAL, MECHANISTIC, THERAPEUTIC, FilterPolicy
from scoring.ranking_score import SetFacts, Setting, SourceFacts, TextFacts, min_max, recency, score

TODAY = date(2024, 6, 1)
BASE = 0.467
TEXT = TextFacts(
    word_count=40,
    entity_overlap=0.5,
    claim_overlap=0.4,
    anchor_match_score=0.5,
    object_mismatch=False,
    claim_focus_mismatch=False,
    subject_mismatch=False,
    relation_object_mismatch=False,
    relation_direction_mismatch=False,
    reporting_style=False,
    uncertain_wording=False,
    low_signal=False,
    negation_differs=False,
)
SOURCE = SourceFacts(
    semantic_raw=0.7,
    semantic=0.5,
    kg_raw=0.0,
    credibility=0.6,
    is_kg=False,
    backfill=False,
    contradicts=False,
    published=TODAY,
)
SHARED = SetFacts(
    claim_type="general",
    claim_assertive=True,
    claim_about_belief=False,
    as_of=TODAY,
    semantic_min=0.0,
    semantic_max=1.0,
    kg_min=0.0,
    kg_max=1.0,
)


def derive(weights: Weights | None = None, policy: ScorePolicy | None = None, **changes: Any) -> Derivation:
    """The plain candidate's score with some facts changed."""
    own = {name: value for name, value in changes.items() if name in TextFacts._fields}
    source = {name: value for name, value in changes.items() if name in SourceFacts._fields}
    shared = {name: value for name, value in changes.items() if name in SetFacts.__annotations__}
    assert len(own) + len(source) + len(shared) == len(changes)
    setting = Setting.of(replace(SHARED, **shared), weights or Weights(), policy or ScorePolicy())
    return score(TEXT._replace(**own), SOURCE._replace(**source), setting)


def names(derivation: Derivation) -> list[str]:
    return [step.name for step in derivation.steps]


def test_the_base_is_the_weighted_sum() -> None:
    derivation = derive()
    assert derivation.value == pytest.approx(BASE, abs=1e-12)
    assert names(derivation) == ["final_score_base"]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"semantic": 1.0}, 0.467 + 0.31 * 0.5),
        ({"entity_overlap": 1.0}, 0.467 + 0.20 * 0.5),
        ({"claim_overlap": 1.0}, 0.467 + 0.15 * 0.6),
        ({"published": TODAY - timedelta(days=365)}, 0.467 - 0.05 * 0.5),
        ({"published": None}, 0.467 - 0.05 * 0.5),
        ({"credibility": 1.0}, 0.467 + 0.17 * 0.4),
    ],
)
def test_each_signal_moves_the_base_by_its_weight(changes: dict[str, Any], expected: float) -> None:
    assert derive(**changes).value == pytest.approx(expected, abs=1e-12)


# A graph score of k makes kg_norm = k here (the set spans 0 to 1), so the base grows by 0.12*k.
@pytest.mark.parametrize(
    ("changes", "expected", "boosts"),
    [
        # 0.05*min(1, kg_raw) needs kg_raw > 0 and claim_overlap >= 0.08. Entities at 0.3 keep the second boost away:
        # base = 0.467 - 0.20*0.2 = 0.427, minus 0.15*(0.4 - overlap), plus 0.12*kg_raw.
        ({"kg_raw": 0.2, "entity_overlap": 0.3}, 0.427 + 0.024 + 0.05 * 0.2, ["kg_signal_boost"]),
        (
            {"kg_raw": 0.2, "entity_overlap": 0.3, "claim_overlap": 0.08},
            0.427 - 0.15 * 0.32 + 0.024 + 0.05 * 0.2,
            ["kg_signal_boost"],
        ),
        (
            {"kg_raw": 0.2, "entity_overlap": 0.3, "claim_overlap": 0.079},
            0.427 - 0.15 * 0.321 + 0.024,
            [],
        ),
        ({"kg_raw": 0.0}, 0.467, []),
        # Above 1 the graph score counts as 1 (kg_norm is clamped too).
        ({"kg_raw": 3.0, "entity_overlap": 0.3}, 0.427 + 0.12 + 0.05, ["kg_signal_boost"]),
        # 0.10 needs kg_norm > 0, entity_overlap >= 0.34 and claim_overlap >= 0.10.
        (
            {"kg_raw": 0.2, "entity_overlap": 0.34},
            0.467 - 0.20 * 0.16 + 0.024 + 0.01 + 0.10,
            ["kg_signal_boost", "kg_entity_boost"],
        ),
        ({"kg_raw": 0.2, "entity_overlap": 0.339}, 0.467 - 0.20 * 0.161 + 0.024 + 0.01, ["kg_signal_boost"]),
        (
            {"kg_raw": 0.2, "claim_overlap": 0.10},
            0.467 - 0.15 * 0.30 + 0.024 + 0.01 + 0.10,
            ["kg_signal_boost", "kg_entity_boost"],
        ),
        ({"kg_raw": 0.2, "claim_overlap": 0.099}, 0.467 - 0.15 * 0.301 + 0.024 + 0.01, ["kg_signal_boost"]),
        # kg_raw above 0 but the smallest of its set: kg_norm is 0, so no second boost.
        ({"kg_raw": 0.2, "kg_min": 0.2}, 0.467 + 0.01, ["kg_signal_boost"]),
        # 0.08 needs a KG candidate, kg_raw >= 0.40 and anchors that pass (>= 0.20).
        (
            {"kg_raw": 0.40, "is_kg": True, "entity_overlap": 0.3},
            0.427 + 0.048 + 0.02 + 0.08,
            ["kg_signal_boost", "kg_anchor_boost"],
        ),
        (
            {"kg_raw": 0.399, "is_kg": True, "entity_overlap": 0.3},
            0.427 + 0.12 * 0.399 + 0.05 * 0.399,
            ["kg_signal_boost"],
        ),
        ({"kg_raw": 0.40, "is_kg": False, "entity_overlap": 0.3}, 0.427 + 0.048 + 0.02, ["kg_signal_boost"]),
        (
            {"kg_raw": 0.40, "is_kg": True, "entity_overlap": 0.3, "anchor_match_score": 0.20},
            0.427 + 0.048 + 0.02 + 0.08,
            ["kg_signal_boost", "kg_anchor_boost"],
        ),
        (
            {"kg_raw": 0.40, "is_kg": True, "entity_overlap": 0.3, "anchor_match_score": 0.199},
            (0.427 + 0.048 + 0.02) * 0.30,
            ["kg_signal_boost", "anchor_weak"],
        ),
        # All three at once: 0.467 + 0.12*0.4 + 0.05*0.4 + 0.10 + 0.08.
        (
            {"kg_raw": 0.40, "is_kg": True},
            0.467 + 0.048 + 0.02 + 0.10 + 0.08,
            ["kg_signal_boost", "kg_entity_boost", "kg_anchor_boost"],
        ),
    ],
)
def test_boosts_at_their_thresholds(changes: dict[str, Any], expected: float, boosts: list[str]) -> None:
    derivation = derive(**changes)
    assert derivation.value == pytest.approx(expected, abs=1e-12)
    assert names(derivation)[1:] == boosts


@pytest.mark.parametrize(
    ("changes", "factor", "step"),
    [
        ({"anchor_match_score": 0.199}, 0.70, "anchor_weak"),
        ({"anchor_match_score": 0.199, "is_kg": True}, 0.30, "anchor_weak"),
        ({"backfill": True}, 0.85, "backfill"),
        ({"object_mismatch": True}, 0.55, "object_mismatch"),
        ({"claim_focus_mismatch": True}, 0.75, "claim_focus_mismatch"),
        ({"subject_mismatch": True}, 0.60, "subject_mismatch"),
        ({"relation_object_mismatch": True}, 0.70, "relation_object_mismatch"),
        ({"relation_direction_mismatch": True}, 0.60, "relation_direction_mismatch"),
        ({"reporting_style": True}, 0.65, "claim_mention"),
        ({"low_signal": True}, 0.80, "low_signal"),
        ({"contradicts": True}, 0.90, "contradiction"),
    ],
)
def test_each_penalty_multiplies(changes: dict[str, Any], factor: float, step: str) -> None:
    derivation = derive(**changes)
    assert derivation.value == pytest.approx(BASE * factor, abs=1e-12)
    assert names(derivation)[1:] == [step]


def test_anchors_at_the_threshold_are_not_weak() -> None:
    assert derive(anchor_match_score=0.20).value == pytest.approx(BASE, abs=1e-12)
    assert derive(anchor_match_score=0.20, is_kg=True).value == pytest.approx(BASE, abs=1e-12)


def test_penalties_accumulate() -> None:
    # 0.467 * 0.70 * 0.55 * 0.60 = 0.107877, minus 0.12 for uncertainty = -0.012123, clamped to 0.
    weak: dict[str, Any] = {"anchor_match_score": 0.1, "object_mismatch": True, "subject_mismatch": True}
    assert derive(**weak).value == pytest.approx(0.467 * 0.70 * 0.55 * 0.60, abs=1e-12)
    derivation = derive(**weak, uncertain_wording=True)
    assert derivation.value == 0.0
    assert derivation.steps[-2].result == pytest.approx(-0.012123, abs=1e-12)


def test_reporting_style_is_no_fault_where_the_claim_is_about_a_belief() -> None:
    assert derive(reporting_style=True, claim_about_belief=True).value == pytest.approx(BASE, abs=1e-12)


def test_uncertain_wording_costs_only_assertive_claims() -> None:
    assert derive(uncertain_wording=True).value == pytest.approx(BASE - 0.12, abs=1e-12)
    assert derive(uncertain_wording=True, claim_assertive=False).value == pytest.approx(BASE, abs=1e-12)


# Floor: sem_norm = kg_norm = 0 and credibility >= 0.9 lift to 0.2. With entity and claim overlap 0:
# base = 0.05*1 + 0.17*0.9 = 0.203; a backfilled one has 0.203*0.85 = 0.17255, which the floor lifts.
@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"credibility": 0.90, "backfill": True}, 0.20),
        ({"credibility": 0.899, "backfill": True}, (0.05 + 0.17 * 0.899) * 0.85),
        ({"credibility": 0.95}, 0.05 + 0.17 * 0.95),  # 0.2115 already lies above the floor
        ({"credibility": 0.90, "backfill": True, "semantic": 0.01}, (0.203 + 0.0031) * 0.85),
        ({"credibility": 0.90, "backfill": True, "kg_raw": 0.01}, (0.203 + 0.0012) * 0.85),
        ({"credibility": 1.0, "subject_mismatch": True, "uncertain_wording": True}, 0.20),
    ],
)
def test_the_floor_of_credible_sources(changes: dict[str, Any], expected: float) -> None:
    plain = {"semantic": 0.0, "entity_overlap": 0.0, "claim_overlap": 0.0}
    assert derive(**(plain | changes)).value == pytest.approx(expected, abs=1e-12)


def test_the_best_candidate_is_clamped_to_one() -> None:
    # base = 1 (all signals 1), boosts 0.05 + 0.10 + 0.08: 1.23, clamped.
    best = derive(
        semantic=1.0,
        kg_raw=1.0,
        entity_overlap=1.0,
        claim_overlap=1.0,
        credibility=1.0,
        is_kg=True,
        anchor_match_score=1.0,
    )
    assert best.value == 1.0
    assert best.steps[-2].result == pytest.approx(1.23, abs=1e-12)


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.0), (365, 0.5), (730, 0.25), (1095, 0.125), (-30, 1.0), (73, 0.5**0.2)]
)
def test_recency_halves_every_year(days: int, expected: float) -> None:
    assert recency(TODAY - timedelta(days=days), TODAY, ScorePolicy()) == pytest.approx(expected, abs=1e-12)


def test_a_missing_date_counts_as_one_half_life() -> None:
    assert recency(None, TODAY, ScorePolicy()) == 0.5


@pytest.mark.parametrize(
    ("value", "low", "high", "expected"),
    [
        (0.3, 0.1, 0.5, 0.5),
        (0.1, 0.1, 0.5, 0.0),
        (0.5, 0.1, 0.5, 1.0),
        (0.7, 0.7, 0.7, 0.7),  # no spread: the value itself
        (-0.2, -0.2, -0.2, 0.0),
        (1.4, 1.4, 1.4, 1.0),
        (1e308, -1e308, 1e308, 1.0),  # the spread of these two overflows
    ],
)
def test_min_max(value: float, low: float, high: float, expected: float) -> None:
    assert min_max(value, low, high) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("kind", "weights", "expected"),
    [
        # The therapeutic weights give 0.28*0.5 + 0.18*0.5 + 0.15*0.4 + 0.07*1 + 0.22*0.6 = 0.14+0.09+0.06+0.07+0.132.
        ("therapeutic", THERAPEUTIC, 0.492),
        # The causal weights give 0.29*0.5 + 0.18*0.5 + 0.16*0.4 + 0.04*1 + 0.16*0.6 = 0.145+0.09+0.064+0.04+0.096.
        ("causal", CAUSAL, 0.435),
        # The mechanistic weights give 0.28*0.5 + 0.20*0.5 + 0.14*0.4 + 0.02*1 + 0.16*0.6 = 0.14+0.1+0.056+0.02+0.096.
        ("mechanistic", MECHANISTIC, 0.412),
    ],
)
def test_claim_types_have_weights_of_their_own(kind: str, weights: Weights, expected: float) -> None:
    assert sum(asdict(weights).values()) == pytest.approx(1.0, abs=1e-12)
    assert RankingPolicy().weights(kind) == weights  # type: ignore[arg-type]  # parametrised as plain strings
    assert derive(weights=weights, claim_type=kind).value == pytest.approx(expected, abs=1e-12)


def test_weights_that_do_not_add_up_are_refused() -> None:
    with pytest.raises(ValueError, match="six ranking weights must add up to 1"):
        Weights(w_semantic=0.32)
    with pytest.raises(ValueError, match="w_kg must lie in"):
        Weights(w_kg=-0.12)


def test_constants_outside_their_range_are_refused() -> None:
    with pytest.raises(ValueError, match="backfill_factor must lie in"):
        ScorePolicy(backfill_factor=1.5)
    with pytest.raises(ValueError, match="recency_half_life_days must be positive"):
        ScorePolicy(recency_half_life_days=0)
    with pytest.raises(ValueError, match="min_semantic must lie in"):
        FilterPolicy(min_semantic=2)
    with pytest.raises(ValueError, match="min_words must not be negative"):
        FilterPolicy(min_words=-1)


def test_the_inputs_carry_the_agreed_names() -> None:
    inputs = derive().inputs
    expected = (
        "semantic_raw sem_norm kg_raw kg_norm entity_overlap claim_overlap recency_boost credibility "
        "anchor_match_score w_semantic w_kg w_entity w_claim_overlap w_recency w_credibility semantic_min "
        "semantic_max kg_min kg_max published as_of claim_type policy"
    )
    assert set(expected.split()) <= set(inputs)


shares = st.floats(0, 1)
facts = st.fixed_dictionaries(
    {
        "semantic": st.floats(-1, 1),
        "semantic_min": st.floats(-1, 0),
        "semantic_max": st.floats(0, 1),
        "kg_raw": st.floats(0, 5),
        "kg_max": st.floats(0, 5),
        "credibility": shares,
        "entity_overlap": shares,
        "claim_overlap": shares,
        "anchor_match_score": shares,
        "published": st.none() | st.dates(date(1900, 1, 1), date(2100, 1, 1)),
        "claim_type": st.sampled_from(["general", "therapeutic", "causal", "mechanistic"]),
    }
    | {
        name: st.booleans()
        for kind in (TextFacts, SourceFacts, SetFacts)
        for name, its_type in get_type_hints(kind).items()
        if its_type is bool
    }
)


@given(facts)
def test_any_score_lies_in_bounds_and_can_be_replayed_and_recomputed(changes: dict[str, Any]) -> None:
    derivation = derive(**changes)
    assert 0.0 <= derivation.value <= 1.0
    assert replay(derivation) == pytest.approx(derivation.value, abs=1e-9)
    travelled = json.loads(json.dumps(dict(derivation.inputs)))
    again = recompute(travelled)
    assert again.value == pytest.approx(derivation.value, abs=1e-9)
    assert again == derivation


@given(facts, st.sampled_from(["object_mismatch", "subject_mismatch", "reporting_style", "low_signal", "contradicts"]))
def test_no_fault_ever_raises_a_score(changes: dict[str, Any], fault: str) -> None:
    assert derive(**(changes | {fault: True})).value <= derive(**(changes | {fault: False})).value


def test_a_recomputation_does_not_believe_what_it_can_derive() -> None:
    inputs = dict(derive().inputs) | {"sem_norm": 1.0, "recency_boost": 1.0, "kg_norm": 1.0}
    assert recompute(inputs).value == pytest.approx(BASE, abs=1e-12)


def test_a_recomputation_uses_the_recorded_constants() -> None:
    derivation = derive(policy=ScorePolicy(backfill_factor=0.5), backfill=True)
    assert recompute(derivation.inputs).value == pytest.approx(BASE * 0.5, abs=1e-12)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("semantic", float("nan"), "semantic must be a finite number"),
        ("semantic", None, "semantic must be a finite number"),
        ("credibility", 1.1, "credibility must lie in"),
        ("claim_overlap", -0.1, "claim_overlap must lie in"),
        ("w_kg", 0.5, "six ranking weights must add up to 1"),
        ("backfill", 1, "backfill must be true or false"),
        ("as_of", "yesterday", "as_of must be a date such as"),
        ("published", 5, "published must be a string"),
        ("claim_type", "poetic", "claim_type must be one of"),
        ("policy", {}, "policy must hold exactly"),
    ],
)
def test_bad_inputs_are_named(name: str, value: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        recompute(dict(derive().inputs) | {name: value})
