"""Beliefs about a claim in log-odds, moved by evidence and bounded by consensus (002).

None of these numbers is a calibrated probability: the sigmoid and the cap are engineering decisions.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.checks import clamp, finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, constants, count, number, numbers, policy_from, words
from scoring.values import StanceLabel, Verdict


@dataclass(frozen=True, slots=True)
class BeliefPolicy:
    """The constants of 002's belief model, and those it leaves open."""

    k: float = 10.0
    x0: float = 0.5
    l_max: float = 2.0
    min_consensus_sources: int = 2
    # Log-odds of 0 and 1 are infinite. One in a million is far beyond what a handful of impacts of at most
    # l_max can reach, so the margin never competes with evidence.
    certainty_margin: float = 1e-6
    # How much of the remaining doubt about the belief itself one piece of evidence at full impact removes. Half:
    # a single source, however strong, leaves as much doubt as it takes away.
    confidence_gain: float = 0.5
    # From belief to verdict: odds of three to one either way. Lower, and one middling source would decide;
    # higher than 0.88, and one excellent source (impact of nearly l_max) could not.
    true_from: float = 0.75
    false_to: float = 0.25

    def __post_init__(self) -> None:
        for name in ("k", "x0", "l_max"):
            finite(name, getattr(self, name))
        if self.k <= 0 or self.l_max <= 0:
            raise ValueError(f"k and l_max must be positive, got {self.k!r} and {self.l_max!r}")
        if not 0.0 < self.certainty_margin < 0.5:
            raise ValueError(f"certainty_margin must lie between 0 and 0.5, got {self.certainty_margin!r}")
        unit("confidence_gain", self.confidence_gain)
        if unit("false_to", self.false_to) >= unit("true_from", self.true_from):
            raise ValueError(f"false_to must lie below true_from, got {self.false_to!r} and {self.true_from!r}")


DEFAULT = BeliefPolicy()


def prob_to_log_odds(probability: float, policy: BeliefPolicy = DEFAULT) -> float:
    """ln(P / (1 - P)), with P kept off 0 and 1 by the certainty margin."""
    margin = policy.certainty_margin
    p = clamp(unit("probability", probability), margin, 1.0 - margin)
    return math.log(p / (1.0 - p))


def log_odds_to_prob(log_odds: float) -> float:
    """The inverse, written so that neither tail overflows."""
    value = finite("log_odds", log_odds)
    if value >= 0:
        return 1.0 / (1.0 + math.exp(-value))
    odds = math.exp(value)
    return odds / (1.0 + odds)


@dataclass(frozen=True, slots=True)
class BeliefState:
    """What is believed (log-odds) and how certain that belief itself is (0 to 1)."""

    log_odds: float = 0.0
    confidence: float = 0.0

    def __post_init__(self) -> None:
        finite("log_odds", self.log_odds)
        unit("confidence", self.confidence)

    @property
    def probability(self) -> float:
        return log_odds_to_prob(self.log_odds)


def belief_from_probability(probability: float, confidence: float = 0.0, policy: BeliefPolicy = DEFAULT) -> BeliefState:
    """A belief stated as a probability."""
    return BeliefState(log_odds=prob_to_log_odds(probability, policy), confidence=confidence)


@dataclass(frozen=True, slots=True)
class WeighedEvidence:
    """One passage as a belief sees it: how strongly it speaks, how much it is about the claim, and which way."""

    id: str
    strength: float
    relevance: float
    direction: StanceLabel


@dataclass(frozen=True, slots=True)
class BeliefUpdate:
    """The belief after a step, with the log-odds and the meta-certainty as derivations."""

    state: BeliefState
    log_odds: Derivation
    confidence: Derivation


def sigmoid_impact(strength: float, relevance: float, policy: BeliefPolicy = DEFAULT) -> Derivation:
    """impact = relevance * L_max * sigmoid(strength): weak evidence is damped rather than added up."""
    return recompute_impact({"strength": strength, "relevance": relevance, "policy": constants(policy)})


def recompute_impact(inputs: Inputs) -> Derivation:
    """The impact from its inputs alone."""
    policy = policy_from(BeliefPolicy, inputs)
    strength, relevance = (unit(name, number(inputs, name)) for name in ("strength", "relevance"))
    record = Recorder(**inputs)
    record.set("sigmoid", log_odds_to_prob(policy.k * (strength - policy.x0)))
    record.multiply("L_max", policy.l_max)
    record.multiply("relevance", relevance)
    return record.derivation()


