"""The graph's SQL for reading; each function runs on its caller's snapshot."""

import json
from collections.abc import Iterable, Sequence
from datetime import date

import apsw

from scoring.values import Triple
from storage.graph_scores import GraphScorePolicy, best_first, candidate
from storage.ports.graph import ClaimRecord, Entity, Fact, GraphCandidate, GraphCounts, entity_key
from storage.times import moment_of

FACTS = """
SELECT facts.id, subject, object, said_subject, relation, said_object, url, observed, confidence, published, domain,
       title, text, passage_id
FROM facts JOIN pages ON pages.id = page
"""
FactRow = tuple[int, int, int, str, str, str, str, int, float, int | None, str, str, str, str]


def _fact(row: FactRow) -> Fact:
    _, _, _, subject, relation, said_object, url, observed, confidence, published, domain, title, text, passage = row
    return Fact(
        triple=Triple(subject, relation, said_object),
        url=url,
        observed=moment_of(observed),
        confidence=confidence,
        published=None if published is None else date.fromordinal(published),
        domain=domain,
        title=title,
        text=text,
        passage_id=passage,
    )


def _entity(db: apsw.Connection, number: int) -> Entity:
    row = db.execute("SELECT name, kind FROM entities WHERE id = ?", (number,)).fetchone()
    assert row is not None
    aliases = db.execute("SELECT name FROM aliases WHERE entity = ? ORDER BY key", (number,))
    return Entity(str(row[0]), str(row[1]), tuple(name for (name,) in aliases))


def _behind(db: apsw.Connection, name: str) -> list[int]:
    """The entities a name stands for: its bearer first, then those it is an alias of, those with most facts first."""
    key = entity_key(name)
    rows = db.execute(
        "SELECT id, key FROM entities WHERE key = ?1 UNION"
        " SELECT id, entities.key FROM aliases JOIN entities ON id = entity WHERE aliases.key = ?1",
        (key,),
    )
    found = [(own != key, -_facts_about(db, number), own, number) for number, own in list(rows)]
    return [number for *_, number in sorted(found)]


def _facts_about(db: apsw.Connection, number: int) -> int:
    found = db.execute(
        "SELECT (SELECT count(*) FROM facts WHERE subject = ?1) + (SELECT count(*) FROM facts WHERE object = ?1)",
        (number,),
    ).get
    assert isinstance(found, int)
    return found


def resolve(db: apsw.Connection, names: Iterable[str]) -> dict[str, Entity]:
    """The first entity behind each name."""
    resolved = {}
    for name in names:
        behind = _behind(db, name)
        if behind:
            resolved[name] = _entity(db, behind[0])
    return resolved


def candidates(db: apsw.Connection, names: Sequence[str], limit: int, policy: GraphScorePolicy) -> list[GraphCandidate]:
    """Facts within two hops, scored; each hop follows the most confident facts only."""
    asked = dict.fromkeys(number for name in names for number in _behind(db, name))
    near = _facts_around(db, asked, policy.fan_out)
    neighbours = dict.fromkeys(
        end for row in sorted(near.values(), key=lambda row: -row[8]) for end in row[1:3] if end not in asked
    )
    far = _facts_around(db, list(neighbours)[: policy.frontier], policy.second_fan_out)
    found = far | near
    keys = _keys(db, {end for row in found.values() for end in row[1:3]} | set(asked))
    asked_keys = frozenset(keys[number] for number in asked)
    scored = [candidate(_fact(row), (keys[row[1]], keys[row[2]]), asked_keys, policy) for row in found.values()]
    return best_first(scored, limit)


def _facts_around(db: apsw.Connection, numbers: Iterable[int], fan_out: int) -> dict[int, FactRow]:
    rows: dict[int, FactRow] = {}
    for number in numbers:
        for side in ("WHERE subject = ?", "WHERE object = ?"):
            query = FACTS + side + " ORDER BY confidence DESC, fact_id LIMIT ?"
            rows |= {row[0]: row for row in db.execute(query, (number, fan_out))}
    return rows


def _keys(db: apsw.Connection, numbers: Iterable[int]) -> dict[int, str]:
    rows = db.execute(
        "SELECT entities.id, entities.key FROM json_each(?) CROSS JOIN entities ON entities.id = value",
        (json.dumps(list(numbers)),),
    )
    return dict(rows)


def facts_from(db: apsw.Connection, url: str) -> list[Fact]:
    """What a page states."""
    return [_fact(row) for row in db.execute(FACTS + "WHERE url = ? ORDER BY fact_id", (url,))]


def scan_facts(db: apsw.Connection, after: str | None, limit: int) -> list[Fact]:
    """A page in the order of ids."""
    rows = db.execute(FACTS + "WHERE fact_id > ? ORDER BY fact_id LIMIT ?", (after or "", limit))
    return [_fact(row) for row in rows]


def scan_entities(db: apsw.Connection, after: str | None, limit: int) -> list[Entity]:
    """A page in the order of keys."""
    rows = db.execute("SELECT id FROM entities WHERE key > ? ORDER BY key LIMIT ?", (after or "", limit))
    return [_entity(db, number) for (number,) in list(rows)]


def claims_about(db: apsw.Connection, names: Sequence[str], limit: int) -> list[ClaimRecord]:
    """Claims by how many of these entities they share."""
    asked = dict.fromkeys(number for name in names for number in _behind(db, name))
    rows = db.execute(
        "SELECT claims.job_id, text, names, at FROM json_each(?)"
        " CROSS JOIN claim_entities ON entity = value CROSS JOIN claims ON claims.job_id = claim_entities.job_id"
        " GROUP BY claims.job_id ORDER BY count(*) DESC, at DESC, claims.job_id LIMIT ?",
        (json.dumps(list(asked)), limit),
    )
    return [_claim(row) for row in rows]


def _claim(row: tuple[str, str, str, int]) -> ClaimRecord:
    job_id, text, names, at = row
    return ClaimRecord(job_id, text, tuple(json.loads(names)), moment_of(at))


def scan_claims(db: apsw.Connection, after: str | None, limit: int) -> list[ClaimRecord]:
    """A page in the order of job ids."""
    rows = db.execute(
        "SELECT job_id, text, names, at FROM claims WHERE job_id > ? ORDER BY job_id LIMIT ?", (after or "", limit)
    )
    return [_claim(row) for row in rows]


def counts(db: apsw.Connection) -> GraphCounts:
    """Four counts over primary keys."""
    row = db.execute(
        "SELECT (SELECT count(*) FROM entities), (SELECT count(*) FROM facts),"
        " (SELECT count(*) FROM pages), (SELECT count(*) FROM claims)"
    ).fetchone()
    assert row is not None
    return GraphCounts(*row)
