"""The registry's SQL; each function runs in its caller's transaction. Addresses arrive normalised."""

import json
from collections.abc import Sequence
from datetime import datetime

import apsw

from storage.errors import UrlUnknown
from storage.ports.urls import RegistryPolicy, Store, UrlRecord, UrlStatus
from storage.times import micros, moment_of, optional_moment

REVIVE = """
UPDATE urls SET status = 'seen', changed_at = ?1, reason = '', in_index = 0, in_graph = 0, known_by = ''
WHERE url = ?2 AND (status = 'extracted' AND changed_at <= ?3 OR status = 'failed' AND changed_at <= ?4)
"""
ACKNOWLEDGE: dict[Store, str] = {
    "index": "UPDATE urls SET in_index = 1, known_by = ? WHERE url = ? AND lease_owner = ? AND status = 'seen'",
    "graph": "UPDATE urls SET in_graph = 1, known_by = ? WHERE url = ? AND lease_owner = ? AND status = 'seen'",
}


def register(
    db: apsw.Connection, urls: Sequence[str], seen: tuple[int, Sequence[str]], now: datetime, policy: RegistryPolicy
) -> list[UrlRecord]:
    """New ones are seen, expired ones seen again, all gain the claims; `seen` is (stage, claim ids)."""
    stage, claim_ids = seen
    at = micros(now)
    bounds = (micros(now - policy.extracted_for), micros(now - policy.failed_for))
    for url in urls:
        db.execute(
            "INSERT INTO urls (url, status, first_stage, changed_at) VALUES (?, 'seen', ?, ?) ON CONFLICT DO NOTHING",
            (url, stage, at),
        )
        db.execute(REVIVE, (at, url, *bounds))
        db.executemany(
            "INSERT INTO url_claims VALUES (?, ?) ON CONFLICT DO NOTHING", [(url, claim) for claim in claim_ids]
        )
    return get(db, urls)


def get(db: apsw.Connection, urls: Sequence[str]) -> list[UrlRecord]:
    """Those that are known, in order."""
    found = (_record(db, url) for url in urls)
    return [record for record in found if record is not None]


def _record(db: apsw.Connection, url: str) -> UrlRecord | None:
    rows = db.execute(
        "SELECT status, first_stage, changed_at, reason, lease_owner, lease_until, in_index, in_graph,"
        " known_by FROM urls WHERE url = ?",
        (url,),
    )
    for status, first_stage, changed_at, reason, owner, until, in_index, in_graph, known_by in rows:
        stores: tuple[tuple[Store, int], ...] = (("index", in_index), ("graph", in_graph))
        return UrlRecord(
            url=url,
            status=UrlStatus(status),
            first_stage=first_stage,
            claims=frozenset(c for (c,) in db.execute("SELECT claim_id FROM url_claims WHERE url = ?", (url,))),
            changed_at=moment_of(changed_at),
            reason=reason,
            lease_owner=owner,
            lease_until=optional_moment(until),
            acknowledged=frozenset(store for store, known in stores if known),
            known_by=known_by,
        )
    return None


def _required(db: apsw.Connection, url: str) -> UrlRecord:
    record = _record(db, url)
    if record is None:
        raise UrlUnknown(f"{url} is not in the registry; register it first")
    return record


def pending(db: apsw.Connection, now: datetime, claim_id: str | None, limit: int) -> list[str]:
    """Seen, and under nobody's live lease."""
    rows = db.execute(
        "SELECT url FROM urls WHERE status = 'seen' AND (lease_until IS NULL OR lease_until <= ?1)"
        " AND (?2 IS NULL OR EXISTS (SELECT 1 FROM url_claims WHERE url_claims.url = urls.url AND claim_id = ?2))"
        " ORDER BY changed_at, url LIMIT ?3",
        (micros(now), claim_id, limit),
    )
    return [url for (url,) in rows]


