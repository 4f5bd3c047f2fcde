"""Which claims of an article are searched for: k* by expected value of information, within a budget class (002).

This decides where retrieval is spent, never what is true. Deferred claims share the evidence of the others.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

from scoring.checks import finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.evoi import bernoulli_entropy
from scoring.inputs import Inputs, constants, number, numbers, policy_from, words


class BudgetClass(StrEnum):
    """How much an article may cost: bounds on the number of claims that are searched."""

    MINIMAL = "minimal"
    STANDARD = "standard"
    DEEP = "deep"


@dataclass(frozen=True, slots=True)
class Bounds:
    """At least `floor` targets (if there are that many claims), at most `ceiling`."""

    floor: int
    ceiling: int

    def __post_init__(self) -> None:
        if not 1 <= self.floor <= self.ceiling:
            raise ValueError(f"a floor must lie between 1 and its ceiling, got {self.floor} and {self.ceiling}")


@dataclass(frozen=True, slots=True)
class TargetPolicy:
    """Target selection of 002, and the numbers it leaves open."""

    decay: float = 0.85
    min_marginal_evoi: float = 0.05
    minimal_floor: int = 1
    minimal_ceiling: int = 3
    standard_floor: int = 2
    standard_ceiling: int = 5
    deep_floor: int = 3
    deep_ceiling: int = 30
    # The unit of the scale: a claim of maximal uncertainty, worth and harm that nothing is known about is worth 1.
    value_uncertainty: float = 1.0
    # One search against that unit: ten of them cost what the best possible claim is worth. Where searching is
    # cheaper than min_marginal_evoi, that threshold is what stops instead.
    cost: float = 0.1
    # A harmless claim keeps half its value: an article may be wrong without hurting anyone.
    harm_floor: float = 0.5
    # Metadata that is surely right halves what a search can add, as full sufficiency does for an extraction.
    confidence_discount: float = 0.5

    def __post_init__(self) -> None:
        for name in ("decay", "min_marginal_evoi", "harm_floor", "confidence_discount"):
            unit(name, getattr(self, name))
        for name in ("value_uncertainty", "cost"):
            if finite(name, getattr(self, name)) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")
        for budget in BudgetClass:
            self.bounds(budget)

    def bounds(self, budget: BudgetClass) -> Bounds:
        floor, ceiling = getattr(self, f"{budget.value}_floor"), getattr(self, f"{budget.value}_ceiling")
        return Bounds(floor=floor, ceiling=ceiling)


DEFAULT = TargetPolicy()


@dataclass(frozen=True, slots=True)
class ClaimSignals:
    """What is known of a claim before any search."""

    id: str
    prior: float = 0.5
    check_worthiness: float = 0.5
    harm_potential: float = 0.5
    metadata_confidence: float = 0.5

    def __post_init__(self) -> None:
        for name in ("prior", "check_worthiness", "harm_potential", "metadata_confidence"):
            unit(f"{name} of {self.id}", getattr(self, name))


TargetReason = Literal["worth_its_cost", "budget_floor", "anchor_forced"]
DeferralReason = Literal["below_min_evoi", "below_marginal_cost", "ceiling_reached", "displaced_by_anchor"]


@dataclass(frozen=True, slots=True)
class TargetSelection:
    """Which claims are searched and which are deferred, with reason codes, and what the choice is worth."""

    optimal_k: int
    targets: Mapping[str, TargetReason]
    deferred: Mapping[str, DeferralReason]
    anchor_forced: bool
    evoi: Mapping[str, Derivation]
    net_value: Derivation

    @property
    def k(self) -> int:
        return len(self.targets)


def claim_evoi(claim: ClaimSignals, policy: TargetPolicy = DEFAULT) -> Derivation:
    """EVOI_i = value_uncertainty * entropy(prior) * worthiness_i * harm_i * conf_factor_i."""
    return recompute_claim_evoi(
        {
            "prior": claim.prior,
            "check_worthiness": claim.check_worthiness,
            "harm_potential": claim.harm_potential,
            "metadata_confidence": claim.metadata_confidence,
            "policy": constants(policy),
        }
    )


def recompute_claim_evoi(inputs: Inputs) -> Derivation:
    """One claim's EVOI from its inputs alone."""
    policy = policy_from(TargetPolicy, inputs)
    harm, confidence = (unit(name, number(inputs, name)) for name in ("harm_potential", "metadata_confidence"))
    record = Recorder(**inputs)
    record.set("value_uncertainty", policy.value_uncertainty)
    record.multiply("entropy", bernoulli_entropy(number(inputs, "prior")))
    record.multiply("worthiness", unit("check_worthiness", number(inputs, "check_worthiness")))
    record.multiply("harm", policy.harm_floor + (1.0 - policy.harm_floor) * harm)
    record.multiply("conf_factor", 1.0 - policy.confidence_discount * confidence)
    return record.derivation()


