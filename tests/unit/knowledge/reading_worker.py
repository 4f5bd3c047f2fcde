"""A worker's search expansion in a process of its own: `reading_worker PLACE SCRATCH WEB [hold]`.

With `hold` it stops for ever between the write to the index and the write to the graph, and says so.
"""

import asyncio
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import samples
from agents.claims.submission import Submission
from storage.ports import Embedder, KnowledgeGraph
from streams.bootstrap import open_services
from streams.embedded.samples import trusting_the_town
from streams.settings import Settings
from tests.unit.claims.conftest import travel
from tests.unit.knowledge.places import Place, open_stores

CLAIM = "sample-08"
"""One that the empty knowledge base cannot settle, so that pages are fetched."""


class HeldGraph:
    """The graph, as far as reading goes; who wants to write waits for ever."""

    def __init__(self, graph: KnowledgeGraph) -> None:
        self._graph = graph

    def __getattr__(self, name: str) -> Any:
        return getattr(self._graph, name)

    async def upsert_entities(self, _: object) -> None:
        print("held", flush=True)
        await asyncio.Event().wait()

    upsert_facts = upsert_entities


async def main(place: Place, scratch: str, web: str, *, hold: bool) -> None:
    # Everything but the stores; those are the test's own, wherever they are.
    settings = Settings(
        data_dir=Path(scratch), sample_web_url=web, embedder="static", embedded=True, weaviate_url=None, neo4j_url=None
    )
    async with open_services(trusting_the_town(settings)) as services:
        stores = await open_stores(place, Embedder(services.embedder.name, services.embedder.dimension))
        graph = cast("KnowledgeGraph", HeldGraph(stores.graph)) if hold else stores.graph
        own = replace(services, ledger=stores.ledger, index=stores.index, graph=graph, urls=stores.urls)
        claim = next(one for one in samples.load().claims if one.job_id == CLAIM)
        await travel(Submission(job_id=claim.job_id, claim=claim.claim), own)
        await stores.close()
    print("done", flush=True)


if __name__ == "__main__":
    where, folder, origin, *held = sys.argv[1:]
    asyncio.run(main(Place(**json.loads(where)), folder, origin, hold=bool(held)))
