"""Danger, veracity, honesty and explainability of a claim or an article (002), each tracked on its own.

A source's tier moves explainability only. It is a prior on R and G where a policy asks for that, and never a clamp.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from scoring.beliefs import BeliefState, belief_from_probability
from scoring.checks import finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, constants, number, numbers, policy_from, word, words

Tier = Literal["A", "B", "C", "D", "UNKNOWN"]
NEUTRAL_PRIOR = 0.5


@dataclass(frozen=True, slots=True)
class TierPriors:
    """How reliable a class of sources is held to be before any of them is read.

    002 names the table and its baseline B, not the numbers. B at 0.8 is a good newspaper; A (primary records,
    peer-reviewed reviews) gains an eighth on it, C loses a quarter, D loses half: steps a reader can check in the
    head. An ungraded source is neutral, so with priors switched on it moves neither R nor G.
    """

    a: float = 0.9
    b: float = 0.8
    c: float = 0.6
    d: float = 0.4
    unknown: float = NEUTRAL_PRIOR

    def __post_init__(self) -> None:
        for name in ("a", "b", "c", "d", "unknown"):
            unit(f"tier prior {name}", getattr(self, name))
        if self.b == 0.0:
            raise ValueError("tier prior b is the baseline and must be positive")

    def of(self, tier: str | None) -> float:
        """The prior of a tier; no tier is the tier UNKNOWN."""
        name = tier or "UNKNOWN"
        if name not in ("A", "B", "C", "D", "UNKNOWN"):
            raise ValueError(f"tier must be one of A, B, C, D, UNKNOWN, got {tier!r}")
        return float(getattr(self, name.lower()))


@dataclass(frozen=True, slots=True)
class RgbaPolicy:
    """Tier priors on R and G are off unless a policy turns them on; the factor on A always applies."""

    tier_priors: TierPriors = field(default_factory=TierPriors)
    use_tier_priors: bool = False


DEFAULT = RgbaPolicy()


@dataclass(frozen=True, slots=True)
class Rgba:
    """The four dimensions as numbers from 0 to 1. None of them is a calibrated probability."""

    r: float
    g: float
    b: float
    a: float

    def __post_init__(self) -> None:
        for name in ("r", "g", "b", "a"):
            unit(name, getattr(self, name))


@dataclass(frozen=True, slots=True)
class RgbaBelief:
    """The four dimensions as beliefs, so that evidence about one moves that one only."""

    danger: BeliefState
    veracity: BeliefState
    honesty: BeliefState
    explainability: BeliefState

    @property
    def rgba(self) -> Rgba:
        return Rgba(
            r=self.danger.probability,
            g=self.veracity.probability,
            b=self.honesty.probability,
            a=self.explainability.probability,
        )


def prior_belief(tier: Tier | None, policy: RgbaPolicy = DEFAULT) -> RgbaBelief:
    """Where the four beliefs start: neutral, or R and G by the source's tier if the policy says so."""
    prior = policy.tier_priors.of(tier) if policy.use_tier_priors else NEUTRAL_PRIOR
    neutral = belief_from_probability(NEUTRAL_PRIOR)
    return RgbaBelief(
        danger=belief_from_probability(1.0 - prior),
        veracity=belief_from_probability(prior),
        honesty=neutral,
        explainability=neutral,
    )


@dataclass(frozen=True, slots=True)
class TierFactor:
    """What the trace event `verdict.explainability_tier_factor` carries, and the dimensions after it."""

    rgba: Rgba
    pre_a: float
    prior: float
    baseline: float
    factor: float
    post_a: float
    best_tier: Tier
    derivation: Derivation


def apply_tier_factor(rgba: Rgba, best_tier: Tier | None, policy: RgbaPolicy = DEFAULT) -> TierFactor:
    """A_post = clamp(A_pre * prior / baseline). R, G and B come out as they went in."""
    tier: Tier = best_tier or "UNKNOWN"
    derivation = recompute_tier_factor({"pre_A": rgba.a, "best_tier": tier, "policy": constants(policy.tier_priors)})
    prior, baseline = policy.tier_priors.of(tier), policy.tier_priors.of("B")
    return TierFactor(
        rgba=replace(rgba, a=derivation.value),
        pre_a=rgba.a,
        prior=prior,
        baseline=baseline,
        factor=prior / baseline,
        post_a=derivation.value,
        best_tier=tier,
        derivation=derivation,
    )


def recompute_tier_factor(inputs: Inputs) -> Derivation:
    """Explainability after the tier factor, from its inputs alone."""
    priors = policy_from(TierPriors, inputs)
    record = Recorder(**inputs)
    record.set("pre_A", unit("pre_A", number(inputs, "pre_A")))
    record.multiply("tier_factor", priors.of(word(inputs, "best_tier")) / priors.of("B"))
    record.clamp()
    return record.derivation()


@dataclass(frozen=True, slots=True)
class ClaimRgba:
    """One claim's share in its article; `weight` is how much the article depends on it."""

    id: str
    rgba: Rgba
    weight: float = 1.0

    def __post_init__(self) -> None:
        if finite(f"weight of {self.id}", self.weight) <= 0:
            raise ValueError(f"weight of {self.id} must be positive, got {self.weight!r}")


@dataclass(frozen=True, slots=True)
class ArticleRgba:
    """The article's four dimensions, each with its derivation under R, G, B, A."""

    rgba: Rgba
    derivations: Mapping[str, Derivation]


def article_rgba(claims: Sequence[ClaimRgba]) -> ArticleRgba:
    """G, B and A are weighted means over the claims; R is the most dangerous claim, which a mean would hide."""
    if not claims:
        raise ValueError("an article without claims has no RGBA; extract claims first")
    if len({claim.id for claim in claims}) != len(claims):
        raise ValueError("claim ids must be unique")
    columns: dict[str, Inputs] = {
        "R": {"values": tuple(claim.rgba.r for claim in claims)},
        "G": {"values": tuple(claim.rgba.g for claim in claims)},
        "B": {"values": tuple(claim.rgba.b for claim in claims)},
        "A": {"values": tuple(claim.rgba.a for claim in claims)},
    }
    shared: Inputs = {
        "claims": tuple(claim.id for claim in claims),
        "weights": tuple(claim.weight for claim in claims),
    }
    derivations = {
        dimension: recompute_article_dimension({"dimension": dimension, **shared, **column})
        for dimension, column in columns.items()
    }
    r, g, b, a = (derivation.value for derivation in derivations.values())
    return ArticleRgba(rgba=Rgba(r=r, g=g, b=b, a=a), derivations=derivations)


def recompute_article_dimension(inputs: Inputs) -> Derivation:
    """One dimension of an article from its inputs alone."""
    names, values, weights = words(inputs, "claims"), numbers(inputs, "values"), numbers(inputs, "weights")
    total = finite("sum of weights", sum(weights))
    highest = word(inputs, "dimension") == "R"
    record = Recorder(**inputs)
    record.set("least", 0.0)
    for name, value, weight in zip(names, values, weights, strict=True):
        unit(f"value of {name}", value)
        if highest:
            record.floor(f"claim:{name}", value)
        else:
            record.add(f"claim:{name}", value * (weight / total))
    record.clamp()
    return record.derivation()
