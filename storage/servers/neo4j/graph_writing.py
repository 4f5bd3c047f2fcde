"""The graph's Cypher for writing; each function runs in its caller's transaction.

Batches lock what they share by writing to it first, entities before sources and each by sorted keys: two batches
that meet wait for each other instead of deadlocking. A statement that locks does nothing else: one that merges or
reads properties besides keeps others from adding relations while it waits, and that is a deadlock.
"""

from collections.abc import Iterable, Sequence
from typing import Any, LiteralString

from neo4j import Record

from storage.ports.graph import ClaimRecord, Entity, Fact, entity_key
from storage.servers.neo4j.connection import Work
from storage.servers.neo4j.keys import key_of
from storage.times import micros

DELETED_AT_ONCE = 1_000
"""Facts deleted per transaction, so that a large clearing-up holds no locks for long."""
END_OF_TIME = 2**63 - 1
"""A moment that everything was observed before."""

ENTITIES: LiteralString = """
UNWIND $rows AS row
MERGE (e:Entity {space: $space, key: row.key}) ON CREATE SET e.name = row.name, e.kind = ''
"""
LOCK_ENTITIES: LiteralString = "UNWIND $keys AS key MATCH (e:Entity {space: $space, key: key}) SET e.locked = true"
KINDS: LiteralString = "UNWIND $rows AS row MATCH (e:Entity {space: $space, key: row.key}) SET e.kind = row.kind"
ALIASES: LiteralString = "UNWIND $keys AS key MERGE (:Alias {space: $space, key: key})"
LOCK_ALIASES: LiteralString = "UNWIND $keys AS key MATCH (a:Alias {space: $space, key: key}) SET a.locked = true"
NAMES: LiteralString = """
UNWIND $rows AS row
MATCH (a:Alias {space: $space, key: row.key}) MATCH (e:Entity {space: $space, key: row.entity})
MERGE (a)-[r:NAMES]->(e) ON CREATE SET r.name = row.name
"""
BEARERS: LiteralString = """
UNWIND $keys AS key
OPTIONAL MATCH (bearer:Entity {space: $space, key: key})
OPTIONAL MATCH (:Alias {space: $space, key: key})-[:NAMES]->(named:Entity)
RETURN key, bearer IS NOT NULL AS own, collect(DISTINCT named.key) AS others
"""
SOURCES: LiteralString = """
UNWIND $rows AS row
MERGE (s:Source {space: $space, key: row.key}) ON CREATE SET s.url = row.url
"""
LOCK_SOURCES: LiteralString = "UNWIND $keys AS key MATCH (s:Source {space: $space, key: key}) SET s.locked = true"
DESCRIBE: LiteralString = """
UNWIND $rows AS row
MATCH (s:Source {space: $space, key: row.key}) SET s.domain = row.domain, s.title = row.title
"""
FACTS: LiteralString = """
UNWIND $rows AS row
MERGE (f:Fact {space: $space, fact_id: row.fact_id})
ON CREATE SET f.subject_key = row.subject_key, f.object_key = row.object_key,
              f.subject = row.subject, f.relation = row.relation, f.object = row.object
SET f.observed = row.observed, f.confidence = row.confidence, f.published = row.published,
    f.text = row.text, f.passage_id = row.passage_id
"""
TIES: LiteralString = """
UNWIND $rows AS row
MATCH (f:Fact {space: $space, fact_id: row.fact_id}) WHERE NOT EXISTS { (f)-[:STATED_BY]->() }
MATCH (subject:Entity {space: $space, key: row.subject_key})
MATCH (object:Entity {space: $space, key: row.object_key})
MATCH (s:Source {space: $space, key: row.source_key})
CREATE (f)-[:SUBJECT]->(subject) CREATE (f)-[:OBJECT]->(object) CREATE (f)-[:STATED_BY]->(s)
"""
ENDS_OF: LiteralString = """
MATCH (:Source {space: $space, key: $key})<-[:STATED_BY]-(:Fact)-[:SUBJECT|OBJECT]->(e:Entity)
RETURN DISTINCT e.key AS key
"""
TIED: LiteralString = """
MATCH (f)-[:SUBJECT|OBJECT]->(e:Entity) MATCH (f)-[:STATED_BY]->(s:Source)
RETURN collect(DISTINCT f.fact_id) AS facts, collect(DISTINCT e.key) AS entities, collect(DISTINCT s.key) AS sources
"""
OLD: LiteralString = "MATCH (f:Fact) WHERE f.space = $space AND f.observed < $before WITH f LIMIT $limit" + TIED
CHOSEN: LiteralString = "UNWIND $ids AS id MATCH (f:Fact {space: $space, fact_id: id})" + TIED
DELETE_PAGE_FACTS: LiteralString = """
MATCH (:Source {space: $space, key: $key})<-[:STATED_BY]-(f:Fact) DETACH DELETE f RETURN count(*) AS gone
"""
DELETE_FACTS: LiteralString = """
UNWIND $ids AS id MATCH (f:Fact {space: $space, fact_id: id}) WHERE f.observed < $before
DETACH DELETE f RETURN count(*) AS gone
"""
DELETE_SOURCES: LiteralString = """
UNWIND $keys AS key MATCH (s:Source {space: $space, key: key}) WHERE NOT EXISTS { (s)<--() } DELETE s
"""
CLAIM: LiteralString = """
MERGE (c:Claim {space: $space, job_id: $job_id}) SET c.text = $text, c.names = $names, c.at = $at
WITH c OPTIONAL MATCH (c)-[r:MENTIONS]->(:Entity) DELETE r
"""
MENTIONS: LiteralString = """
MATCH (c:Claim {space: $space, job_id: $job_id})
UNWIND $keys AS key MATCH (e:Entity {space: $space, key: key}) CREATE (c)-[:MENTIONS]->(e)
"""


