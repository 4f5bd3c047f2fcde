"""From a readable page to passages in the index: cut, embedded, stored. Doing it twice is doing it once.

Search expansion calls `ingest_page`; `veristream ingest` and the refresh of the knowledge base store in bulk.
"""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple

from agents.evidence.chunking import chunk
from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import ExtractedPage, domain_of
from agents.evidence.language import extraction_mark, language_of, reader_of
from agents.evidence.ports import SearchResult
from agents.language.ports import Embedder
from storage.ports import EvidenceIndex, Passage, normal_url

SNIPPET_CHARACTERS = 200
SNIPPET = "snippet"
"""The reader's name of a passage that nobody has read on its page: it may be shown, and nothing may rest on it."""
SNIPPET_LEAST = 40
SNIPPET_CREDIBILITY = 0.5


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
    page: ExtractedPage, collection: str, credibility: SourceCredibility, now: datetime, method: str = ""
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
            extraction=extraction_mark(method or page.reader, page.language),
        )
        for text in chunk(page.text)
    ]


def snippet_passage(
    result: SearchResult, collection: str, credibility: SourceCredibility, now: datetime
) -> Passage | None:
    """What a search engine says of a page that could not be read: a lead, half as credible as the page itself.

    None if it says too little to be one.
    """
    text = " ".join(result.snippet.split())
    if len(text) < SNIPPET_LEAST:
        return None
    domain = domain_of(result.url)
    return Passage(
        collection=collection,
        url=normal_url(result.url),
        text=text,
        fetched=now,
        title=result.title,
        snippet=text[:SNIPPET_CHARACTERS],
        domain=domain,
        published=result.published,
        credibility=credibility.prior(domain) * SNIPPET_CREDIBILITY,
        extraction=extraction_mark(SNIPPET, language_of(text)),
    )


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


def is_snippet(extraction: str) -> bool:
    """Whether a passage is a search engine's word for a page, not the page's own."""
    return reader_of(extraction) == SNIPPET
