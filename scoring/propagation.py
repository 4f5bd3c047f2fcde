"""Belief propagation over the claims of an article, in one pass from parents to children (002)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scoring.beliefs import BeliefState
from scoring.claim_graph import ClaimEdge, topological_order
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, number, numbers, words


@dataclass(frozen=True, slots=True)
class Propagation:
    """The belief of every claim after propagation, the order it was computed in, and how each came about."""

    beliefs: Mapping[str, BeliefState]
    order: tuple[str, ...]
    derivations: Mapping[str, Derivation]


def propagate_beliefs(local: Mapping[str, BeliefState], edges: Sequence[ClaimEdge]) -> Propagation:
    """propagated = local + sum of (parent's propagated log-odds * edge weight * sign), in topological order.

    The meta-certainty of a claim stays its own: a message says what follows from a parent, not how well this
    claim itself was examined.
    """
    order = topological_order(list(local), edges)
    incoming: dict[str, list[ClaimEdge]] = defaultdict(list)
    for edge in edges:
        incoming[edge.target].append(edge)
    beliefs: dict[str, BeliefState] = {}
    derivations: dict[str, Derivation] = {}
    for node in order:
        derivation = _receive(local[node], incoming[node], beliefs)
        derivations[node] = derivation
        beliefs[node] = BeliefState(log_odds=derivation.value, confidence=local[node].confidence)
    return Propagation(beliefs=beliefs, order=order, derivations=derivations)


def _receive(local: BeliefState, edges: Sequence[ClaimEdge], beliefs: Mapping[str, BeliefState]) -> Derivation:
    return recompute_propagated_belief(
        {
            "local_belief": local.log_odds,
            "parents": tuple(edge.source for edge in edges),
            "parent_log_odds": tuple(beliefs[edge.source].log_odds for edge in edges),
            "weights": tuple(edge.weight for edge in edges),
            "signs": tuple(edge.sign for edge in edges),
        }
    )


def recompute_propagated_belief(inputs: Inputs) -> Derivation:
    """One claim's propagated belief from its inputs alone."""
    record = Recorder(**inputs)
    record.set("local_belief", number(inputs, "local_belief"))
    columns = (numbers(inputs, name) for name in ("parent_log_odds", "weights", "signs"))
    for parent, belief, weight, sign in zip(words(inputs, "parents"), *columns, strict=True):
        record.add(f"message:{parent}", belief * weight * sign)
    return record.derivation()
