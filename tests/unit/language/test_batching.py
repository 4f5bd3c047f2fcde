"""Micro-batching: order, batch sizes, fairness to the loop, and what happens to callers when things go wrong."""

import asyncio
import threading
import time
from collections.abc import Sequence

import pytest

from agents.errors import Transient
from agents.language.batching import BatchPolicy, MicroBatcher


class Doubler:
    """Doubles numbers and remembers the runs it was given. Can be held until it is told to go on."""

    def __init__(self, *, held: bool = False) -> None:
        self.runs: list[list[int]] = []
        self.threads: set[str] = set()
        self.go = threading.Event()
        if not held:
            self.go.set()

    def __call__(self, items: Sequence[int]) -> list[int]:
        self.threads.add(threading.current_thread().name)
        assert self.go.wait(timeout=10)
        self.runs.append(list(items))
        return [2 * item for item in items]


def batcher(run: Doubler, **changes: object) -> MicroBatcher[int, int]:
    policy = BatchPolicy(**{"workers": 1, "max_run": 32, **changes})  # type: ignore[arg-type] # fields by name
    return MicroBatcher(run, length=lambda item: item, policy=policy, name="test")


async def test_results_come_in_the_order_of_the_items() -> None:
    doubler = batcher(Doubler())
    assert await doubler.submit([5, 1, 9, 3]) == [10, 2, 18, 6]
    assert await doubler.submit([]) == []


async def test_single_requests_of_many_jobs_share_a_batch() -> None:
    run = Doubler()
    answers = await asyncio.gather(*(batcher_submit for batcher_submit in _jobs(batcher(run), 32)))
    assert answers == [[2 * n] for n in range(32)]
    assert len(run.runs) == 1


def _jobs(doubler: MicroBatcher[int, int], count: int) -> list[asyncio.Task[list[int]]]:
    return [asyncio.ensure_future(doubler.submit([n])) for n in range(count)]


async def test_a_batch_never_exceeds_its_limit_and_a_run_holds_similar_lengths() -> None:
    run = Doubler()
    await batcher(run, max_items=8, max_run=4).submit([1, 100, 2, 101, 3, 102, 4, 103, 5])
    assert all(len(one) <= 4 for one in run.runs)
    assert [1, 2, 3, 4] in run.runs
    assert [100, 101, 102, 103] in run.runs


async def test_a_batch_is_spread_over_the_workers() -> None:
    run = Doubler(held=True)
    waiting = asyncio.ensure_future(batcher(run, workers=2).submit(list(range(8))))
    while len(run.threads) < 2:  # both workers have a run before either is allowed to finish
        await asyncio.sleep(0.001)
    run.go.set()
    assert await waiting == [2 * n for n in range(8)]
    assert sorted(len(one) for one in run.runs) == [4, 4]


async def test_what_arrives_while_all_workers_are_busy_makes_the_next_batch() -> None:
    run = Doubler(held=True)
    doubler = batcher(run)
    first = asyncio.ensure_future(doubler.submit([1]))
    while not run.threads:
        await asyncio.sleep(0.001)
    later = _jobs(doubler, 10)
    await asyncio.sleep(0.02)
    run.go.set()
    await asyncio.gather(first, *later)
    assert [len(one) for one in run.runs] == [1, 10]


async def test_more_items_than_may_wait_are_taken_as_space_appears() -> None:
    doubler = batcher(Doubler(), max_pending=4, max_items=2)
    assert await doubler.submit(list(range(50))) == [2 * n for n in range(50)]


async def test_an_error_of_the_model_reaches_those_who_asked_and_nobody_else() -> None:
    def run(items: Sequence[int]) -> list[int]:
        if 13 in items:
            raise RuntimeError("unlucky")
        return list(items)

    doubler = MicroBatcher(run, length=lambda item: item, policy=BatchPolicy(workers=1), name="test")
    with pytest.raises(RuntimeError, match="unlucky"):
        await doubler.submit([13])
    assert await doubler.submit([7]) == [7]


async def test_a_caller_that_waits_too_long_gets_a_transient_error() -> None:
    run = Doubler(held=True)
    doubler = batcher(run, timeout=0.05)
    with pytest.raises(Transient, match=r"did nothing for 1 items in 0\.05 s"):
        await doubler.submit([1])
    run.go.set()


async def test_a_long_request_may_take_long_as_long_as_it_gets_on() -> None:
    def run(items: Sequence[int]) -> list[int]:
        time.sleep(0.02)
        return list(items)

    policy = BatchPolicy(workers=1, max_items=2, max_run=2, timeout=0.2)
    slow = MicroBatcher(run, length=lambda item: item, policy=policy, name="test")
    assert await slow.submit(list(range(40))) == list(range(40))  # 0.4 s in all


async def test_a_cancelled_caller_does_not_harm_the_others() -> None:
    run = Doubler(held=True)
    doubler = batcher(run)
    first, second = _jobs(doubler, 2)
    await asyncio.sleep(0.01)
    first.cancel()
    run.go.set()
    assert await second == [2]
    with pytest.raises(asyncio.CancelledError):
        await first


def test_a_batcher_outlives_its_event_loop() -> None:
    doubler = batcher(Doubler())
    assert asyncio.run(doubler.submit([1])) == [2]
    assert asyncio.run(doubler.submit([2])) == [4]


async def test_busy_workers_do_not_block_the_event_loop() -> None:
    """Pure Python in the workers is the worst case: it holds the interpreter lock in turns of 5 ms."""

    def busy(items: Sequence[int]) -> list[int]:
        until = time.perf_counter() + 0.2
        while time.perf_counter() < until:
            sum(range(100))
        return list(items)

    doubler = MicroBatcher(busy, length=lambda item: item, policy=BatchPolicy(workers=1), name="test")
    work = asyncio.ensure_future(doubler.submit([1]))
    turns = 0
    while not work.done():
        await asyncio.sleep(0)
        turns += 1
    assert turns > 3, "the loop went on turning while the worker was busy"