async def upsert_entities(work: Work, entities: Iterable[Entity]) -> None:
    """Insert or complete; a kind that is known is not overwritten by an unknown one."""
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    aliases: dict[tuple[str, str], dict[str, str]] = {}
    for entity in entities:
        key = key_of(entity.key)
        names.setdefault(key, entity.name)
        if entity.kind:
            kinds[key] = entity.kind
        for alias in entity.aliases:
            named = key_of(entity_key(alias))
            aliases.setdefault((named, key), {"key": named, "entity": key, "name": alias})
    await _lock_entities(work, names)
    await work.rows(KINDS, rows=[{"key": key, "kind": kind} for key, kind in kinds.items()])
    keys = sorted({named for named, _ in aliases})
    await work.rows(ALIASES, keys=keys)
    await work.rows(LOCK_ALIASES, keys=keys)
    await work.rows(NAMES, rows=list(aliases.values()))


async def _lock_entities(work: Work, names: dict[str, str]) -> None:
    """Create those that are new, then lock all of them; by key, with the name a new one gets."""
    await work.rows(ENTITIES, rows=[{"key": key, "name": names[key]} for key in sorted(names)])
    await work.rows(LOCK_ENTITIES, keys=sorted(names))


async def _entities(work: Work, names: Iterable[str]) -> dict[str, str]:
    """The key of the entity each name stands for: its bearer, else the one it is the only alias of, else a new one.

    All of them are locked until the transaction ends.
    """
    spelled: dict[str, str] = {}
    for name in names:
        spelled.setdefault(key_of(entity_key(name)), name)
    found = {}
    for row in await work.rows(BEARERS, keys=sorted(spelled)):
        others = row["others"]
        found[row["key"]] = others[0] if not row["own"] and len(others) == 1 else row["key"]
    await _lock_entities(work, {key: spelled.get(key, "") for key in found.values()})
    return found


async def upsert_facts(work: Work, facts: Sequence[Fact]) -> int:
    """Insert or update; returns how many were new."""
    ends = await _entities(work, (name for fact in facts for name in (fact.triple.subject, fact.triple.object)))
    sources = {key_of(fact.url): fact for fact in facts}
    rows = {fact.id: _row(fact, ends) for fact in facts}
    ordered = [rows[key] for key in sorted(rows)]
    pages = [
        {"key": key, "url": fact.url, "domain": fact.domain, "title": fact.title}
        for key, fact in sorted(sources.items())
    ]
    await work.rows(SOURCES, rows=pages)
    await work.rows(LOCK_SOURCES, keys=sorted(sources))
    await work.rows(DESCRIBE, rows=pages)
    fresh = await work.created(FACTS, rows=ordered)
    if fresh:
        await work.rows(TIES, rows=[{name: row[name] for name in TIE} for row in ordered])
    return fresh


TIE = ("fact_id", "subject_key", "object_key", "source_key")


def _row(fact: Fact, ends: dict[str, str]) -> dict[str, Any]:
    triple = fact.triple
    return {
        "fact_id": fact.id,
        "subject_key": ends[key_of(entity_key(triple.subject))],
        "object_key": ends[key_of(entity_key(triple.object))],
        "source_key": key_of(fact.url),
        "subject": triple.subject,
        "relation": triple.relation,
        "object": triple.object,
        "observed": micros(fact.observed),
        "confidence": fact.confidence,
        "published": None if fact.published is None else fact.published.toordinal(),
        "text": fact.text,
        "passage_id": fact.passage_id,
    }


async def delete_by_url(work: Work, url: str) -> int:
    """A page's facts, and the page unless verdicts rest on it."""
    key = key_of(url)
    entities = [row["key"] for row in await work.rows(ENDS_OF, key=key)]
    await work.rows(LOCK_ENTITIES, keys=sorted(entities))
    await work.rows(LOCK_SOURCES, keys=[key])
    gone = await work.row(DELETE_PAGE_FACTS, key=key)
    await work.rows(DELETE_SOURCES, keys=[key])
    return int(gone["gone"]) if gone else 0


async def delete_observed_before(work: Work, moment: int) -> int:
    """Some of the old facts, and the pages that are left without any; 0 when no old fact is left."""
    return await _delete(work, await work.row(OLD, before=moment, limit=DELETED_AT_ONCE), moment)


async def delete_facts(work: Work, ids: Sequence[str]) -> int:
    """Some facts, and the pages that are left without any."""
    return await _delete(work, await work.row(CHOSEN, ids=list(ids)), END_OF_TIME)


async def _delete(work: Work, found: Record | None, before: int) -> int:
    """The facts found, as far as nobody has stated them again since, and sources that nothing leads to any more."""
    assert found is not None
    await work.rows(LOCK_ENTITIES, keys=sorted(found["entities"]))
    await work.rows(LOCK_SOURCES, keys=sorted(found["sources"]))
    gone = await work.row(DELETE_FACTS, ids=found["facts"], before=before)
    await work.rows(DELETE_SOURCES, keys=sorted(found["sources"]))
    return int(gone["gone"]) if gone else 0


async def record_claim(work: Work, claim: ClaimRecord) -> None:
    """Insert or replace."""
    ends = await _entities(work, claim.entities)
    await work.rows(CLAIM, job_id=claim.job_id, text=claim.text, names=list(claim.entities), at=micros(claim.at))
    await work.rows(MENTIONS, job_id=claim.job_id, keys=sorted(set(ends.values())))
