"""k* against exhaustive search, the bounds of each budget class, the forced anchor and the reasons for deferral."""

import json
import math
from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.target_selection import (
    Bounds,
    BudgetClass,
    ClaimSignals,
    TargetPolicy,
    claim_evoi,
    optimal_target_count,
    recompute_claim_evoi,
    recompute_net_value,
    select_targets,
)

units = st.floats(0, 1)
PLAIN = TargetPolicy(decay=1.0)


def claim(name: str, worth: float = 1.0, prior: float = 0.5) -> ClaimSignals:
    """A claim whose EVOI is its worth times its entropy: full harm, no metadata."""
    return ClaimSignals(name, prior=prior, check_worthiness=worth, harm_potential=1.0, metadata_confidence=0.0)


def claims(*worths: float) -> list[ClaimSignals]:
    return [claim(f"c{i:02}", worth) for i, worth in enumerate(worths, start=1)]


@st.composite
def claim_lists(draw: st.DrawFn) -> list[ClaimSignals]:
    names = draw(st.lists(st.sampled_from("abcdefghij"), unique=True, max_size=8))
    return [ClaimSignals(name, draw(units), draw(units), draw(units), draw(units)) for name in names]


@pytest.mark.parametrize(
    ("signals", "evoi"),
    [
        (ClaimSignals("x", 0.5, 1.0, 1.0, 0.0), 1.0),  # the unit of the scale
        (ClaimSignals("x", 0.5, 0.4, 1.0, 0.0), 0.4),  # worthiness is a factor
        (ClaimSignals("x", 0.5, 1.0, 0.0, 0.0), 0.5),  # a harmless claim keeps half
        (ClaimSignals("x", 0.5, 1.0, 0.5, 0.0), 0.75),
        (ClaimSignals("x", 0.5, 1.0, 1.0, 1.0), 0.5),  # certain metadata halve it
        (ClaimSignals("x", 0.9, 1.0, 1.0, 0.0), 0.4689955935892812),  # H(0.9)
        (ClaimSignals("x", 1.0, 1.0, 1.0, 0.0), 0.0),  # nothing left to learn
        (ClaimSignals("x", 0.5, 0.8, 0.5, 0.5), 0.45),  # 1 * 0.8 * 0.75 * 0.75
    ],
)
def test_evoi_of_a_claim_is_the_product_of_its_signals(signals: ClaimSignals, evoi: float) -> None:
    assert claim_evoi(signals).value == pytest.approx(evoi)


@pytest.mark.parametrize(
    ("values", "policy", "k"),
    [
        ([1.0] * 30, TargetPolicy(), 14),  # 0.85^14 = 0.1028 is worth the cost of 0.1, 0.85^15 = 0.0874 is not
        ([1.0] * 30, TargetPolicy(cost=0.0), 18),  # 0.85^18 = 0.0536 passes the threshold of 0.05, 0.85^19 does not
        ([], TargetPolicy(), 0),
        ([0.1], PLAIN, 1),  # at its cost
        ([0.0999], PLAIN, 0),
        ([0.1001], PLAIN, 1),
        ([0.05], TargetPolicy(decay=1.0, cost=0.0), 1),  # at the threshold
        ([0.0499], TargetPolicy(decay=1.0, cost=0.0), 0),
        ([0.0501], TargetPolicy(decay=1.0, cost=0.0), 1),
        ([0.2, 0.2, 0.05], PLAIN, 2),
    ],
)
def test_k_star_stops_at_the_first_target_below_cost_or_threshold(
    values: list[float], policy: TargetPolicy, k: int
) -> None:
    assert optimal_target_count(values, policy) == k


def objective(values: Sequence[float], policy: TargetPolicy) -> float:
    return sum(value * policy.decay**i for i, value in enumerate(values, start=1)) - policy.cost * len(values)


