"""Waiting: how long before a retry, how long before an outage is probed again."""

import random

from hypothesis import given
from hypothesis import strategies as st

from streams.delivery.gate import Gate
from streams.delivery.retry import RetryPolicy

policies = st.builds(
    RetryPolicy,
    limit=st.integers(0, 20),
    base=st.floats(0.001, 10),
    longest=st.floats(0.001, 60),
    longest_asked=st.floats(1, 120),
    within=st.floats(1, 600),
)


@given(policies, st.integers(0, 10_000), st.integers())
def test_a_wait_is_never_zero_and_never_longer_than_its_bound(policy: RetryPolicy, retry: int, seed: int) -> None:
    wait = policy.wait(retry, random.Random(seed))
    assert 0 < wait <= policy.longest


@given(policies, st.integers(0, 50), st.floats(0, 1e9))
def test_a_wait_that_was_asked_for_is_honoured_up_to_its_bound(policy: RetryPolicy, retry: int, asked: float) -> None:
    assert policy.wait(retry, random.Random(0), asked) == min(asked, policy.longest_asked)


@given(policies, st.integers())
def test_every_event_is_given_up_after_a_bounded_number_of_tries_and_seconds(policy: RetryPolicy, seed: int) -> None:
    rng = random.Random(seed)
    elapsed, retries = 0.0, 0
    while not policy.gives_up(retries, elapsed, wait := policy.wait(retries, rng)):
        elapsed += wait
        retries += 1
    assert retries <= policy.limit
    assert elapsed <= policy.within


def test_ceilings_double_until_the_longest() -> None:
    policy = RetryPolicy(base=1, longest=5)
    waits = [[policy.wait(retry, random.Random(seed)) for seed in range(200)] for retry in range(4)]
    assert [round(max(wait), 1) for wait in waits] == [1.0, 2.0, 4.0, 5.0]


def test_a_gate_is_open_shuts_with_its_reason_and_reopens() -> None:
    gate = Gate("ranking")
    assert gate.is_open
    gate.shut("weaviate is down")
    assert (gate.is_open, gate.reason) == (False, "weaviate is down")
    gate.reopen()
    assert (gate.is_open, gate.reason) == (True, "")


def test_a_gate_probes_less_and_less_often_and_starts_afresh_after_reopening() -> None:
    gate = Gate("ranking", base=0.5, longest=5)
    waits = []
    for _ in range(6):
        gate.shut("down")
        waits.append(gate.next_wait())
    assert waits == [1.0, 2.0, 4.0, 5.0, 5.0, 5.0]
    gate.reopen()
    gate.shut("down again")
    assert gate.next_wait() == 1.0
