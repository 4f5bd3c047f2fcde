"""Expected value of information, and with it how many pages to extract for one claim (002).

Which claims are searched at all is decided in `target_selection`, with the same entropy.
"""

import math
from dataclasses import dataclass
from typing import Literal

from scoring.checks import finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, constants, count, number, policy_from


def bernoulli_entropy(p: float) -> float:
    """Shannon entropy of one yes-or-no question in bits: 1 at p = 0.5, 0 at certainty."""
    unit("p", p)
    return sum(-q * math.log2(q) for q in (p, 1.0 - p) if q > 0.0)


@dataclass(frozen=True, slots=True)
class ExtractBudgetPolicy:
    """The extraction budget of 002, and the two numbers it leaves open."""

    marginal_cost_per_extract: float = 0.5
    diminishing_returns_decay: float = 0.85
    min_extracts: int = 2
    max_extracts: int = 12
    sufficiency_discount: float = 0.5
    # Settling a coin-flip claim for certain is worth four extractions at marginal cost. An even hit rate then
    # pays for five or six pages, an unbroken run of hits for eight, and two misses end it at the minimum.
    value: float = 2.0
    # Laplace's prior on the chance that a page yields a usable quote: one imagined hit, one imagined miss.
    prior_hits: float = 1.0
    prior_misses: float = 1.0

    def __post_init__(self) -> None:
        for name in ("marginal_cost_per_extract", "value", "prior_hits", "prior_misses"):
            if finite(name, getattr(self, name)) <= 0:
                raise ValueError(f"{name} must be positive, got {getattr(self, name)!r}")
        unit("diminishing_returns_decay", self.diminishing_returns_decay)
        unit("sufficiency_discount", self.sufficiency_discount)
        if not 0 <= self.min_extracts <= self.max_extracts:
            raise ValueError(
                f"min_extracts must lie between 0 and max_extracts, got {self.min_extracts} and {self.max_extracts}"
            )


@dataclass(frozen=True, slots=True)
class ExtractHistory:
    """What extracting has yielded so far. Each claim has its own, and inline sources have theirs."""

    extracts: int = 0
    hits: int = 0

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.extracts:
            raise ValueError(f"hits must lie between 0 and extracts, got {self.hits} of {self.extracts}")

    def after(self, *, hit: bool) -> "ExtractHistory":
        return ExtractHistory(extracts=self.extracts + 1, hits=self.hits + int(hit))


ExtractReason = Literal["min_extracts", "worth_its_cost", "below_marginal_cost", "max_extracts"]


@dataclass(frozen=True, slots=True)
class ExtractDecision:
    """Whether to extract one more page, why, and what it was expected to be worth."""

    proceed: bool
    reason: ExtractReason
    evoi: Derivation


DEFAULT = ExtractBudgetPolicy()


def extract_evoi(
    belief: float, history: ExtractHistory, sufficiency: float, policy: ExtractBudgetPolicy = DEFAULT
) -> Derivation:
    """EVOI(next) = value * entropy * posterior_mean * decay * (1 - 0.5 * sufficiency); decay compounds per page."""
    return recompute_extract_evoi(
        {
            "belief": belief,
            "extracts": history.extracts,
            "hits": history.hits,
            "sufficiency": sufficiency,
            "policy": constants(policy),
        }
    )


def recompute_extract_evoi(inputs: Inputs) -> Derivation:
    """What one more page is worth, from its inputs alone."""
    policy = policy_from(ExtractBudgetPolicy, inputs)
    extracts, hits = count(inputs, "extracts"), count(inputs, "hits")
    belief, sufficiency = (unit(name, number(inputs, name)) for name in ("belief", "sufficiency"))
    trials = policy.prior_hits + policy.prior_misses + extracts
    record = Recorder(**inputs)
    record.set("value", policy.value)
    record.multiply("entropy", bernoulli_entropy(belief))
    record.multiply("posterior_mean", (policy.prior_hits + hits) / trials)
    record.multiply("decay", policy.diminishing_returns_decay**extracts)
    record.multiply("sufficiency", 1.0 - policy.sufficiency_discount * sufficiency)
    return record.derivation()


def decide_extract(
    belief: float, history: ExtractHistory, sufficiency: float, policy: ExtractBudgetPolicy = DEFAULT
) -> ExtractDecision:
    """The two bounds come first; between them a page is extracted while it is worth its marginal cost."""
    evoi = extract_evoi(belief, history, sufficiency, policy)
    if history.extracts >= policy.max_extracts:
        return ExtractDecision(proceed=False, reason="max_extracts", evoi=evoi)
    if history.extracts < policy.min_extracts:
        return ExtractDecision(proceed=True, reason="min_extracts", evoi=evoi)
    if evoi.value >= policy.marginal_cost_per_extract:
        return ExtractDecision(proceed=True, reason="worth_its_cost", evoi=evoi)
    return ExtractDecision(proceed=False, reason="below_marginal_cost", evoi=evoi)


def worthwhile_extracts(
    belief: float, history: ExtractHistory, sufficiency: float, policy: ExtractBudgetPolicy = DEFAULT, *, most: int
) -> int:
    """How many of the next `most` pages may be fetched together: those that are worth it if each hits as expected.

    Fetched together nothing is learned between them, so the hit rate stays what it is and only the decay compounds.
    """
    first = extract_evoi(belief, history, sufficiency, policy).value
    for ahead in range(most):
        extracts = history.extracts + ahead
        if extracts >= policy.max_extracts:
            return ahead
        worth = first * policy.diminishing_returns_decay**ahead >= policy.marginal_cost_per_extract
        if extracts >= policy.min_extracts and not worth:
            return ahead
    return most
