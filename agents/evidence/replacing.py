"""A page that reads differently today: what earlier readings left goes once the new one is stored.

The new passages are there before the old ones go, so a reader always finds the page. Relations are settled first, so
that none ever names a passage that is gone; whoever dies in between finds the rest to do when the step runs again.
"""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime

from agents.evidence.ingest import held_passages
from agents.evidence.relations import stated
from agents.evidence.statements import Statements
from storage.ports import EvidenceIndex, KnowledgeGraph

AT_ONCE = 16
"""Pages whose relations are settled side by side."""


async def replace_earlier(
    collection: str,
    pages: Mapping[str, Sequence[str]],
    *,
    index: EvidenceIndex,
    graph: KnowledgeGraph | None,
    before: datetime,
) -> int:
    """Keep of these pages (address and ids of passages) what the reading begun at `before` found; how many went."""
    urls = list(pages) if graph is not None else []
    for start in range(0, len(urls), AT_ONCE):
        some = urls[start : start + AT_ONCE]
        await asyncio.gather(*(_settle(url, pages[url], collection, index, graph) for url in some if graph is not None))
    return await index.keep_only(collection, pages, fetched_before=before)


async def _settle(url: str, ids: Sequence[str], collection: str, index: EvidenceIndex, graph: KnowledgeGraph) -> None:
    """A relation whose passage is to go moves to the passage that still says so, else it goes as well."""
    current = set(ids)
    outdated = [fact for fact in await graph.facts_from(url) if fact.passage_id and fact.passage_id not in current]
    if not outdated:
        return
    elsewhere = await held_passages(index, {fact.passage_id for fact in outdated}, outside=collection)
    statements = await asyncio.to_thread(Statements, await index.get(collection, ids))
    found = [(fact, statements.of(fact.triple)) for fact in outdated if fact.passage_id not in elsewhere]
    moved = [stated(fact, statement) for fact, statement in found if statement is not None]
    if moved:
        await graph.upsert_facts(moved)
    await graph.delete_facts([fact.id for fact, statement in found if statement is None])
