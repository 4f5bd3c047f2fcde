"""Everything a store holds, page by page: for checks, repair and export."""

from collections.abc import AsyncGenerator

from storage.ports import (
    ClaimRecord,
    Entity,
    EvidenceIndex,
    Fact,
    KnowledgeGraph,
    Passage,
    UrlRecord,
    UrlRegistry,
    Vector,
)

PAGE = 500
"""Rows per request: a few megabytes with their vectors."""


async def all_passages(index: EvidenceIndex, collection: str) -> AsyncGenerator[tuple[Passage, Vector], None]:
    """A collection in the order of ids."""
    after: str | None = None
    while page := await index.scan(collection, after=after, limit=PAGE):
        for row in page:
            yield row
        after = page[-1][0].id


async def all_facts(graph: KnowledgeGraph) -> AsyncGenerator[Fact, None]:
    """Every relation in the order of ids."""
    after: str | None = None
    while page := await graph.scan_facts(after=after, limit=PAGE):
        for fact in page:
            yield fact
        after = page[-1].id


async def all_entities(graph: KnowledgeGraph) -> AsyncGenerator[Entity, None]:
    """Every entity in the order of keys."""
    after: str | None = None
    while page := await graph.scan_entities(after=after, limit=PAGE):
        for entity in page:
            yield entity
        after = page[-1].key


async def all_claims(graph: KnowledgeGraph) -> AsyncGenerator[ClaimRecord, None]:
    """Every verified claim in the order of job ids."""
    after: str | None = None
    while page := await graph.scan_claims(after=after, limit=PAGE):
        for claim in page:
            yield claim
        after = page[-1].job_id


async def all_pages(urls: UrlRegistry) -> AsyncGenerator[UrlRecord, None]:
    """Every page of the registry."""
    after: str | None = None
    while page := await urls.scan(after=after, limit=PAGE):
        for record in page:
            yield record
        after = page[-1].url
