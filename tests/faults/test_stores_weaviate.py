"""Weaviate stopped, killed and swapped under readers: no passage is lost, and repair closes the gap in the vectors."""

import asyncio
import os
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from deploy.services import Weaviate
from storage.ports import Embedder, HybridQuery, Passage, Vector
from storage.servers.config import WeaviateServer
from storage.servers.weaviate.index import WeaviateEvidenceIndex
from tests.faults.stores_load import OUTAGE_S, Load, under_load
from tests.support.opening import held, serving
from tests.support.processes import call
from tests.support.servers import fresh_space
from tests.unit.ingest.makers import json_lines

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(420)]

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EMBEDDER = Embedder("seeded", 32)
BATCH = 20
KILLS = 2


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weaviate]:
    with serving(Weaviate(tmp_path_factory.mktemp("weaviate"))) as weaviate:
        yield weaviate


@pytest.fixture
def place(server: Weaviate) -> WeaviateServer:
    return WeaviateServer(server.address, server.grpc_port, server.api_key, space=fresh_space())


@pytest.fixture
async def index(place: WeaviateServer) -> AsyncIterator[WeaviateEvidenceIndex]:
    async with held(WeaviateEvidenceIndex.open(place, EMBEDDER)) as opened:
        yield opened


def batch(name: str, collection: str = "facts", size: int = BATCH) -> list[tuple[Passage, Vector]]:
    """Passages whose vectors point in random directions, the same for the same name."""
    draw = np.random.default_rng(list(name.encode()))
    rows = draw.normal(size=(size, EMBEDDER.dimension)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return [
        (Passage(collection, f"https://a.org/{name}/{n}", f"batch {name} passage {n}", NOW), row)
        for n, row in enumerate(rows)
    ]


def step_of(index: WeaviateEvidenceIndex) -> Callable[[str], Awaitable[None]]:
    async def step(name: str) -> None:
        items = batch(name)
        await index.upsert(items)
        await index.search(HybridQuery(items[0][0].text, items[0][1], collections=("facts",)))

    return step


async def assert_kept(load: Load, index: WeaviateEvidenceIndex) -> None:
    """Every passage of every promised batch is there, as it was written."""
    for name in load.promised:
        passages = [passage for passage, _ in batch(name)]
        assert await index.get("facts", [passage.id for passage in passages]) == passages, name


async def assert_repaired(index: WeaviateEvidenceIndex) -> int:
    """Whatever searches do not reach is mended; returns how many that were."""
    lost = await index.unreachable("facts")
    before = await index.count("facts")
    assert await index.repair("facts", lost) == len(lost)
    assert await index.unreachable("facts") == []
    assert await index.count("facts") == before
    return len(lost)


async def test_stopped_for_twenty_seconds_under_load_it_pauses_the_workers_and_they_converge(
    server: Weaviate, index: WeaviateEvidenceIndex
) -> None:
    async with under_load(step_of(index), workers=4) as load:
        await load.until_promised(10)
        await asyncio.to_thread(server.stop)
        await asyncio.sleep(OUTAGE_S)
        await asyncio.to_thread(server.start)
        await load.until_promised(10)
    assert load.refusals > 0
    await assert_kept(load, index)
    assert await index.count("facts") == BATCH * len(load.promised)


async def test_killed_in_the_middle_of_writes_it_loses_no_passage_and_repair_mends_the_rest(
    server: Weaviate, index: WeaviateEvidenceIndex
) -> None:
    async with under_load(step_of(index), workers=4) as load:
        for _ in range(KILLS):
            await load.until_promised(10)
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
    await assert_kept(load, index)
    await assert_repaired(index)


def _cut_logs(server: Weaviate, space: str) -> None:
    """Take the end of the vector index's log away, as a crash may."""
    logs = [path for path in server.home.folder.rglob("*hnsw.commitlog.d/*") if space.lower() in str(path)]
    assert logs
    for log in logs:
        os.truncate(log, log.stat().st_size * 2 // 3)


async def test_vectors_that_a_crash_has_cut_off_are_found_and_mended(
    server: Weaviate, index: WeaviateEvidenceIndex
) -> None:
    """A kill leaves this gap only now and then; here the end of the vector index's log is cut off on purpose."""
    names = [f"cut-{n}" for n in range(10)]
    for name in names:
        await index.upsert(batch(name))
    await asyncio.to_thread(server.kill)
    _cut_logs(server, index._weaviate.server.space)
    await asyncio.to_thread(server.start)

    lost = await index.unreachable("facts")
    assert lost
    again = [item for name in names for item in batch(name)]
    assert await index.upsert(again) == 0
    assert await index.unreachable("facts") == lost  # writing the same again does not mend it
    assert await assert_repaired(index) == len(lost)
    for passage, vector in again:
        [hit] = await index.search(HybridQuery("", vector, limit=1, collections=("facts",)))
        assert hit.passage == passage


async def test_after_a_kill_the_command_mends_what_the_server_lost(
    server: Weaviate, place: WeaviateServer, tmp_path: Path
) -> None:
    """`veristream stores repair`, with passages that `veristream ingest` was writing when the server died."""
    environment = {
        "VERISTREAM_DATA_DIR": str(tmp_path / "data"),
        "VERISTREAM_EMBEDDER": "static",
        "VERISTREAM_STORE_SPACE": place.space,
        **server.settings(),
    }
    documents = [{"id": n, "text": f"Document number {n} is about bridge number {n}."} for n in range(600)]
    corpus = str(json_lines(tmp_path / "c.jsonl", documents))
    assert (await asyncio.to_thread(call, ["ingest", corpus], environment)).returncode == 0
    await asyncio.to_thread(server.kill)
    _cut_logs(server, place.space)
    await asyncio.to_thread(server.start)

    amiss = await asyncio.to_thread(call, ["stores", "verify"], environment)
    assert amiss.returncode == 1
    lost = re.search(r"passages of static_gk that searches do not reach: (\d+)", amiss.stdout)
    assert lost is not None
    assert amiss.stderr.endswith("error: the stores need mending: `veristream stores repair`\n")
    mended = await asyncio.to_thread(call, ["stores", "repair"], environment)
    assert (mended.returncode, mended.stderr) == (0, "")
    assert f"passages written anew {lost[1]}" in mended.stdout
    sound = await asyncio.to_thread(call, ["stores", "verify"], environment)
    assert sound.stdout == "looked at 600 passages and 0 relations\nthe stores agree\n"


async def test_a_swap_under_four_readers_shows_each_of_them_one_generation_whole(place: WeaviateServer) -> None:
    size, swaps = 30, 8
    writer = await WeaviateEvidenceIndex.open(place, EMBEDDER)
    readers = [await WeaviateEvidenceIndex.open(place, EMBEDDER) for _ in range(4)]
    await writer.upsert(batch("generation-0", "live", size))
    vector = batch("anything")[0][1]
    finished = asyncio.Event()
    seen: list[frozenset[str]] = []

    async def read(index: WeaviateEvidenceIndex) -> None:
        while not finished.is_set():
            hits = await index.search(HybridQuery("passage", vector, limit=size, collections=("live",)))
            assert len(hits) == size
            seen.append(frozenset(hit.passage.text.split()[1] for hit in hits))

    async with asyncio.timeout(120), asyncio.TaskGroup() as group:
        for reader in readers:
            group.create_task(read(reader))
        for n in range(1, swaps + 1):
            await writer.upsert(batch(f"generation-{n}", "fresh", size))
            await writer.swap("fresh", "live")
        finished.set()
    for index in (writer, *readers):
        await index.close()
    assert {len(generations) for generations in seen} == {1}
    assert len(set(seen)) > 2