@given(st.lists(units, max_size=5), st.floats(0, 1), st.floats(0.1, 1))
def test_no_choice_and_no_order_of_claims_beats_k_star(values: list[float], cost: float, decay: float) -> None:
    policy = TargetPolicy(cost=cost, decay=decay, min_marginal_evoi=0.0)
    ranked = sorted(values, reverse=True)
    chosen = ranked[: optimal_target_count(ranked, policy)]
    everything = (order for k in range(len(values) + 1) for order in permutations(values, k))
    assert objective(chosen, policy) == pytest.approx(max(objective(o, policy) for o in everything), abs=1e-12)


@given(st.lists(units, max_size=8), st.floats(0, 0.3), st.floats(0, 0.3))
def test_k_star_is_the_best_count_among_those_above_the_threshold(
    values: list[float], cost: float, threshold: float
) -> None:
    policy = TargetPolicy(cost=cost, min_marginal_evoi=threshold)
    ranked = sorted(values, reverse=True)
    allowed = [
        k
        for k in range(len(ranked) + 1)
        if all(value * policy.decay**i >= threshold for i, value in enumerate(ranked[:k], start=1))
    ]
    best = max(objective(ranked[:k], policy) for k in allowed)
    k_star = optimal_target_count(ranked, policy)
    assert k_star in allowed
    assert objective(ranked[:k_star], policy) == pytest.approx(best, abs=1e-12)


@pytest.mark.parametrize(
    ("budget", "count", "k"),
    [
        (BudgetClass.MINIMAL, 30, 3),
        (BudgetClass.STANDARD, 30, 5),
        (BudgetClass.DEEP, 30, 14),  # the ceiling of 30 lies beyond k*
        (BudgetClass.STANDARD, 4, 4),
        (BudgetClass.STANDARD, 5, 5),
        (BudgetClass.STANDARD, 6, 5),
        (BudgetClass.STANDARD, 1, 1),  # a floor cannot ask for claims that are not there
        (BudgetClass.DEEP, 0, 0),
    ],
)
def test_a_budget_class_caps_the_targets(budget: BudgetClass, count: int, k: int) -> None:
    selection = select_targets(claims(*[1.0] * count), budget)
    assert selection.k == k
    assert set(selection.targets.values()) <= {"worth_its_cost"}
    assert len(selection.deferred) == count - k


@pytest.mark.parametrize(("budget", "k"), [(BudgetClass.MINIMAL, 1), (BudgetClass.STANDARD, 2), (BudgetClass.DEEP, 3)])
def test_the_floor_searches_even_what_is_worth_little(budget: BudgetClass, k: int) -> None:
    selection = select_targets(claims(*[0.01] * 6), budget)
    assert selection.optimal_k == 0
    assert list(selection.targets.items()) == [(f"c{i:02}", "budget_floor") for i in range(1, k + 1)]
    assert set(selection.deferred.values()) == {"below_min_evoi"}


def test_deferred_claims_say_which_rule_deferred_them() -> None:
    # marginal values without decay: 1, 1, 0.9 | 0.8 beyond the ceiling, 0.07 below the cost, 0.02 below the threshold
    selection = select_targets(claims(1.0, 1.0, 0.9, 0.8, 0.07, 0.02), BudgetClass.MINIMAL, policy=PLAIN)
    assert selection.optimal_k == 4
    assert list(selection.targets) == ["c01", "c02", "c03"]
    assert selection.deferred == {"c04": "ceiling_reached", "c05": "below_marginal_cost", "c06": "below_min_evoi"}
    assert selection.net_value.value == pytest.approx(2.6)  # 2.9 - 3 * 0.1


def test_a_deferred_claim_is_measured_at_the_rank_it_would_have_had() -> None:
    # fourth in line: 0.18 * 0.85^4 = 0.094 is below the cost of 0.1; third it would have been worth 0.1105
    selection = select_targets(claims(1.0, 1.0, 1.0, 0.18), BudgetClass.MINIMAL)
    assert selection.deferred == {"c04": "below_marginal_cost"}


def test_a_claim_about_which_nothing_is_known_has_middling_signals() -> None:
    assert claim_evoi(ClaimSignals("x")).value == pytest.approx(0.28125)  # 1 * 0.5 * 0.75 * 0.75