def update_belief(
    prior: BeliefState, evidence: Sequence[WeighedEvidence], policy: BeliefPolicy = DEFAULT
) -> BeliefUpdate:
    """posterior log-odds = prior log-odds + the impact of what supports - the impact of what refutes."""
    return recompute_belief(
        {
            "prior_log_odds": prior.log_odds,
            "prior_confidence": prior.confidence,
            "ids": tuple(item.id for item in evidence),
            "strength": tuple(item.strength for item in evidence),
            "relevance": tuple(item.relevance for item in evidence),
            "direction": tuple(item.direction for item in evidence),
            "policy": constants(policy),
        }
    )


def recompute_belief(inputs: Inputs) -> BeliefUpdate:
    """The posterior from its inputs alone."""
    policy = policy_from(BeliefPolicy, inputs)
    belief, certainty = Recorder(**inputs), Recorder(**inputs)
    belief.set("prior", number(inputs, "prior_log_odds"))
    certainty.set("prior", unit("prior_confidence", number(inputs, "prior_confidence")))
    rows = zip(
        words(inputs, "ids"),
        numbers(inputs, "strength"),
        numbers(inputs, "relevance"),
        words(inputs, "direction"),
        strict=True,
    )
    for name, strength, relevance, direction in rows:
        impact = sigmoid_impact(strength, relevance, policy).value
        if direction == "neutral":
            continue
        if direction not in ("supports", "refutes"):
            raise ValueError(f"direction of {name} must be supports, refutes or neutral, got {direction!r}")
        (belief.add if direction == "supports" else belief.subtract)(f"{direction}:{name}", impact)
        share = policy.confidence_gain * impact / policy.l_max
        certainty.add(f"doubt_removed:{name}", (1.0 - certainty.value) * share)
    certainty.clamp()
    return _update(belief, certainty)


@dataclass(frozen=True, slots=True)
class Consensus:
    """What the scientific consensus allows at most, and how many sources state it."""

    limit: float
    source_count: int

    def __post_init__(self) -> None:
        unit("limit", self.limit)
        if self.source_count < 0:
            raise ValueError(f"source_count must not be negative, got {self.source_count!r}")


def apply_consensus_bound(posterior: BeliefState, consensus: Consensus, policy: BeliefPolicy = DEFAULT) -> BeliefUpdate:
    """A single article cannot be believed beyond the consensus; one lone source is no consensus."""
    return recompute_consensus_bound(
        {
            "posterior_log_odds": posterior.log_odds,
            "posterior_confidence": posterior.confidence,
            "consensus_limit": consensus.limit,
            "source_count": consensus.source_count,
            "policy": constants(policy),
        }
    )


def recompute_consensus_bound(inputs: Inputs) -> BeliefUpdate:
    """The bounded belief from its inputs alone."""
    policy = policy_from(BeliefPolicy, inputs)
    limit = prob_to_log_odds(number(inputs, "consensus_limit"), policy)
    belief, certainty = Recorder(**inputs), Recorder(**inputs)
    belief.set("posterior", number(inputs, "posterior_log_odds"))
    if count(inputs, "source_count") >= policy.min_consensus_sources:
        belief.cap("consensus_cap", limit)
    certainty.set("posterior", unit("posterior_confidence", number(inputs, "posterior_confidence")))
    return _update(belief, certainty)


def belief_verdict(state: BeliefState, policy: BeliefPolicy = DEFAULT) -> Verdict:
    """Three ways out, as 002's labels have them: believed, disbelieved, or not enough either way."""
    if state.log_odds >= prob_to_log_odds(policy.true_from, policy):
        return Verdict.TRUE
    if state.log_odds <= prob_to_log_odds(policy.false_to, policy):
        return Verdict.FALSE
    return Verdict.UNVERIFIABLE


def _update(belief: Recorder, certainty: Recorder) -> BeliefUpdate:
    return BeliefUpdate(
        state=BeliefState(log_odds=belief.value, confidence=certainty.value),
        log_odds=belief.derivation(),
        confidence=certainty.derivation(),
    )
