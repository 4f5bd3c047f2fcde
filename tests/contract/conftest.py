"""One parameter per adapter: every contract test runs on each of them."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

import pytest

from storage.ports import AnswerPolicy, AnswerStore, EvidenceIndex, KnowledgeGraph, Stores, UrlRegistry, VerdictLedger
from tests.contract.adapters import Place, open_answers, open_stores
from tests.support.opening import held
from tests.support.servers import Spaces, spaces

ADAPTERS = ["embedded", pytest.param("servers", marks=pytest.mark.services)]
CHILD_TIMEOUT_S = 90.0

Together = Callable[..., Awaitable[list[Any]]]


@pytest.fixture(scope="session")
def server_spaces() -> Iterator[Spaces]:
    with spaces() as kept:
        yield kept


@pytest.fixture(params=ADAPTERS)
def place(request: pytest.FixtureRequest, tmp_path: object) -> Iterator[Place]:
    if request.param == "embedded":
        yield Place(request.param, str(tmp_path))
        return
    kept: Spaces = request.getfixturevalue("server_spaces")
    space = kept.next()
    # What a test does not look at is embedded: Weaviate beside SQLite, SQLite beside Neo4j.
    if "index" in request.fixturenames:
        yield Place("weaviate", f"{space}@{tmp_path}")
        kept.wipe_passages(space)
    else:
        yield Place("neo4j", f"{space}@{tmp_path}")


@pytest.fixture
async def stores(place: Place) -> AsyncIterator[Stores]:
    async with held(open_stores(place)) as opened:
        yield opened


@pytest.fixture
async def other(place: Place, stores: Stores) -> AsyncIterator[Stores]:
    """A second handle on the same data, as another process would hold it."""
    async with held(open_stores(place)) as opened:
        yield opened


@pytest.fixture
def ledger(stores: Stores) -> VerdictLedger:
    return stores.ledger


@pytest.fixture
def index(stores: Stores) -> EvidenceIndex:
    return stores.index


@pytest.fixture
def graph(stores: Stores) -> KnowledgeGraph:
    return stores.graph


@pytest.fixture
def urls(stores: Stores) -> UrlRegistry:
    return stores.urls


@pytest.fixture
def answers(stores: Stores) -> AnswerStore:
    return stores.answers


@pytest.fixture
async def bounded(place: Place, stores: Stores) -> AsyncIterator[AnswerStore]:
    """An answer store that keeps three texts of a hundred characters; `stores` has made its tables."""
    opened = await open_answers(place, AnswerPolicy(max_entries=3, max_characters=100))
    yield opened
    await opened.close()


@pytest.fixture
def in_processes(place: Place) -> Together:
    """Run a scenario of `child` in several processes that start at the same moment; returns what each printed."""

    async def run(scenario: str, *arguments: str) -> list[Any]:
        children = [
            await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "tests.contract.child", place.to_json(), scenario, argument),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            for argument in arguments
        ]
        async with asyncio.timeout(CHILD_TIMEOUT_S):
            for child in children:
                assert child.stdout is not None
                assert await child.stdout.readline() == b"ready\n"
            answers = await asyncio.gather(*(child.communicate(b"go\n") for child in children))
        assert [child.returncode for child in children] == [0] * len(children)
        return [json.loads(out) for out, _ in answers]

    return run
