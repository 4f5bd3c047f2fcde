"""The graph's Cypher for reading; each function runs in its caller's transaction."""

from collections.abc import Sequence
from datetime import date
from typing import LiteralString

from neo4j import Record

from scoring.values import Triple
from storage.graph_scores import GraphScorePolicy, best_first, candidate
from storage.ports.graph import ClaimRecord, Entity, Fact, GraphCandidate, GraphCounts, entity_key
from storage.servers.neo4j.connection import Work
from storage.servers.neo4j.keys import key_of
from storage.times import moment_of

FACT: LiteralString = (
    " RETURN f.fact_id AS fact_id, f.subject_key AS subject_key, f.object_key AS object_key, f.subject AS subject,"
    " f.relation AS relation, f.object AS object, f.observed AS observed, f.confidence AS confidence,"
    " f.published AS published, f.text AS text, f.passage_id AS passage_id, s.url AS url, s.domain AS domain,"
    " s.title AS title "
)
ENTITY: LiteralString = (
    " RETURN e.key AS key, e.name AS name, e.kind AS kind, [(a:Alias)-[r:NAMES]->(e) | [a.key, r.name]] AS aliases "
)
BEHIND: LiteralString = """
UNWIND $keys AS asked
OPTIONAL MATCH (bearer:Entity {space: $space, key: asked})
OPTIONAL MATCH (:Alias {space: $space, key: asked})-[:NAMES]->(named:Entity)
WITH asked, collect(DISTINCT bearer) + collect(DISTINCT named) AS found
UNWIND found AS e
WITH DISTINCT asked, e
RETURN asked, e.key AS key, e.name AS name,
       COUNT { (e)<-[:SUBJECT]-() } + COUNT { (e)<-[:OBJECT]-() } AS facts
"""
ENTITIES: LiteralString = "UNWIND $keys AS key MATCH (e:Entity {space: $space, key: key})" + ENTITY
# Naming every property of the index, those that are given too, lets the rows come in its order without sorting.
AROUND: dict[str, LiteralString] = {
    "subject": """
UNWIND $keys AS key
CALL (key) {
  MATCH (f:Fact) WHERE f.space = $space AND f.subject_key = key AND f.confidence >= 0.0
  RETURN f ORDER BY f.space DESC, f.subject_key DESC, f.confidence DESC, f.fact_id LIMIT $fan_out
}
MATCH (f)-[:STATED_BY]->(s:Source)
"""
    + FACT
    + ", key",
    "object": """
UNWIND $keys AS key
CALL (key) {
  MATCH (f:Fact) WHERE f.space = $space AND f.object_key = key AND f.confidence >= 0.0
  RETURN f ORDER BY f.space DESC, f.object_key DESC, f.confidence DESC, f.fact_id LIMIT $fan_out
}
MATCH (f)-[:STATED_BY]->(s:Source)
"""
    + FACT
    + ", key",
}
FACTS_FROM: LiteralString = (
    "MATCH (s:Source {space: $space, key: $key})<-[:STATED_BY]-(f:Fact)" + FACT + "ORDER BY f.fact_id"
)
SCAN_FACTS: LiteralString = (
    "MATCH (f:Fact) WHERE f.space = $space AND f.fact_id > $after WITH f ORDER BY f.space, f.fact_id LIMIT $limit"
    " MATCH (f)-[:STATED_BY]->(s:Source)" + FACT + "ORDER BY f.space, f.fact_id"
)
SCAN_ENTITIES: LiteralString = (
    "MATCH (e:Entity) WHERE e.space = $space AND e.key > $after WITH e ORDER BY e.space, e.key LIMIT $limit"
    + ENTITY
    + "ORDER BY e.space, e.key"
)
CLAIM: LiteralString = " RETURN c.job_id AS job_id, c.text AS text, c.names AS names, c.at AS at "
CLAIMS_ABOUT: LiteralString = (
    "UNWIND $keys AS key MATCH (e:Entity {space: $space, key: key})<-[:MENTIONS]-(c:Claim)"
    " WITH c, count(*) AS shared" + CLAIM + "ORDER BY shared DESC, c.at DESC, c.job_id LIMIT $limit"
)
SCAN_CLAIMS: LiteralString = (
    "MATCH (c:Claim) WHERE c.space = $space AND c.job_id > $after" + CLAIM + "ORDER BY c.space, c.job_id LIMIT $limit"
)
COUNTS: LiteralString = """
RETURN COUNT { MATCH (e:Entity) WHERE e.space = $space AND e.key IS NOT NULL } AS entities,
       COUNT { MATCH (f:Fact) WHERE f.space = $space AND f.fact_id IS NOT NULL } AS facts,
       COUNT { MATCH (s:Source) WHERE s.space = $space AND s.key IS NOT NULL
               AND EXISTS { (s)<-[:STATED_BY]-() } } AS sources,
       COUNT { MATCH (c:Claim) WHERE c.space = $space AND c.job_id IS NOT NULL } AS claims
"""


