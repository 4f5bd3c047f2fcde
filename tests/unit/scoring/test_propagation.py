"""Propagation against the definition on random graphs, and what a graph must not contain."""

import json
import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.beliefs import BeliefState
from scoring.claim_graph import ClaimCycleError, ClaimEdge, centrality, core_claims, topological_order
from scoring.derivation import replay
from scoring.propagation import propagate_beliefs, recompute_propagated_belief

NODES = "abcdefg"


@st.composite
def dags(draw: st.DrawFn) -> tuple[dict[str, BeliefState], list[ClaimEdge]]:
    """Edges run along a hidden order of the nodes, so there is no cycle; ids and edges come in any order."""
    nodes = draw(st.permutations(NODES[: draw(st.integers(1, len(NODES)))]))
    local = {node: BeliefState(draw(st.floats(-5, 5)), draw(st.floats(0, 1))) for node in sorted(nodes)}
    pairs = [(one, other) for i, one in enumerate(nodes) for other in nodes[i + 1 :]]
    chosen = draw(st.lists(st.sampled_from(pairs), max_size=12)) if pairs else []
    edges = [
        ClaimEdge(one, other, draw(st.floats(0, 1)), draw(st.sampled_from(["SUPPORTS", "CONTRADICTS"])))
        for one, other in chosen
    ]
    return local, edges


def sum_over_all_paths(node: str, local: dict[str, BeliefState], edges: list[ClaimEdge]) -> float:
    """The definition unrolled: every path into `node` carries its start's local belief, weighted and signed."""
    return local[node].log_odds + sum(
        sum_over_all_paths(edge.source, local, edges) * edge.weight * (-1 if edge.relation == "CONTRADICTS" else 1)
        for edge in edges
        if edge.target == node
    )


def test_messages_carry_propagated_beliefs_with_weight_and_sign() -> None:
    local = {"c": BeliefState(-0.2), "b": BeliefState(0.5), "a": BeliefState(1.0, 0.7)}
    edges = [
        ClaimEdge("b", "c", 0.5, "CONTRADICTS"),
        ClaimEdge("a", "b", 0.8, "SUPPORTS"),
        ClaimEdge("a", "c", 1.0, "ELABORATES"),
    ]
    result = propagate_beliefs(local, edges)
    assert result.order == ("a", "b", "c")
    assert result.beliefs["a"] == BeliefState(1.0, 0.7)
    assert result.beliefs["b"].log_odds == pytest.approx(1.3)  # 0.5 + 1.0 * 0.8
    assert result.beliefs["c"].log_odds == pytest.approx(0.15)  # -0.2 - 1.3 * 0.5 + 1.0 * 1.0
    assert [step.name for step in result.derivations["c"].steps] == ["local_belief", "message:b", "message:a"]


@given(dags())
def test_propagation_equals_the_sum_over_all_paths(graph: tuple[dict[str, BeliefState], list[ClaimEdge]]) -> None:
    local, edges = graph
    result = propagate_beliefs(local, edges)
    for node in local:
        assert result.beliefs[node].log_odds == pytest.approx(sum_over_all_paths(node, local, edges), abs=1e-9)
        assert replay(result.derivations[node]) == pytest.approx(result.beliefs[node].log_odds, abs=1e-9)
        again = recompute_propagated_belief(json.loads(json.dumps(result.derivations[node].inputs)))
        assert again.steps == result.derivations[node].steps


@given(dags())
def test_parents_come_before_children(graph: tuple[dict[str, BeliefState], list[ClaimEdge]]) -> None:
    local, edges = graph
    order = topological_order(list(local), edges)
    assert sorted(order) == sorted(local)
    assert all(order.index(edge.source) < order.index(edge.target) for edge in edges)


