"""The claims of one article and how they depend on each other: checked, ordered, and ranked by centrality (002)."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from scoring.checks import unit

Relation = Literal["SUPPORTS", "DEPENDS_ON", "ELABORATES", "CONTRADICTS"]


@dataclass(frozen=True, slots=True)
class ClaimEdge:
    """Belief flows from `source` (the parent) to `target`; CONTRADICTS turns its sign."""

    source: str
    target: str
    weight: float
    relation: Relation = "SUPPORTS"

    def __post_init__(self) -> None:
        unit(f"weight of {self.source} -> {self.target}", self.weight)
        # An unknown word would otherwise pass as support, and with the wrong sign if contradiction was meant.
        if self.relation not in get_args(Relation):
            raise ValueError(f"relation of {self.source} -> {self.target} must be one of {get_args(Relation)}")

    @property
    def sign(self) -> float:
        return -1.0 if self.relation == "CONTRADICTS" else 1.0


class ClaimCycleError(ValueError):
    """The claims depend on each other in a circle, so no order exists in which parents come first."""

    def __init__(self, cycle: tuple[str, ...]) -> None:
        self.cycle = cycle
        path = " -> ".join((*cycle, cycle[0]))
        super().__init__(f"the claim graph has a cycle: {path}; drop one of these edges")


def topological_order(nodes: Sequence[str], edges: Iterable[ClaimEdge]) -> tuple[str, ...]:
    """Parents before children (Kahn); among those that could come next, the first in `nodes` does."""
    position = {node: index for index, node in enumerate(nodes)}
    if len(position) != len(nodes):
        raise ValueError("claim ids must be unique")
    children: dict[str, list[str]] = defaultdict(list)
    waiting = dict.fromkeys(nodes, 0)
    for edge in edges:
        _known(edge, position)
        children[edge.source].append(edge.target)
        waiting[edge.target] += 1
    ready = [position[node] for node in nodes if not waiting[node]]
    heapq.heapify(ready)
    order: list[str] = []
    while ready:
        node = nodes[heapq.heappop(ready)]
        order.append(node)
        for child in children[node]:
            waiting[child] -= 1
            if not waiting[child]:
                heapq.heappush(ready, position[child])
    if len(order) < len(nodes):
        raise ClaimCycleError(_cycle({node for node in nodes if waiting[node]}, children, nodes))
    return tuple(order)


def centrality(nodes: Sequence[str], edges: Iterable[ClaimEdge]) -> dict[str, float]:
    """Weighted degree: how much belief a claim gives and takes. The plainest centrality there is; 002 names none."""
    known = dict.fromkeys(nodes, 0.0)
    for edge in edges:
        _known(edge, known)
        known[edge.source] += edge.weight
        known[edge.target] += edge.weight
    return known


def core_claims(nodes: Sequence[str], edges: Iterable[ClaimEdge], limit: int) -> tuple[str, ...]:
    """The most central claims, those that stage 1 of the retrieval searches for; ties go to the smaller id."""
    if limit < 0:
        raise ValueError(f"limit must not be negative, got {limit!r}")
    degree = centrality(nodes, edges)
    return tuple(sorted(degree, key=lambda node: (-degree[node], node))[:limit])


def _known(edge: ClaimEdge, nodes: Mapping[str, object]) -> None:
    for end in (edge.source, edge.target):
        if end not in nodes:
            raise ValueError(f"edge {edge.source} -> {edge.target} names the unknown claim {end!r}")


def _cycle(stuck: set[str], children: Mapping[str, Sequence[str]], nodes: Sequence[str]) -> tuple[str, ...]:
    """Every stuck node has a stuck parent, so walking up must come back to a node already seen."""
    parent = {child: node for node in reversed(nodes) if node in stuck for child in children[node] if child in stuck}
    trail: dict[str, None] = {}
    node = next(candidate for candidate in nodes if candidate in stuck)
    while node not in trail:
        trail[node] = None
        node = parent[node]
    upward = list(trail)
    loop = upward[upward.index(node) :][::-1]
    first = loop.index(min(loop))
    return tuple(loop[first:] + loop[:first])