def _fact(row: Record) -> Fact:
    return Fact(
        triple=Triple(row["subject"], row["relation"], row["object"]),
        url=row["url"],
        observed=moment_of(row["observed"]),
        confidence=row["confidence"],
        published=None if row["published"] is None else date.fromordinal(row["published"]),
        domain=row["domain"],
        title=row["title"],
        text=row["text"],
        passage_id=row["passage_id"],
    )


def _entity(row: Record) -> Entity:
    return Entity(row["name"], row["kind"], tuple(name for _, name in sorted(row["aliases"])))


def _claim(row: Record) -> ClaimRecord:
    return ClaimRecord(row["job_id"], row["text"], tuple(row["names"]), moment_of(row["at"]))


async def _behind(work: Work, names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Per name, the entities it stands for as key → name: its bearer first, then those with most facts."""
    keys = {name: key_of(entity_key(name)) for name in names}
    ranked: dict[str, list[tuple[bool, int, str, str]]] = {key: [] for key in keys.values()}
    for row in await work.rows(BEHIND, keys=sorted(ranked)):
        ranked[row["asked"]].append((row["key"] != row["asked"], -row["facts"], row["key"], row["name"]))
    return {name: {found: called for *_, found, called in sorted(ranked[key])} for name, key in keys.items()}


async def resolve(work: Work, names: Sequence[str]) -> dict[str, Entity]:
    """The first entity behind each name."""
    behind = await _behind(work, names)
    best = {name: next(iter(found)) for name, found in behind.items() if found}
    rows = await work.rows(ENTITIES, keys=sorted(set(best.values())))
    entities = {row["key"]: _entity(row) for row in rows}
    return {name: entities[key] for name, key in best.items()}


async def candidates(work: Work, names: Sequence[str], limit: int, policy: GraphScorePolicy) -> list[GraphCandidate]:
    """Facts within two hops, scored; each hop follows the most confident facts only."""
    behind = await _behind(work, names)
    asked = {key: called for found in behind.values() for key, called in found.items()}
    near = await _facts_around(work, list(asked), policy.fan_out)
    by_confidence = sorted(near.values(), key=lambda row: -row["confidence"])
    ends = dict.fromkeys(end for row in by_confidence for end in _ends(row) if end not in asked)
    far = await _facts_around(work, list(ends)[: policy.frontier], policy.second_fan_out)
    # A stored key may be a digest; what is matched is told by the entity's own key.
    own = {key: entity_key(called) for key, called in asked.items()}
    asked_keys = frozenset(own.values())
    scored = []
    for row in (far | near).values():
        subject, other = _ends(row)
        scored.append(candidate(_fact(row), (own.get(subject, subject), own.get(other, other)), asked_keys, policy))
    return best_first(scored, limit)


def _ends(row: Record) -> tuple[str, str]:
    return row["subject_key"], row["object_key"]


async def _facts_around(work: Work, keys: Sequence[str], fan_out: int) -> dict[str, Record]:
    """By fact id, in the order of the entities, each with its most confident facts first."""
    if not keys:
        return {}
    found: dict[str, list[Record]] = {key: [] for key in keys}
    for statement in AROUND.values():
        for row in await work.rows(statement, keys=list(keys), fan_out=fan_out):
            found[row["key"]].append(row)
    return {row["fact_id"]: row for rows in found.values() for row in rows}


async def facts_from(work: Work, url: str) -> list[Fact]:
    """What a page states."""
    return [_fact(row) for row in await work.rows(FACTS_FROM, key=key_of(url))]


async def scan_facts(work: Work, after: str | None, limit: int) -> list[Fact]:
    """A page in the order of ids."""
    return [_fact(row) for row in await work.rows(SCAN_FACTS, after=after or "", limit=limit)]


async def scan_entities(work: Work, after: str | None, limit: int) -> list[Entity]:
    """A page in the order of keys."""
    return [_entity(row) for row in await work.rows(SCAN_ENTITIES, after=key_of(after or ""), limit=limit)]


async def scan_claims(work: Work, after: str | None, limit: int) -> list[ClaimRecord]:
    """A page in the order of job ids."""
    return [_claim(row) for row in await work.rows(SCAN_CLAIMS, after=after or "", limit=limit)]


async def claims_about(work: Work, names: Sequence[str], limit: int) -> list[ClaimRecord]:
    """Claims by how many of these entities they share."""
    behind = await _behind(work, names)
    keys = sorted({key for found in behind.values() for key in found})
    return [_claim(row) for row in await work.rows(CLAIMS_ABOUT, keys=keys, limit=limit)]


async def counts(work: Work) -> GraphCounts:
    """Four counts over indexes."""
    row = await work.row(COUNTS)
    assert row is not None
    return GraphCounts(**row.data())
