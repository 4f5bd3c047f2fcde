"""Local models leave the event loop alone: no turn of it works longer than 20 ms while they are busy.

What is measured is the loop thread's own processor time per turn, so that a busy machine cannot fail the test and
an embedder that computes in the loop cannot pass it.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator

import numpy as np
import pytest

from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.model_files import model_folder
from agents.language.ports import Pair
from agents.language.rules.stance import LexicalStance

LONG = "The council of the town approved a budget of 84.6 million pounds for the coming year after a long debate. " * 8


async def longest_turn(work: Callable[[], Awaitable[object]]) -> float:
    """The most processor time that the loop's thread spent in one turn while `work` ran."""
    task = asyncio.ensure_future(work())
    longest, before = 0.0, time.thread_time()
    while not task.done():
        await asyncio.sleep(0.0005)
        now = time.thread_time()
        longest, before = max(longest, now - before), now
    await task
    return longest


@pytest.fixture(scope="module")
def onnx() -> Iterator[OnnxEmbedder]:
    model = OnnxEmbedder(model_folder("bge-small-en-v1.5"))
    yield model
    model.close()


async def test_the_transformer_computes_elsewhere(onnx: OnnxEmbedder) -> None:
    async def many_jobs() -> None:
        await asyncio.gather(*(onnx.embed([f"{n} {LONG}"]) for n in range(16)))

    assert await longest_turn(many_jobs) < 0.020


async def test_the_static_embedder_computes_elsewhere() -> None:
    embedder = StaticEmbedder()
    assert await longest_turn(lambda: embedder.embed([f"{n} {LONG}" for n in range(500)])) < 0.020


async def test_the_stance_rules_read_elsewhere() -> None:
    rules = LexicalStance()
    pairs = [Pair(f"The council approved a budget of {n} million pounds.", f"{n} {LONG}") for n in range(30)]
    assert await longest_turn(lambda: rules.judge(pairs)) < 0.020


async def test_the_measurement_can_fail() -> None:
    async def computes_in_the_loop() -> None:
        until = time.thread_time() + 0.05
        while time.thread_time() < until:
            np.linalg.norm(np.ones(1000))

    assert await longest_turn(computes_in_the_loop) > 0.020