def lease(db: apsw.Connection, urls: Sequence[str], owner: str, now: datetime, policy: RegistryPolicy) -> list[str]:
    """Grant what is free; each fetch starts without acknowledgements, because it may read something else."""
    granted = []
    for url in urls:
        db.execute(
            "UPDATE urls SET lease_owner = ?1, lease_until = ?2,"
            " in_index = in_index AND lease_owner = ?1, in_graph = in_graph AND lease_owner = ?1"
            " WHERE url = ?3 AND status = 'seen' AND (lease_until IS NULL OR lease_until <= ?4 OR lease_owner = ?1)",
            (owner, micros(now + policy.lease_for), url, micros(now)),
        )
        if db.changes():
            granted.append(url)
    return granted


def acknowledge(db: apsw.Connection, known: tuple[str, str], store: Store, owner: str, now: datetime) -> UrlRecord:
    """One store's word; with the other's, the page is extracted. `known` is (url, the address it redirects to)."""
    url, known_by = known
    db.execute(ACKNOWLEDGE[store], (known_by, url, owner))
    db.execute(
        "UPDATE urls SET status = 'extracted', changed_at = ?, lease_owner = '', lease_until = NULL"
        " WHERE url = ? AND status = 'seen' AND lease_owner = ? AND in_index AND in_graph",
        (micros(now), url, owner),
    )
    return _required(db, url)


def fail(db: apsw.Connection, url: str, owner: str, reason: str, now: datetime) -> UrlRecord:
    """The holder of the lease gives up on the page."""
    db.execute(
        "UPDATE urls SET status = 'failed', reason = ?, changed_at = ?, lease_owner = '', lease_until = NULL"
        " WHERE url = ? AND status = 'seen' AND lease_owner = ?",
        (reason, micros(now), url, owner),
    )
    return _required(db, url)


def release(db: apsw.Connection, url: str, owner: str) -> UrlRecord:
    """The holder of the lease gives the page back."""
    db.execute("UPDATE urls SET lease_owner = '', lease_until = NULL WHERE url = ? AND lease_owner = ?", (url, owner))
    return _required(db, url)


def unprocessed(
    db: apsw.Connection, key: tuple[str, int], urls: Sequence[str], now: datetime, policy: RegistryPolicy
) -> list[str]:
    """Left after the job's other loops and the global history; `key` is (job_id, loop)."""
    job_id, loop = key
    rows = db.execute(
        "SELECT asked.value FROM json_each(?1) AS asked LEFT JOIN urls ON urls.url = asked.value"
        " LEFT JOIN job_urls ON job_id = ?2 AND job_urls.url = asked.value"
        " WHERE loop = ?3 OR loop IS NULL AND NOT ("
        "  ifnull(status = 'extracted' AND changed_at > ?4, 0) OR ifnull(status = 'failed' AND changed_at > ?5, 0))"
        " ORDER BY asked.key",
        (json.dumps(list(urls)), job_id, loop, micros(now - policy.extracted_for), micros(now - policy.failed_for)),
    )
    return [url for (url,) in rows]


def remember(db: apsw.Connection, job_id: str, loop: int, urls: Sequence[str], now: datetime) -> None:
    """The first loop that processed a page keeps it."""
    db.executemany(
        "INSERT INTO job_urls VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [(job_id, url, loop, micros(now)) for url in urls],
    )


def processed(db: apsw.Connection, job_id: str) -> list[str]:
    """In the order of loops."""
    rows = db.execute("SELECT url FROM job_urls WHERE job_id = ? ORDER BY loop, at, rowid", (job_id,))
    return [url for (url,) in rows]


def scan(db: apsw.Connection, after: str | None, limit: int) -> list[UrlRecord]:
    """A page in the order of addresses."""
    rows = db.execute("SELECT url FROM urls WHERE url > ? ORDER BY url LIMIT ?", (after or "", limit))
    return get(db, [url for (url,) in rows])


def forget(db: apsw.Connection, url: str) -> bool:
    """Drop a page."""
    db.execute("DELETE FROM urls WHERE url = ?", (url,))
    return db.changes() > 0


def purge(db: apsw.Connection, before: datetime) -> int:
    """Drop old job memories."""
    db.execute("DELETE FROM job_urls WHERE at < ?", (micros(before),))
    return db.changes()
