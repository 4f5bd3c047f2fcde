"""The graph's SQL for writing; each function runs in its caller's transaction."""

import json
from collections.abc import Iterable, Sequence

import apsw

from storage.ports.graph import ClaimRecord, Entity, Fact, entity_key
from storage.times import micros


def upsert_entities(db: apsw.Connection, entities: Iterable[Entity]) -> None:
    """Insert or complete; a kind that is known is not overwritten by an unknown one."""
    for entity in entities:
        db.execute(
            "INSERT INTO entities (key, name, kind) VALUES (?, ?, ?)"
            " ON CONFLICT (key) DO UPDATE SET kind = excluded.kind WHERE excluded.kind <> ''",
            (entity.key, entity.name, entity.kind),
        )
        number = db.execute("SELECT id FROM entities WHERE key = ?", (entity.key,)).get
        db.executemany(
            "INSERT INTO aliases VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [(entity_key(alias), number, alias) for alias in entity.aliases],
        )


def upsert_facts(db: apsw.Connection, facts: Sequence[Fact]) -> int:
    """Insert or update; returns how many were new."""
    return sum(_upsert_fact(db, fact) for fact in facts)


def _upsert_fact(db: apsw.Connection, fact: Fact) -> bool:
    known = db.execute("SELECT count(*) FROM facts WHERE fact_id = ?", (fact.id,)).get
    triple = fact.triple
    db.execute(
        "INSERT INTO facts (fact_id, subject, object, page, said_subject, relation, said_object, observed,"
        " confidence, published, text, passage_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (fact_id) DO UPDATE SET observed = excluded.observed, confidence = excluded.confidence,"
        " published = excluded.published, text = excluded.text, passage_id = excluded.passage_id",
        (
            fact.id,
            _entity(db, triple.subject),
            _entity(db, triple.object),
            _page(db, fact),
            triple.subject,
            triple.relation,
            triple.object,
            micros(fact.observed),
            fact.confidence,
            None if fact.published is None else fact.published.toordinal(),
            fact.text,
            fact.passage_id,
        ),
    )
    return not known


def _entity(db: apsw.Connection, name: str) -> int:
    """The entity a name stands for: its bearer, else the one it is the only alias of, else a new one."""
    key = entity_key(name)
    found = db.execute("SELECT id FROM entities WHERE key = ?", (key,)).get
    if found is not None:
        return int(found)
    behind = list(db.execute("SELECT entity FROM aliases WHERE key = ? LIMIT 2", (key,)))
    if len(behind) == 1:
        return int(behind[0][0])
    db.execute("INSERT INTO entities (key, name, kind) VALUES (?, ?, '')", (key, name))
    return db.last_insert_rowid()


def _page(db: apsw.Connection, fact: Fact) -> int:
    db.execute(
        "INSERT INTO pages (url, domain, title) VALUES (?, ?, ?)"
        " ON CONFLICT (url) DO UPDATE SET domain = excluded.domain, title = excluded.title",
        (fact.url, fact.domain, fact.title),
    )
    number = db.execute("SELECT id FROM pages WHERE url = ?", (fact.url,)).get
    assert isinstance(number, int)
    return number


def delete_by_url(db: apsw.Connection, url: str) -> int:
    """A page and its facts."""
    db.execute("DELETE FROM facts WHERE page = (SELECT id FROM pages WHERE url = ?)", (url,))
    gone = db.changes()
    db.execute("DELETE FROM pages WHERE url = ?", (url,))
    return gone


def delete_observed_before(db: apsw.Connection, moment: int) -> int:
    """Old facts, and the pages that are left without any."""
    pages = db.execute("SELECT DISTINCT page FROM facts WHERE observed < ?", (moment,)).fetchall()
    db.execute("DELETE FROM facts WHERE observed < ?", (moment,))
    gone = db.changes()
    _delete_bare_pages(db, pages)
    return gone


def delete_facts(db: apsw.Connection, ids: Sequence[str]) -> int:
    """Some facts, and the pages that are left without any."""
    asked = (json.dumps(list(ids)),)
    pages = db.execute(
        "SELECT DISTINCT page FROM facts WHERE fact_id IN (SELECT value FROM json_each(?))", asked
    ).fetchall()
    db.execute("DELETE FROM facts WHERE fact_id IN (SELECT value FROM json_each(?))", asked)
    gone = db.changes()
    _delete_bare_pages(db, pages)
    return gone


def _delete_bare_pages(db: apsw.Connection, pages: Iterable[tuple[object, ...]]) -> None:
    db.executemany("DELETE FROM pages WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM facts WHERE page = ?1)", pages)


def record_claim(db: apsw.Connection, claim: ClaimRecord) -> None:
    """Insert or replace."""
    db.execute("DELETE FROM claim_entities WHERE job_id = ?", (claim.job_id,))
    db.execute(
        "INSERT INTO claims VALUES (?, ?, ?, ?)"
        " ON CONFLICT (job_id) DO UPDATE SET text = excluded.text, names = excluded.names, at = excluded.at",
        (claim.job_id, claim.text, json.dumps(claim.entities), micros(claim.at)),
    )
    numbers = {_entity(db, name) for name in claim.entities}
    db.executemany("INSERT INTO claim_entities VALUES (?, ?)", [(claim.job_id, number) for number in sorted(numbers)])
