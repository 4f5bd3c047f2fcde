"""A worker is killed after it wrote to the index and before it wrote to the graph: a replay makes the stores agree."""

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from agents.knowledge.checking import verify
from agents.knowledge.repair import repair
from agents.language.embedders.static import StaticEmbedder
from storage.ports import Embedder, Stores, UrlStatus
from streams.embedded.sample_web import serve
from tests.support.processes import ROOT, clean_environment
from tests.unit.knowledge.places import Place, open_stores

pytestmark = pytest.mark.faults

SECONDS = 90.0
SERVERS = ("VERISTREAM_WEAVIATE_", "VERISTREAM_NEO4J_")
STATIC = Embedder(StaticEmbedder.name, StaticEmbedder.dimension)


@pytest.fixture
async def web() -> AsyncIterator[str]:
    async with serve() as origin:
        yield origin


@asynccontextmanager
async def worker(place: Place, web: str, scratch: Path, *more: str) -> AsyncIterator[asyncio.subprocess.Process]:
    child = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.unit.knowledge.reading_worker", place.to_json(), str(scratch), web, *more),
        stdout=asyncio.subprocess.PIPE,
        cwd=ROOT,
        env=clean_environment({name: value for name, value in os.environ.items() if name.startswith(SERVERS)}),
    )
    try:
        yield child
    finally:
        if child.returncode is None:
            child.kill()
            await child.wait()


async def said(child: asyncio.subprocess.Process) -> str:
    assert child.stdout is not None
    async with asyncio.timeout(SECONDS):
        return (await child.stdout.readline()).decode().strip()


@asynccontextmanager
async def opened(place: Place) -> AsyncIterator[Stores]:
    stores = await open_stores(place, STATIC)
    yield stores
    await stores.close()


def after_the_lease() -> datetime:
    """What the dead worker had in hand is nobody's any more."""
    return datetime.now(UTC) + timedelta(minutes=10)


async def killed_in_between(place: Place, web: str, scratch: Path) -> None:
    async with worker(place, web, scratch, "hold") as child:
        assert await said(child) == "held"
        child.kill()
        await child.wait()


async def test_a_replay_makes_the_stores_agree(place: Place, web: str, tmp_path: Path) -> None:
    await killed_in_between(place, web, tmp_path / "scratch")
    async with opened(place) as stores:
        broken = await verify(stores, after_the_lease())
        assert (broken.orphans, broken.facts) == (1, 0)
        (page,) = broken.half_stored
        (record,) = await stores.urls.get([page])
        assert record.status is UrlStatus.SEEN
    async with worker(place, web, tmp_path / "scratch") as child:
        assert await said(child) == "done"
    async with opened(place) as stores:
        sound = await verify(stores, after_the_lease())
        assert (sound.orphans, sound.is_sound) == (0, True)
        assert sound.facts > 0
        (record,) = await stores.urls.get([page])
        assert record.status is UrlStatus.EXTRACTED
        assert record.acknowledged == {"index", "graph"}


async def test_without_a_replay_repair_makes_them_agree(place: Place, web: str, tmp_path: Path) -> None:
    await killed_in_between(place, web, tmp_path / "scratch")
    async with opened(place) as stores:
        now = after_the_lease()
        done = await repair(stores, await verify(stores, now), now)
        assert done.added > 0
        assert (await verify(stores, now)).orphans == 0
