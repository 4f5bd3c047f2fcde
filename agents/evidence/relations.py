"""From the relations that a page states to facts in the graph. Doing it twice is doing it once."""

from collections.abc import Sequence
from datetime import datetime

from agents.evidence.extraction import ExtractedPage
from scoring.values import Triple
from storage.ports import Entity, Fact, KnowledgeGraph

STATED = 0.6
"""Confidence in a relation that one page states: a little above even, because extraction also errs."""


async def ingest_relations(
    page: ExtractedPage, triples: Sequence[Triple], *, graph: KnowledgeGraph, now: datetime
) -> int:
    """Store a page's relations and the entities in them; returns how many relations were new."""
    if not triples:
        return 0
    names = dict.fromkeys(name for triple in triples for name in (triple.subject, triple.object))
    await graph.upsert_entities([Entity(name) for name in names])
    return await graph.upsert_facts(
        [
            Fact(
                triple,
                url=page.url,
                observed=now,
                confidence=STATED,
                published=page.published,
                domain=page.domain,
                title=page.title,
            )
            for triple in triples
        ]
    )
