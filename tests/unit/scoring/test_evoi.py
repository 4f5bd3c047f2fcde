"""The extraction budget of 002: worth against cost, between a minimum and a maximum."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.derivation import replay
from scoring.evoi import (
    ExtractBudgetPolicy,
    ExtractHistory,
    ExtractReason,
    bernoulli_entropy,
    decide_extract,
    extract_evoi,
    recompute_extract_evoi,
)

units = st.floats(0, 1)


@st.composite
def histories(draw: st.DrawFn) -> ExtractHistory:
    extracts = draw(st.integers(0, 20))
    return ExtractHistory(extracts, draw(st.integers(0, extracts)))


@pytest.mark.parametrize(
    ("p", "bits"),
    [(0.5, 1.0), (0.0, 0.0), (1.0, 0.0), (0.25, 0.8112781244591328), (0.9, 0.4689955935892812)],
)
def test_entropy_is_one_bit_at_a_coin_flip_and_none_at_certainty(p: float, bits: float) -> None:
    assert bernoulli_entropy(p) == pytest.approx(bits)


@pytest.mark.parametrize(
    ("belief", "extracts", "hits", "sufficiency", "evoi"),
    [
        (0.5, 0, 0, 0.0, 1.0),  # 2 * 1 * 1/2 * 1 * 1
        (0.5, 1, 1, 0.0, 2 * (2 / 3) * 0.85),
        (0.5, 2, 0, 0.0, 0.36125),  # 2 * 1/4 * 0.7225
        (0.5, 4, 2, 0.0, 0.52200625),  # 2 * 1/2 * 0.85^4
        (0.5, 4, 2, 0.1, 0.4959059375),  # and 5 % less, since a tenth of what is needed is there
        (0.5, 0, 0, 1.0, 0.5),  # full sufficiency halves it
        (0.9, 0, 0, 0.0, 0.4689955935892812),  # H(0.9): the less open the question, the less an answer is worth
        (1.0, 0, 0, 0.0, 0.0),
    ],
)
def test_evoi_is_value_times_entropy_times_hit_rate_times_decay_times_what_is_missing(
    belief: float, extracts: int, hits: int, sufficiency: float, evoi: float
) -> None:
    assert extract_evoi(belief, ExtractHistory(extracts, hits), sufficiency).value == pytest.approx(evoi)


@pytest.mark.parametrize(
    ("belief", "extracts", "hits", "proceed", "reason"),
    [
        (1.0, 1, 0, True, "min_extracts"),  # worth nothing, but the minimum is not reached
        (1.0, 2, 0, False, "below_marginal_cost"),
        (0.5, 2, 0, False, "below_marginal_cost"),  # two misses end it
        (0.5, 4, 2, True, "worth_its_cost"),
        (0.5, 7, 7, True, "worth_its_cost"),  # 2 * 8/9 * 0.85^7 = 0.5699
        (0.5, 8, 8, False, "below_marginal_cost"),  # 2 * 9/10 * 0.85^8 = 0.4905
    ],
)
def test_extraction_goes_on_while_it_is_worth_its_cost(
    belief: float, extracts: int, hits: int, proceed: bool, reason: ExtractReason
) -> None:
    decision = decide_extract(belief, ExtractHistory(extracts, hits), 0.0)
    assert (decision.proceed, decision.reason) == (proceed, reason)


@pytest.mark.parametrize(("value", "proceed"), [(1.999, False), (2.0, True), (2.001, True)])
def test_a_page_worth_exactly_its_cost_is_extracted(value: float, proceed: bool) -> None:
    # without decay, at an even hit rate and full sufficiency: value * 1 * 0.5 * 0.5 against 0.5
    policy = ExtractBudgetPolicy(value=value, diminishing_returns_decay=1.0)
    assert decide_extract(0.5, ExtractHistory(2, 1), 1.0, policy).proceed is proceed


def test_twelve_extractions_are_the_ceiling_whatever_one_more_is_worth() -> None:
    rich = ExtractBudgetPolicy(value=1_000.0)
    assert decide_extract(0.5, ExtractHistory(11, 11), 0.0, rich).reason == "worth_its_cost"
    assert decide_extract(0.5, ExtractHistory(12, 12), 0.0, rich).reason == "max_extracts"
    assert decide_extract(0.5, ExtractHistory(13, 13), 0.0, rich).proceed is False


def test_minimum_and_maximum_may_coincide() -> None:
    fixed = ExtractBudgetPolicy(min_extracts=3, max_extracts=3)
    assert [decide_extract(1.0, ExtractHistory(n, 0), 1.0, fixed).proceed for n in (2, 3)] == [True, False]


def test_a_history_grows_by_value_so_that_claims_cannot_share_one() -> None:
    start = ExtractHistory()
    assert start.after(hit=True).after(hit=False) == ExtractHistory(extracts=2, hits=1)
    assert start == ExtractHistory(0, 0)


@given(units, histories(), units)
def test_evoi_is_bounded_and_can_be_recomputed(belief: float, history: ExtractHistory, sufficiency: float) -> None:
    derivation = extract_evoi(belief, history, sufficiency)
    assert 0.0 <= derivation.value <= ExtractBudgetPolicy().value
    assert replay(derivation) == pytest.approx(derivation.value, abs=1e-9)
    assert recompute_extract_evoi(json.loads(json.dumps(derivation.inputs))) == derivation
    by_hand = (
        2.0
        * bernoulli_entropy(belief)
        * ((1 + history.hits) / (2 + history.extracts))
        * 0.85**history.extracts
        * (1 - 0.5 * sufficiency)
    )
    assert derivation.value == pytest.approx(by_hand, abs=1e-9)


@given(units, histories())
def test_more_sufficiency_never_makes_a_page_worth_more(belief: float, history: ExtractHistory) -> None:
    assert extract_evoi(belief, history, 1.0).value <= extract_evoi(belief, history, 0.0).value


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
def test_numbers_outside_their_range_are_refused_by_name(bad: float) -> None:
    with pytest.raises(ValueError, match="belief"):
        extract_evoi(bad, ExtractHistory(), 0.0)
    with pytest.raises(ValueError, match="sufficiency"):
        extract_evoi(0.5, ExtractHistory(), bad)
    with pytest.raises(ValueError, match="p must"):
        bernoulli_entropy(bad)


@pytest.mark.parametrize(
    ("field", "value"), [("value", 0.0), ("marginal_cost_per_extract", math.nan), ("diminishing_returns_decay", 1.5)]
)
def test_a_policy_that_makes_no_sense_is_refused(field: str, value: Any) -> None:
    with pytest.raises(ValueError, match=field):
        replace(ExtractBudgetPolicy(), **{field: value})


def test_bounds_and_histories_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(ValueError, match="min_extracts"):
        ExtractBudgetPolicy(min_extracts=13)
    with pytest.raises(ValueError, match="hits"):
        ExtractHistory(extracts=1, hits=2)
