"""From the relations that a page states to facts in the graph. Doing it twice is doing it once."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from agents.evidence.extraction import ExtractedPage
from agents.evidence.statements import Statement, Statements
from agents.language.rules.entities import find_entities
from scoring.values import Triple
from storage.ports import Entity, Fact, KnowledgeGraph, Passage, entity_key

ARTICLES = frozenset({"a", "an", "the"})
STATED = 0.6
"""Confidence in a relation that one page states: a little above even, because extraction also errs."""


async def ingest_relations(
    page: ExtractedPage,
    triples: Sequence[Triple],
    passages: Sequence[Passage],
    *,
    graph: KnowledgeGraph,
    now: datetime,
) -> int:
    """Store a page's relations and the entities in them, each with its sentence; returns how many were new."""
    if not triples:
        return 0
    names = dict.fromkeys(name for triple in triples for name in (triple.subject, triple.object))
    await graph.upsert_entities([Entity(name, aliases=aliases_of(name)) for name in names])
    statements = await asyncio.to_thread(Statements, passages)
    facts = [
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
    return await graph.upsert_facts([stated(fact, statements.of(fact.triple)) for fact in facts])


def aliases_of(phrase: str) -> tuple[str, ...]:
    """The name within a phrase that is a name with titles: "Mayor Jane Morrow" is Jane Morrow.

    Surnames and initials are left out: among all pages there is more than one Morrow.
    """
    found = find_entities(f"About {phrase}")
    if len(found) != 1 or not phrase.endswith(found[0].name):
        return ()
    before = phrase.removesuffix(found[0].name).split()
    if any(word.islower() and word not in ARTICLES for word in before):
        return ()
    return () if entity_key(found[0].name) == entity_key(phrase) else (found[0].name,)


def stated(fact: Fact, statement: Statement | None) -> Fact:
    """The fact with its sentence and the passage that says it, where one was found."""
    return replace(fact, text=statement.text, passage_id=statement.passage_id) if statement is not None else fact