def optimal_target_count(evoi: Sequence[float], policy: TargetPolicy = DEFAULT) -> int:
    """k* = argmax_k [sum of EVOI_i * decay^i for i = 1..k, minus cost * k], `evoi` sorted from the highest down.

    Sorted and decayed, the gains only fall, so the maximum lies before the first one below its cost. At a tie the
    larger k wins, since a target worth exactly its cost is not below it.
    """
    for count, value in enumerate(evoi):
        if _stop(value * policy.decay ** (count + 1), policy) is not None:
            return count
    return len(evoi)


def select_targets(
    claims: Sequence[ClaimSignals],
    budget: BudgetClass = BudgetClass.STANDARD,
    anchor: str | None = None,
    policy: TargetPolicy = DEFAULT,
) -> TargetSelection:
    """k* within the bounds of the budget class; the anchor claim takes the last place if it did not earn one."""
    evoi = {claim.id: claim_evoi(claim, policy) for claim in claims}
    if len(evoi) != len(claims):
        raise ValueError("claim ids must be unique")
    if anchor is not None and anchor not in evoi:
        raise ValueError(f"anchor {anchor!r} is not among the claims")
    ranked = sorted(evoi, key=lambda claim_id: (-evoi[claim_id].value, claim_id))
    best = optimal_target_count([evoi[claim_id].value for claim_id in ranked], policy)
    bounds = policy.bounds(budget)
    k = min(max(best, bounds.floor), bounds.ceiling, len(ranked))
    targets = {claim_id: _earned(rank, best) for rank, claim_id in enumerate(ranked[:k])}
    deferred = {
        claim_id: _deferral(evoi[claim_id].value, rank, policy) for rank, claim_id in enumerate(ranked[k:], start=k)
    }
    forced = anchor is not None and anchor not in targets
    if anchor is not None and forced:
        targets, deferred = _with_anchor(targets, deferred, anchor)
    return TargetSelection(
        optimal_k=best,
        targets=targets,
        deferred=deferred,
        anchor_forced=forced,
        evoi=evoi,
        net_value=_net_value({claim_id: evoi[claim_id].value for claim_id in targets}, policy),
    )


def _earned(rank: int, best: int) -> TargetReason:
    return "worth_its_cost" if rank < best else "budget_floor"


def _deferral(value: float, rank: int, policy: TargetPolicy) -> DeferralReason:
    return _stop(value * policy.decay ** (rank + 1), policy) or "ceiling_reached"


def _with_anchor(
    targets: Mapping[str, TargetReason], deferred: Mapping[str, DeferralReason], anchor: str
) -> tuple[dict[str, TargetReason], dict[str, DeferralReason]]:
    """The anchor replaces the last target rather than joining them: forcing it must not raise the bill."""
    *kept, displaced = targets
    promoted: dict[str, TargetReason] = {claim_id: targets[claim_id] for claim_id in kept}
    promoted[anchor] = "anchor_forced"
    put_off: dict[str, DeferralReason] = {displaced: "displaced_by_anchor"}
    put_off |= {claim_id: reason for claim_id, reason in deferred.items() if claim_id != anchor}
    return promoted, put_off


def _stop(marginal: float, policy: TargetPolicy) -> Literal["below_min_evoi", "below_marginal_cost"] | None:
    """Why a target of this marginal value is not worth adding, or None if it is."""
    if marginal < policy.min_marginal_evoi:
        return "below_min_evoi"
    if marginal < policy.cost:
        return "below_marginal_cost"
    return None


def _net_value(targets: Mapping[str, float], policy: TargetPolicy) -> Derivation:
    return recompute_net_value(
        {"targets": tuple(targets), "evoi": tuple(targets.values()), "policy": constants(policy)}
    )


def recompute_net_value(inputs: Inputs) -> Derivation:
    """What a choice of targets is worth after its cost, from its inputs alone."""
    policy = policy_from(TargetPolicy, inputs)
    record = Recorder(**inputs)
    record.set("nothing_searched", 0.0)
    rows = zip(words(inputs, "targets"), numbers(inputs, "evoi"), strict=True)
    for rank, (claim_id, value) in enumerate(rows, start=1):
        record.add(f"evoi:{claim_id}", value * policy.decay**rank)
        record.subtract(f"cost:{claim_id}", policy.cost)
    return record.derivation()
