"""A worker refreshes beside its stages when the settings say so, and whatever becomes of it the stages go on."""

import asyncio
from datetime import date
from pathlib import Path

from agents.evidence.ports import SearchOutcome
from storage.ports import Stores
from storage.ports.evidence import CURRENT_AFFAIRS
from streams.refreshing import refreshing
from streams.settings import Settings
from tests.unit.knowledge.world import MemoryWeb, world


class Announcing(MemoryWeb):
    """Says when it is searched."""

    def __init__(self, *, broken: bool = False) -> None:
        super().__init__(MemoryWeb.edition("monday").pages)
        self.asked = asyncio.Event()
        self._broken = broken

    async def search(self, query: str, limit: int, as_of: date | None = None) -> SearchOutcome:
        self.asked.set()
        if self._broken:
            raise RuntimeError("a bug in a search adapter")
        return await MemoryWeb.search(self, query, limit, as_of)


async def test_it_is_off_unless_it_is_set(stores: Stores, tmp_path: Path) -> None:
    web = Announcing()
    async with refreshing(Settings(data_dir=tmp_path), world(stores, web)):
        await asyncio.sleep(0)
    assert not web.asked.is_set()


async def test_it_refreshes_while_the_block_runs(stores: Stores, tmp_path: Path) -> None:
    web = Announcing()
    async with refreshing(Settings(data_dir=tmp_path, refresh_hours=1), world(stores, web)), asyncio.timeout(60):
        await web.asked.wait()
        while not await stores.index.count(CURRENT_AFFAIRS):
            await asyncio.sleep(0.02)


async def test_a_bug_in_it_does_not_reach_the_stages(stores: Stores, tmp_path: Path) -> None:
    web = Announcing(broken=True)
    async with refreshing(Settings(data_dir=tmp_path, refresh_hours=1), world(stores, web)), asyncio.timeout(60):
        await web.asked.wait()
    assert await stores.index.collections() == []


async def test_it_stops_with_the_worker(stores: Stores, tmp_path: Path) -> None:
    web = Announcing()
    async with refreshing(Settings(data_dir=tmp_path, refresh_hours=1), world(stores, web)), asyncio.timeout(60):
        await web.asked.wait()
    assert not [task for task in asyncio.all_tasks() if task.get_name() == "knowledge refresh"]