@given(dags(), st.data())
def test_a_cycle_is_named_edge_by_edge(
    graph: tuple[dict[str, BeliefState], list[ClaimEdge]], data: st.DataObject
) -> None:
    local, edges = graph
    order = topological_order(list(local), edges)
    length = data.draw(st.integers(1, len(order)))
    ring = list(order[:length])
    closed = [*edges, *(ClaimEdge(ring[i], ring[(i + 1) % length], 0.5) for i in range(length))]
    with pytest.raises(ClaimCycleError) as caught:
        propagate_beliefs(local, closed)
    cycle = caught.value.cycle
    assert len(set(cycle)) == len(cycle)
    pairs = {(edge.source, edge.target) for edge in closed}
    assert all((cycle[i], cycle[(i + 1) % len(cycle)]) in pairs for i in range(len(cycle)))
    assert " -> ".join((*cycle, cycle[0])) in str(caught.value)


def test_the_error_names_the_cycle_and_not_what_hangs_on_it() -> None:
    edges = [ClaimEdge(*pair, 1.0) for pair in (("a", "b"), ("b", "c"), ("c", "d"), ("d", "b"), ("d", "e"))]
    with pytest.raises(ClaimCycleError, match="b -> c -> d -> b; drop one of these edges"):
        topological_order(list("abcde"), edges)


def test_a_claim_that_depends_on_itself_is_a_cycle() -> None:
    with pytest.raises(ClaimCycleError, match="a -> a"):
        topological_order(["a"], [ClaimEdge("a", "a", 1.0)])


def test_a_chain_longer_than_the_recursion_limit_is_no_problem() -> None:
    length = 5_000
    names = [f"c{i:04}" for i in range(length)]
    local = {name: BeliefState(0.0) for name in names} | {names[0]: BeliefState(2.0)}
    chain = [ClaimEdge(one, other, 1.0) for one, other in pairwise(names)]
    assert propagate_beliefs(local, chain).beliefs[names[-1]].log_odds == 2.0
    with pytest.raises(ClaimCycleError) as caught:
        topological_order(names, [*chain, ClaimEdge(names[-1], names[0], 1.0)])
    assert caught.value.cycle == tuple(names)


def test_the_order_does_not_depend_on_the_order_of_the_edges() -> None:
    edges = [ClaimEdge("x", "z", 1.0), ClaimEdge("y", "z", 1.0)]
    assert (
        topological_order(["y", "x", "z"], edges) == topological_order(["y", "x", "z"], edges[::-1]) == ("y", "x", "z")
    )


def test_centrality_is_the_weight_that_a_claim_gives_and_takes() -> None:
    edges = [ClaimEdge("a", "b", 0.5), ClaimEdge("b", "c", 0.75, "CONTRADICTS")]
    assert centrality("abcd", edges) == {"a": 0.5, "b": 1.25, "c": 0.75, "d": 0.0}
    assert core_claims("abcd", edges, 2) == ("b", "c")
    assert core_claims("abcd", edges, 0) == ()
    assert core_claims("dcba", [], 2) == ("a", "b")  # ties go to the smaller id, not to the first in the article


@pytest.mark.parametrize("weight", [math.nan, math.inf, -0.1, 1.1])
def test_a_weight_outside_the_unit_interval_is_refused_by_its_edge(weight: float) -> None:
    with pytest.raises(ValueError, match="weight of a -> b"):
        ClaimEdge("a", "b", weight)


def test_a_relation_nobody_knows_is_refused_rather_than_read_as_support() -> None:
    with pytest.raises(ValueError, match="relation of a -> b"):
        ClaimEdge("a", "b", 1.0, "contradicts")  # type: ignore[arg-type]  # what a model may answer


def test_graphs_that_are_not_graphs_are_refused() -> None:
    with pytest.raises(ValueError, match="unknown claim 'b'"):
        topological_order(["a"], [ClaimEdge("a", "b", 1.0)])
    with pytest.raises(ValueError, match="unknown claim 'b'"):
        centrality(["a"], [ClaimEdge("b", "a", 1.0)])
    with pytest.raises(ValueError, match="unique"):
        topological_order(["a", "a"], [])
    with pytest.raises(ValueError, match="limit"):
        core_claims(["a"], [], -1)


def test_a_sum_that_overflows_is_an_error_and_not_an_infinity() -> None:
    local = {"a": BeliefState(1e308), "b": BeliefState(1e308)}
    with pytest.raises(ValueError, match="message:a"):
        propagate_beliefs(local, [ClaimEdge("a", "b", 1.0)])
