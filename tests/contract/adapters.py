"""How each adapter's stores are opened, in the test's process or in another one: a new adapter is one more kind."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

from storage.embedded.stores import open_embedded
from storage.ports import Embedder, Stores

EMBEDDER = Embedder("test-embedder", 8)


@dataclass(frozen=True, slots=True)
class Place:
    """Where one test's data lives. `where` is a folder, or a prefix that nothing else uses."""

    kind: str
    where: str

    def to_json(self) -> str:
        return json.dumps(asdict(self))


async def open_stores(place: Place, embedder: Embedder = EMBEDDER) -> Stores:
    """All four stores at `place`; opening it again shares the data."""
    if place.kind == "embedded":
        return await open_embedded(Path(place.where), embedder)
    raise ValueError(f"no adapter is called {place.kind!r}")
