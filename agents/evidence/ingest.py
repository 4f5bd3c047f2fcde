"""From a readable page to passages in the index: cut, embedded, stored. Doing it twice is doing it once."""

from datetime import datetime

from agents.evidence.chunking import chunk
from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import ExtractedPage
from agents.language.ports import Embedder
from storage.ports import EvidenceIndex, Passage

SNIPPET_CHARACTERS = 200


async def ingest_page(
    page: ExtractedPage,
    collection: str,
    *,
    index: EvidenceIndex,
    embedder: Embedder,
    credibility: SourceCredibility,
    now: datetime,
) -> int:
    """Store a page's passages; returns how many were new."""
    passages = [
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
            extraction="trafilatura",
        )
        for text in chunk(page.text)
    ]
    # The title says what a passage in the middle of a page is about; the stored text stays what the page says.
    vectors = await embedder.embed([f"{passage.title}. {passage.text}" for passage in passages])
    return await index.upsert(list(zip(passages, vectors, strict=True)))
