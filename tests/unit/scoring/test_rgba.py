"""RGBA: priors, the tier factor on A alone, and the article as a whole."""

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.beliefs import belief_from_probability, belief_verdict
from scoring.derivation import replay
from scoring.rgba import (
    ClaimRgba,
    Rgba,
    RgbaPolicy,
    Tier,
    TierPriors,
    apply_tier_factor,
    article_rgba,
    prior_belief,
    recompute_article_dimension,
    recompute_tier_factor,
)

units = st.floats(0, 1)
tiers = st.sampled_from(["A", "B", "C", "D", "UNKNOWN", None])
WITH_PRIORS = RgbaPolicy(use_tier_priors=True)


@pytest.mark.parametrize(
    ("tier", "pre_a", "factor", "post_a"),
    [
        ("A", 0.6, 1.125, 0.675),  # 0.9 / 0.8
        ("B", 0.6, 1.0, 0.6),  # the baseline changes nothing
        ("C", 0.6, 0.75, 0.45),  # 0.6 / 0.8
        ("D", 0.6, 0.5, 0.3),  # 0.4 / 0.8
        ("UNKNOWN", 0.6, 0.625, 0.375),  # 0.5 / 0.8
        (None, 0.6, 0.625, 0.375),
        ("A", 0.88, 1.125, 0.99),  # just below the clamp
        ("A", 8 / 9, 1.125, 1.0),  # at it
        ("A", 0.9, 1.125, 1.0),  # 1.0125 is clamped
        ("D", 0.0, 0.5, 0.0),
    ],
)
def test_the_tier_factor_is_prior_over_baseline(tier: Tier | None, pre_a: float, factor: float, post_a: float) -> None:
    result = apply_tier_factor(Rgba(0.1, 0.2, 0.3, pre_a), tier)
    assert result.factor == pytest.approx(factor)
    assert result.post_a == result.rgba.a == pytest.approx(post_a)
    assert (result.pre_a, result.baseline, result.best_tier) == (pre_a, 0.8, tier or "UNKNOWN")


@given(units, units, units, units, tiers)
def test_the_tier_factor_never_changes_veracity_danger_honesty_or_the_verdict(
    r: float, g: float, b: float, a: float, tier: Tier | None
) -> None:
    before = Rgba(r, g, b, a)
    after = apply_tier_factor(before, tier)
    assert (after.rgba.r, after.rgba.g, after.rgba.b) == (r, g, b)
    assert belief_verdict(belief_from_probability(after.rgba.g)) is belief_verdict(belief_from_probability(g))
    assert 0.0 <= after.rgba.a <= 1.0
    assert replay(after.derivation) == pytest.approx(after.post_a, abs=1e-9)
    assert recompute_tier_factor(json.loads(json.dumps(after.derivation.inputs))) == after.derivation
    assert min(a * after.prior / after.baseline, 1.0) == pytest.approx(after.post_a, abs=1e-9)


@given(tiers)
def test_without_tier_priors_every_dimension_starts_neutral(tier: Tier | None) -> None:
    assert prior_belief(tier).rgba == Rgba(0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("tier", "r", "g"), [("A", 0.1, 0.9), ("B", 0.2, 0.8), ("C", 0.4, 0.6), ("D", 0.6, 0.4), (None, 0.5, 0.5)]
)
def test_with_tier_priors_veracity_is_the_tier_and_danger_its_inverse(tier: Tier | None, r: float, g: float) -> None:
    prior = prior_belief(tier, WITH_PRIORS).rgba
    assert [prior.r, prior.g] == pytest.approx([r, g])
    assert (prior.b, prior.a) == (0.5, 0.5)


def test_an_article_is_as_dangerous_as_its_worst_claim_and_otherwise_the_weighted_mean() -> None:
    article = article_rgba(
        [ClaimRgba("a", Rgba(0.1, 0.9, 0.8, 0.6), weight=3.0), ClaimRgba("b", Rgba(0.7, 0.1, 0.4, 0.2), weight=1.0)]
    )
    assert article.rgba.r == 0.7
    assert article.rgba.g == pytest.approx(0.7)  # (3 * 0.9 + 0.1) / 4
    assert article.rgba.b == pytest.approx(0.7)  # (3 * 0.8 + 0.4) / 4
    assert article.rgba.a == pytest.approx(0.5)  # (3 * 0.6 + 0.2) / 4


@given(st.lists(st.tuples(units, units, units, units, st.floats(1e-3, 1e3)), min_size=1, max_size=6))
def test_an_article_lies_between_its_claims_and_can_be_recomputed(
    rows: list[tuple[float, float, float, float, float]],
) -> None:
    article = article_rgba([ClaimRgba(str(i), Rgba(*row[:4]), row[4]) for i, row in enumerate(rows)])
    for index, name in enumerate(("r", "g", "b", "a")):
        values = [row[index] for row in rows]
        assert min(values) - 1e-9 <= getattr(article.rgba, name) <= max(values) + 1e-9
        derivation = article.derivations[name.upper()]
        assert replay(derivation) == pytest.approx(getattr(article.rgba, name), abs=1e-9)
        assert recompute_article_dimension(json.loads(json.dumps(derivation.inputs))).steps == derivation.steps


@pytest.mark.parametrize("bad", [math.nan, math.inf, -0.1, 1.1])
@pytest.mark.parametrize("field", ["r", "g", "b", "a"])
def test_a_dimension_outside_the_unit_interval_is_refused_by_name(field: str, bad: float) -> None:
    with pytest.raises(ValueError, match=field):
        Rgba(**({"r": 0.5, "g": 0.5, "b": 0.5, "a": 0.5} | {field: bad}))


def test_bad_tiers_priors_and_weights_are_refused() -> None:
    with pytest.raises(ValueError, match="tier must be one of A, B, C, D, UNKNOWN"):
        apply_tier_factor(Rgba(0.5, 0.5, 0.5, 0.5), "E")  # type: ignore[arg-type]  # what a feed may send
    with pytest.raises(ValueError, match="tier prior b"):
        TierPriors(b=0.0)
    with pytest.raises(ValueError, match="tier prior c"):
        TierPriors(c=math.nan)
    with pytest.raises(ValueError, match="weight of x"):
        ClaimRgba("x", Rgba(0.5, 0.5, 0.5, 0.5), weight=0.0)
    with pytest.raises(ValueError, match="extract claims first"):
        article_rgba([])
    with pytest.raises(ValueError, match="unique"):
        article_rgba([ClaimRgba("x", Rgba(0.5, 0.5, 0.5, 0.5))] * 2)
    with pytest.raises(ValueError, match="sum of weights"):
        article_rgba([ClaimRgba(name, Rgba(0.5, 0.5, 0.5, 0.5), weight=1e308) for name in "xy"])