def test_the_anchor_takes_the_last_place_if_it_did_not_earn_one() -> None:
    selection = select_targets(claims(1.0, 0.9, 0.8, 0.01), BudgetClass.MINIMAL, anchor="c04")
    assert selection.anchor_forced
    assert selection.targets == {"c01": "worth_its_cost", "c02": "worth_its_cost", "c04": "anchor_forced"}
    assert selection.deferred == {"c03": "displaced_by_anchor"}
    # 1.0 * 0.85 + 0.9 * 0.7225 + 0.01 * 0.614125 - 3 * 0.1
    assert selection.net_value.value == pytest.approx(1.20639125)


def test_an_anchor_that_earned_its_place_is_not_forced() -> None:
    selection = select_targets(claims(1.0, 0.9), anchor="c02")
    assert not selection.anchor_forced
    assert selection.targets["c02"] == "worth_its_cost"


def test_a_floor_may_be_its_ceiling() -> None:
    policy = TargetPolicy(minimal_floor=3)
    assert select_targets(claims(1.0, 0.0, 0.0, 0.0), BudgetClass.MINIMAL, policy=policy).k == 3


def test_ties_go_to_the_smaller_id() -> None:
    tied = [claim(name) for name in ("d", "b", "c", "a")]
    assert list(select_targets(tied, BudgetClass.MINIMAL).targets) == ["a", "b", "c"]


@given(claim_lists(), st.sampled_from(BudgetClass), st.data())
def test_every_claim_is_a_target_or_deferred_and_the_order_of_the_claims_does_not_matter(
    signals: list[ClaimSignals], budget: BudgetClass, data: st.DataObject
) -> None:
    anchor = data.draw(st.sampled_from([None, *(signal.id for signal in signals)]))
    selection = select_targets(signals, budget, anchor)
    bounds = TargetPolicy().bounds(budget)
    assert min(bounds.floor, len(signals)) <= selection.k <= bounds.ceiling
    assert sorted([*selection.targets, *selection.deferred]) == sorted(signal.id for signal in signals)
    assert anchor is None or anchor in selection.targets
    assert select_targets(data.draw(st.permutations(signals)), budget, anchor).targets == selection.targets
    assert replay(selection.net_value) == pytest.approx(selection.net_value.value, abs=1e-9)
    assert recompute_net_value(json.loads(json.dumps(selection.net_value.inputs))).steps == selection.net_value.steps
    values = [selection.evoi[name].value for name in selection.targets]
    assert selection.net_value.value == pytest.approx(objective(values, TargetPolicy()), abs=1e-9)


@given(claim_lists())
def test_evoi_is_between_nothing_and_the_unit_and_can_be_recomputed(signals: list[ClaimSignals]) -> None:
    for signal in signals:
        derivation = claim_evoi(signal)
        assert 0.0 <= derivation.value <= 1.0
        assert replay(derivation) == pytest.approx(derivation.value, abs=1e-9)
        assert recompute_claim_evoi(json.loads(json.dumps(derivation.inputs))) == derivation


@pytest.mark.parametrize("field", ["prior", "check_worthiness", "harm_potential", "metadata_confidence"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
def test_signals_outside_the_unit_interval_are_refused_by_name(field: str, bad: float) -> None:
    with pytest.raises(ValueError, match=f"{field} of x"):
        ClaimSignals("x", **{field: bad})


def test_bad_ids_bounds_and_policies_are_refused() -> None:
    with pytest.raises(ValueError, match="unique"):
        select_targets([claim("a"), claim("a")])
    with pytest.raises(ValueError, match="anchor 'b'"):
        select_targets([claim("a")], anchor="b")
    with pytest.raises(ValueError, match="floor"):
        Bounds(0, 3)
    with pytest.raises(ValueError, match="floor"):
        Bounds(4, 3)
    with pytest.raises(ValueError, match="floor"):
        TargetPolicy(deep_floor=31)
    with pytest.raises(ValueError, match="cost"):
        TargetPolicy(cost=-1.0)
    with pytest.raises(ValueError, match="decay"):
        TargetPolicy(decay=math.nan)
