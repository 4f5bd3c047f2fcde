"""The stores: each test that asks for them runs on the embedded ones, and with `-m services` on Weaviate and Neo4j."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from storage.ports import Stores
from tests.support.opening import held
from tests.unit.knowledge.places import Place, open_stores


@pytest.fixture(scope="session")
def knowledge_spaces() -> Iterator[Any]:
    from tests.support.servers import spaces

    with spaces() as kept:
        yield kept


@pytest.fixture(params=["embedded", pytest.param("servers", marks=pytest.mark.services)])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Place]:
    if request.param == "embedded":
        yield Place(str(tmp_path / "stores"))
        return
    kept = request.getfixturevalue("knowledge_spaces")
    space = kept.next()
    yield Place(str(tmp_path / "stores"), space)
    kept.wipe_passages(space)


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
def environment(tmp_path: Path, unused_tcp_port: int) -> dict[str, str]:
    """Settings of a command: the quick embedder, a folder of one's own, and nobody at the gateway's port."""
    return {
        "VERISTREAM_DATA_DIR": str(tmp_path / "data"),
        "VERISTREAM_EMBEDDER": "static",
        "VERISTREAM_GATEWAY_PORT": str(unused_tcp_port),
    }
