"""The record of a loop held against itself: numbers add up, limits were kept, its end follows from the facts."""

from collections.abc import Iterator, Mapping
from typing import Any

from agents.claims.budget import shared_limits
from agents.claims.package.model import LoopRow
from scoring.derivation import Derivation
from scoring.evoi import recompute_extract_evoi
from scoring.policy import Policy
from scoring.stopping import LoopFacts, stop_reason

Found = tuple[str, Any, Any]
"""Where, what is stated, what follows."""
LIMITS = {"queries", "urls_per_query", "pages", "bytes", "page_bytes", "iterations", "deadline_seconds"}


def audit_loop(loop: LoopRow, policy: Policy) -> Iterator[Found]:
    """Everything in the record that does not follow from the rest of it."""
    yield from _counts(loop)
    yield from _limits(loop)
    yield from _worth(loop, policy)
    if loop.stop_reason == "nothing_to_verify":
        yield "loop.count", loop.count, 0  # it was neither looked up nor searched for
        return
    try:
        facts = LoopFacts(**dict[str, Any](loop.decided_by))
    except TypeError as error:
        yield "loop.decided_by", dict(loop.decided_by), str(error)
        return
    yield "loop.stop_reason", loop.stop_reason, stop_reason(facts, policy.loop)
    if missing := LIMITS - loop.limits.keys():
        yield "loop.limits", sorted(loop.limits), f"{sorted(missing)} as well"
        return
    yield from _facts(loop, facts)


def part_limits(limits: Mapping[str, float], parts: int) -> tuple[dict[str, float], ...]:
    """What each part of a claim may have spent; nothing where the claim does not say what it might spend itself."""
    return shared_limits(limits, parts) if limits.keys() >= LIMITS else ({},) * parts


def _counts(loop: LoopRow) -> Iterator[Found]:
    yield "loop.count", loop.count, len(loop.steps)
    yield "loop.queries", list(loop.queries), [step.query for step in loop.steps]
    yield "loop.urls_processed", len(loop.urls_processed), sum(step.read for step in loop.steps)
    for number, step in enumerate(loop.steps):
        where = f"loop.steps.{number}"
        last = number == len(loop.steps) - 1
        yield f"{where}.decision", step.decision, loop.stop_reason if last else "go_on"
        searched = sum(attempt.cost_usd for attempt in step.attempts)
        yield f"{where}.cost_usd", step.cost_usd, searched + step.extraction_cost_usd
        if number:
            yield f"{where}.trust_before", step.trust_before, loop.steps[number - 1].trust_after


def _limits(loop: LoopRow) -> Iterator[Found]:
    """No budget may have been passed: what is stated is at most its limit."""
    used = {
        "queries": loop.count,
        "pages": sum(step.pages for step in loop.steps),
        "bytes": sum(step.bytes for step in loop.steps),
        "iterations": loop.iterations,
        "urls_per_query": max((step.pages - step.inline for step in loop.steps), default=0),
    }
    for name, value in used.items():
        limit = loop.limits.get(name)
        yield f"loop.limits.{name}", value, value if limit is None else min(value, limit)


def _worth(loop: LoopRow, policy: Policy) -> Iterator[Found]:
    """What one more page was worth after each step, from its inputs; and its inputs from the steps before."""
    pages = 0
    for number, step in enumerate(loop.steps):
        pages += step.pages - step.inline
        if step.evoi is None:
            continue
        where = f"loop.steps.{number}.evoi"
        try:
            again = recompute_extract_evoi(step.evoi.inputs)
        except ValueError as error:
            yield where, "inputs", str(error)
            continue
        yield where, _plain(step.evoi), _plain(again)
        yield f"{where}.inputs.extracts", step.evoi.inputs.get("extracts"), pages
        inputs = step.evoi.inputs.get("policy")
        yield f"{where}.inputs.policy", inputs, _constants(policy)


def _facts(loop: LoopRow, facts: LoopFacts) -> Iterator[Found]:
    """The facts of the decision, as far as the record holds what they are made of.

    A decision within search expansion (`no_provider`, `deadline`) rests on the facts of the look before it.
    """
    yield "loop.decided_by.loops", facts.loops, loop.count
    if not facts.provider or facts.overdue:
        return
    # A next set was begun for nothing when it holds no query.
    iterations = loop.iterations - (facts.next_planned is not None)
    steps = [step for step in loop.steps if step.iteration == iterations]
    yield "loop.decided_by.set_pages", facts.set_pages, sum(step.offered for step in steps)
    yield "loop.decided_by.set_evidence", facts.set_evidence, sum(step.new_evidence for step in steps)
    if loop.steps:
        yield f"loop.steps.{loop.count - 1}.iteration", loop.steps[-1].iteration, iterations
    if loop.steps and loop.steps[-1].evoi is not None:
        yield "loop.decided_by.evoi", facts.evoi, loop.steps[-1].evoi.value
    limits = loop.limits
    pages, taken = sum(step.pages for step in loop.steps), sum(step.bytes for step in loop.steps)
    left = min(limits["pages"] - pages, (limits["bytes"] - taken) // limits["page_bytes"])
    yield "loop.decided_by.queries_left", facts.queries_left, limits["queries"] - loop.count
    yield "loop.decided_by.pages_left", facts.pages_left, max(0, left)
    yield "loop.decided_by.iterations_left", facts.iterations_left, limits["iterations"] - iterations


def _plain(derivation: Derivation) -> dict[str, Any]:
    steps = [[step.name, step.op, step.value, step.result] for step in derivation.steps]
    return {"steps": steps, "value": derivation.value}


def _constants(policy: Policy) -> dict[str, Any]:
    values: dict[str, Any] = policy.as_values()["loop"]["extract"]
    return values
