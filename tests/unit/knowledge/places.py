"""Where one test's stores lie: a folder, or a space of its own on the real servers with a folder beside it."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from storage.embedded.stores import open_embedded
from storage.ports import Embedder, Stores

EMBEDDER = Embedder("test-embedder", 8)


@dataclass(frozen=True, slots=True)
class Place:
    """`space` is empty for embedded stores."""

    folder: str
    space: str = ""

    def to_json(self) -> str:
        return json.dumps(asdict(self))


async def open_stores(place: Place, embedder: Embedder = EMBEDDER) -> Stores:
    """All four stores at `place`; opening it again shares the data."""
    if not place.space:
        return await open_embedded(Path(place.folder), embedder)
    from storage.servers.stores import open_servers
    from tests.support.servers import neo4j_server, weaviate_server

    return await open_servers(embedder, weaviate=weaviate_server(place.space), neo4j=neo4j_server(place.space))
