"""The quota of a job: what it lets through, what it keeps free, and that it lives in the state and nowhere else."""

import json
from dataclasses import asdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from agents.language.quota import (
    CallTag,
    Price,
    Priority,
    QuotaPolicy,
    QuotaState,
    ask,
    fail,
    hit,
    joined,
    report,
    shares,
    spend,
)

TIGHT = QuotaPolicy(max_calls=4)
WIRE = TypeAdapter(QuotaState)


def over_the_wire(state: QuotaState) -> QuotaState:
    """The state as the next worker gets it."""
    return WIRE.validate_json(WIRE.dump_json(state))


def test_a_job_that_would_make_twenty_calls_makes_four_and_the_last_two_are_the_critical_ones() -> None:
    state, made = QuotaState(), []
    wanted: list[tuple[CallTag, Priority]] = [(CallTag.CLAIM, "normal"), (CallTag.SUMMARY, "low")] * 9
    wanted += [(CallTag.FACTS, "critical"), (CallTag.VERDICT, "critical")]
    for tag, priority in wanted:
        permission = ask(state, tag, priority, TIGHT)
        state = over_the_wire(permission.state)  # every step may be on another worker, in another loop
        if permission.granted:
            made.append(tag)
    assert made == [CallTag.CLAIM, CallTag.SUMMARY, CallTag.FACTS, CallTag.VERDICT]
    assert state.calls == 4
    assert len(state.skipped) == 16
    assert {one.reason for one in state.skipped} == {"call_quota"}


def test_a_critical_tag_beyond_its_reserved_slot_competes_like_any_other() -> None:
    state = QuotaState()
    granted = []
    for _ in range(4):
        permission = ask(state, CallTag.FACTS, "critical", TIGHT)
        granted.append(permission.granted)
        state = permission.state
    assert granted == [True, True, True, False]  # one reserved, two free, and the verdict's slot is kept
    assert ask(state, CallTag.VERDICT, "critical", TIGHT).granted


def test_a_job_out_of_tokens_still_gets_its_verdict() -> None:
    state = spend(QuotaState(), 50_000, 20_000)
    assert ask(state, CallTag.CLAIM, "normal", QuotaPolicy()).reason == "token_quota"
    assert ask(state, CallTag.VERDICT, "critical", QuotaPolicy()).granted


def test_repeated_failures_degrade_a_job_to_its_reserved_calls() -> None:
    policy, state = QuotaPolicy(degrade_after=2), QuotaState()
    for _ in range(2):
        state = fail(state, CallTag.CLAIM, "timeout", policy)
    assert state.degraded
    assert ask(state, CallTag.CLAIM, "normal", policy).reason == "degraded"
    assert ask(state, CallTag.FACTS, "critical", policy).granted
    assert [one.reason for one in state.skipped] == ["timeout", "timeout"]


def test_tokens_cost_what_the_price_table_says_and_the_cache_costs_nothing() -> None:
    state = spend(QuotaState(), 1_000_000, 100_000, Price(tokens_in=0.15, tokens_out=0.60))
    assert state.cost_usd == pytest.approx(0.21)
    after = hit(state)
    assert (after.calls, after.tokens, after.cost_usd, after.cache_hits) == (0, 1_100_000, state.cost_usd, 1)


def test_a_policy_that_reserves_more_than_it_allows_is_refused() -> None:
    with pytest.raises(ValueError, match="reserved"):
        QuotaPolicy(max_calls=1)
    with pytest.raises(ValueError, match="negative"):
        QuotaPolicy(max_calls=-1)


def test_no_calls_at_all_is_a_policy_too() -> None:
    nothing = QuotaPolicy(max_calls=0, reserved={})
    assert not ask(QuotaState(), CallTag.VERDICT, "critical", nothing).granted


calls = st.lists(st.tuples(st.sampled_from(list(CallTag)), st.sampled_from(["low", "normal", "critical"])), max_size=40)


@given(calls, st.integers(2, 12))
def test_no_order_of_calls_exceeds_the_limit_or_starves_a_reserved_one(
    wanted: list[tuple[CallTag, Priority]], limit: int
) -> None:
    policy, state = QuotaPolicy(max_calls=limit), QuotaState()
    for tag, priority in wanted:
        state = ask(state, tag, priority, policy).state
    assert state.calls <= limit
    for tag in policy.reserved:
        if not state.reserved_used.get(tag):
            assert ask(state, tag, "critical", policy).granted


def test_the_state_is_plain_data() -> None:
    state = fail(
        spend(ask(QuotaState(), CallTag.FACTS, "critical", TIGHT).state, 10, 5), CallTag.FACTS, "timeout", TIGHT
    )
    assert json.loads(json.dumps(asdict(state)))["calls"] == 1
    assert over_the_wire(state) == state


def test_the_report_names_every_call_that_rules_stood_in_for() -> None:
    state = fail(
        spend(ask(QuotaState(), CallTag.FACTS, "critical", TIGHT).state, 10, 5), CallTag.FACTS, "timeout", TIGHT
    )
    assert report(state) == {
        "calls": 1,
        "tokens": 15,
        "cost_usd": 0.0,
        "cache_hits": 0,
        "skipped": ["facts: timeout"],
        "degraded": True,
    }
    assert report(QuotaState())["degraded"] is False


@given(st.integers(0, 8), st.integers(1, 5), st.integers(2, 12))
def test_the_sub_claims_of_a_job_together_spend_no_more_than_it_has_left(spent: int, parts: int, limit: int) -> None:
    policy, parent = QuotaPolicy(max_calls=limit), QuotaState(calls=min(spent, limit))
    total = parent
    for share in shares(parent, policy, parts):
        state = over_the_wire(share)
        for _ in range(6):
            for tag, priority in ((CallTag.FACTS, "critical"), (CallTag.VERDICT, "critical"), (CallTag.CLAIM, "low")):
                state = ask(state, tag, priority, policy).state  # type: ignore[arg-type] # a literal in a loop
        total = joined(total, share, state)
    assert total.calls <= limit


def test_a_share_keeps_a_verdict_call_before_anything_else() -> None:
    first, second = shares(QuotaState(calls=6), QuotaPolicy(max_calls=8), 2)
    for state in (first, second):
        assert ask(state, CallTag.VERDICT, "critical", QuotaPolicy(max_calls=8)).granted
        assert not ask(state, CallTag.FACTS, "critical", QuotaPolicy(max_calls=8)).granted
