"""How near a fact lies to a claim's entities, as one number. Every adapter scores with this, so all order alike."""

from dataclasses import dataclass

from storage.ports.graph import Fact, GraphCandidate


@dataclass(frozen=True, slots=True)
class GraphScorePolicy:
    """No specification gives these numbers; 000 only says that a graph score of 0.40 counts as strong."""

    both_ends: float = 1.0
    """The fact relates two of the claim's entities: as much as its source's confidence allows."""
    one_end: float = 0.7
    """One of its ends is the claim's: strong from a confidence of 0.6 upwards."""
    two_hops: float = 0.35
    """It only touches a neighbour: never strong on its own, whatever the confidence."""
    fan_out: int = 200
    """Facts followed from each of the claim's entities, the most confident first: a hub must not flood the rest."""
    frontier: int = 100
    """Neighbours followed to the second hop."""
    second_fan_out: int = 20
    """Facts followed from each neighbour."""


def candidate(fact: Fact, ends: tuple[str, str], asked: frozenset[str], policy: GraphScorePolicy) -> GraphCandidate:
    """Score a fact between the entities with the keys `ends`, reached from those with the keys `asked`."""
    matched = tuple(dict.fromkeys(end for end in ends if end in asked))
    nearness = (policy.two_hops, policy.one_end, policy.both_ends)[len(matched)]
    return GraphCandidate(fact, 1 if matched else 2, matched, nearness * fact.confidence)


def best_first(candidates: list[GraphCandidate], limit: int) -> list[GraphCandidate]:
    """By score, then nearer, then by id, so that equal scores have one order everywhere."""
    return sorted(candidates, key=lambda found: (-found.score, found.hops, found.fact.id))[:limit]
