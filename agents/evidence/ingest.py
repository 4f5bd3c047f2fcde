"""From a readable page to passages in the index: cut, embedded, stored. Doing it twice is doing it once.

Search expansion calls `ingest_page`; `veristream ingest` and the refresh of the knowledge base store in bulk.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from agents.evidence.chunking import chunk
from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import ExtractedPage
from agents.language.ports import Embedder
from storage.ports import EvidenceIndex, Passage

SNIPPET_CHARACTERS = 200


class Stored(NamedTuple):
    """What became of passages: how many were new, and how many the index held already."""

    new: int
    known: int


async def ingest_page(
    page: ExtractedPage,
    collection: str,
    *,
    index: EvidenceIndex,
    embedder: Embedder,
    credibility: SourceCredibility,
    now: datetime,
) -> list[Passage]:
    """Store a page's passages; returns all of them, those that were known included."""
    passages = passages_of(page, collection, credibility, now)
    await store_passages(passages, index, embedder)
    return passages


def passages_of(
    page: ExtractedPage, collection: str, credibility: SourceCredibility, now: datetime, method: str = "trafilatura"
) -> list[Passage]:
    """The passages that a page is stored as."""
    return [
        Passage(
            collection=collection,
            url=page.url,
            text=text,
            fetched=now,
            title=page.title,
            snippet=text[:SNIPPET_CHARACTERS],
            domain=page.domain,
            published=page.published,
            credibility=credibility.prior(page.domain),
            extraction=method,
        )
        for text in chunk(page.text)
    ]


async def store_passages(passages: Sequence[Passage], index: EvidenceIndex, embedder: Embedder) -> Stored:
    """Store what one collection does not hold yet; what it holds is neither embedded nor written again."""
    missing = await missing_from(index, passages)
    if missing:
        vectors = await embedder.embed([embedded_text(passage) for passage in missing])
        await index.upsert(list(zip(missing, vectors, strict=True)))
    return Stored(len(missing), len(passages) - len(missing))


async def missing_from(index: EvidenceIndex, passages: Sequence[Passage]) -> list[Passage]:
    """Those that their (one) collection does not hold, each once."""
    wanted = {passage.id: passage for passage in passages}
    if not wanted:
        return []
    held = await index.get(passages[0].collection, list(wanted))
    for passage in held:
        del wanted[passage.id]
    return list(wanted.values())


async def held_passages(index: EvidenceIndex, ids: Iterable[str], *, outside: str = "") -> set[str]:
    """Those of the ids that any collection holds, but for the one named `outside`."""
    wanted = sorted(ids)
    held: set[str] = set()
    for collection in await index.collections():
        if wanted and collection.name != outside:
            held |= {passage.id for passage in await index.get(collection.name, wanted)}
    return held


def embedded_text(passage: Passage) -> str:
    """What a passage is embedded as: its title says what a passage in the middle of a page is about."""
    return f"{passage.title}. {passage.text}" if passage.title else passage.text
