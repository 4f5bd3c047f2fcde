"""The registry's Cypher; each function runs in its caller's transaction. Addresses arrive normalised."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, LiteralString

from neo4j import Record

from storage.errors import UrlUnknown
from storage.ports.urls import RegistryPolicy, Store, UrlRecord, UrlStatus
from storage.servers.neo4j.connection import Work
from storage.servers.neo4j.keys import key_of
from storage.times import micros, moment_of, optional_micros, optional_moment

PURGED_AT_ONCE = 5_000
"""Memories deleted per transaction."""

INSERT: LiteralString = """
UNWIND $rows AS row
MERGE (p:Page {space: $space, key: row.key})
ON CREATE SET p.url = row.url, p.status = 'seen', p.first_stage = $stage, p.changed_at = $now, p.reason = '',
              p.lease_owner = '', p.in_index = false, p.in_graph = false, p.known_by = ''
"""
REVIVE: LiteralString = """
UNWIND $keys AS key
MATCH (p:Page {space: $space, key: key})
WHERE p.status = 'extracted' AND p.changed_at <= $extracted OR p.status = 'failed' AND p.changed_at <= $failed
SET p.status = 'seen', p.changed_at = $now, p.reason = '', p.in_index = false, p.in_graph = false, p.known_by = ''
"""
SEEKERS: LiteralString = "UNWIND $claims AS claim MERGE (:Seeker {space: $space, claim_id: claim})"
LOCK_SEEKERS: LiteralString = """
UNWIND $claims AS claim MATCH (c:Seeker {space: $space, claim_id: claim}) SET c.locked = true
"""
SAW: LiteralString = """
UNWIND $claims AS claim MATCH (c:Seeker {space: $space, claim_id: claim})
UNWIND $keys AS key MATCH (p:Page {space: $space, key: key})
MERGE (c)-[:SAW]->(p)
"""
RECORD: LiteralString = """
RETURN p.key AS key, p.url AS url, p.status AS status, p.first_stage AS first_stage, p.changed_at AS changed_at,
       p.reason AS reason, p.lease_owner AS lease_owner, p.lease_until AS lease_until, p.in_index AS in_index,
       p.in_graph AS in_graph, coalesce(p.known_by, '') AS known_by, [(c:Seeker)-[:SAW]->(p) | c.claim_id] AS claims
"""
GET: LiteralString = "UNWIND $keys AS key MATCH (p:Page {space: $space, key: key})" + RECORD
SCAN: LiteralString = (
    "MATCH (p:Page) WHERE p.space = $space AND p.key > $after WITH p ORDER BY p.space, p.key LIMIT $limit"
    + RECORD
    + "ORDER BY p.space, p.key"
)
LOCK: LiteralString = "UNWIND $keys AS key MATCH (p:Page {space: $space, key: key}) SET p.locked = true"
CHANGE: LiteralString = "UNWIND $rows AS row MATCH (p:Page {space: $space, key: row.key}) SET p += row.values"
FREE: LiteralString = " AND (p.lease_until IS NULL OR p.lease_until <= $now)"
OLDEST: LiteralString = " RETURN p.url AS url ORDER BY p.space, p.status, p.changed_at, p.key LIMIT $limit"
PENDING: LiteralString = (
    "MATCH (p:Page) WHERE p.space = $space AND p.status = 'seen' AND p.changed_at IS NOT NULL AND p.key IS NOT NULL"
    + FREE
    + OLDEST
)
PENDING_OF: LiteralString = (
    "MATCH (:Seeker {space: $space, claim_id: $claim})-[:SAW]->(p:Page) WHERE p.status = 'seen'" + FREE + OLDEST
)
VISITED: LiteralString = """
UNWIND $keys AS key MATCH (v:Visit {space: $space, job_id: $job_id, page_key: key}) RETURN key, v.loop AS loop
"""
VISIT: LiteralString = """
UNWIND $rows AS row
MERGE (v:Visit {space: $space, job_id: $job_id, page_key: row.key})
ON CREATE SET v.url = row.url, v.loop = $loop, v.at = $now, v.position = row.position
"""
VISITS: LiteralString = """
MATCH (v:Visit) WHERE v.space = $space AND v.job_id = $job_id AND v.page_key IS NOT NULL
RETURN v.url AS url ORDER BY v.loop, v.at, v.position
"""
FORGET: LiteralString = "MATCH (p:Page {space: $space, key: $key}) DETACH DELETE p RETURN count(*) AS gone"
PURGE: LiteralString = """
MATCH (v:Visit) WHERE v.space = $space AND v.at < $before WITH v LIMIT $limit DELETE v RETURN count(*) AS gone
"""


def _record(row: Record) -> UrlRecord:
    stores: tuple[tuple[Store, bool], ...] = (("index", row["in_index"]), ("graph", row["in_graph"]))
    return UrlRecord(
        url=row["url"],
        status=UrlStatus(row["status"]),
        first_stage=row["first_stage"],
        claims=frozenset(row["claims"]),
        changed_at=moment_of(row["changed_at"]),
        reason=row["reason"],
        lease_owner=row["lease_owner"],
        lease_until=optional_moment(row["lease_until"]),
        acknowledged=frozenset(store for store, known in stores if known),
        known_by=row["known_by"],
    )


def _change(record: UrlRecord) -> dict[str, Any]:
    """What of a page may change after it was registered."""
    return {
        "key": key_of(record.url),
        "values": {
            "status": str(record.status),
            "changed_at": micros(record.changed_at),
            "reason": record.reason,
            "lease_owner": record.lease_owner,
            "lease_until": optional_micros(record.lease_until),
            "in_index": "index" in record.acknowledged,
            "in_graph": "graph" in record.acknowledged,
            "known_by": record.known_by,
        },
    }


async def register(
    work: Work, urls: Sequence[str], seen: tuple[int, Sequence[str]], now: datetime, policy: RegistryPolicy
) -> list[UrlRecord]:
    """New ones are seen, expired ones seen again, all gain the claims; `seen` is (stage, claim ids)."""
    stage, claim_ids = seen
    rows = sorted(({"key": key_of(url), "url": url} for url in urls), key=lambda row: row["key"])
    keys = [row["key"] for row in rows]
    claims = sorted(set(claim_ids))
    await work.rows(INSERT, rows=rows, stage=stage, now=micros(now))
    await work.rows(LOCK, keys=keys)
    bounds = {"extracted": micros(now - policy.extracted_for), "failed": micros(now - policy.failed_for)}
    await work.rows(REVIVE, keys=keys, now=micros(now), **bounds)
    await work.rows(SEEKERS, claims=claims)
    await work.rows(LOCK_SEEKERS, claims=claims)
    await work.rows(SAW, claims=claims, keys=keys)
    return await get(work, urls)


async def get(work: Work, urls: Sequence[str]) -> list[UrlRecord]:
    """Those that are known, in order."""
    found = {row["key"]: _record(row) for row in await work.rows(GET, keys=[key_of(url) for url in urls])}
    return [found[key_of(url)] for url in urls if key_of(url) in found]


async def _locked(work: Work, urls: Sequence[str]) -> list[UrlRecord]:
    """Those that are known, as they stand once nobody else can change them."""
    await work.rows(LOCK, keys=sorted(key_of(url) for url in urls))
    return await get(work, urls)


async def _the_page(work: Work, url: str) -> UrlRecord:
    found = await _locked(work, [url])
    if not found:
        raise UrlUnknown(f"{url} is not in the registry; register it first")
    return found[0]


async def _changed(work: Work, record: UrlRecord) -> UrlRecord:
    await work.rows(CHANGE, rows=[_change(record)])
    return record


async def pending(work: Work, now: datetime, claim_id: str | None, limit: int) -> list[str]:
    """Seen, and under nobody's live lease."""
    if claim_id is None:
        rows = await work.rows(PENDING, now=micros(now), limit=limit)
    else:
        rows = await work.rows(PENDING_OF, claim=claim_id, now=micros(now), limit=limit)
    return [row["url"] for row in rows]


async def lease(work: Work, urls: Sequence[str], owner: str, now: datetime, policy: RegistryPolicy) -> list[str]:
    """Grant what is free; each fetch starts without acknowledgements, because it may read something else."""
    granted = []
    for record in await _locked(work, urls):
        free = record.lease_until is None or record.lease_until <= now
        if record.status is UrlStatus.SEEN and (free or record.lease_owner == owner):
            kept = record.acknowledged if record.lease_owner == owner else frozenset[Store]()
            until = now + policy.lease_for
            granted.append(replace(record, lease_owner=owner, lease_until=until, acknowledged=kept))
    await work.rows(CHANGE, rows=[_change(record) for record in granted])
    return [record.url for record in granted]


async def acknowledge(work: Work, known: tuple[str, str], store: Store, owner: str, now: datetime) -> UrlRecord:
    """One store's word; with the other's, the page is extracted. `known` is (url, the address it redirects to)."""
    url, known_by = known
    record = await _the_page(work, url)
    if record.status is not UrlStatus.SEEN or record.lease_owner != owner:
        return record
    told = replace(record, acknowledged=record.acknowledged | {store}, known_by=known_by)
    if told.acknowledged == {"index", "graph"}:
        told = replace(told, status=UrlStatus.EXTRACTED, changed_at=now, lease_owner="", lease_until=None)
    return await _changed(work, told)


async def fail(work: Work, url: str, owner: str, reason: str, now: datetime) -> UrlRecord:
    """The holder of the lease gives up on the page."""
    record = await _the_page(work, url)
    if record.status is not UrlStatus.SEEN or record.lease_owner != owner:
        return record
    failed = replace(record, status=UrlStatus.FAILED, reason=reason, changed_at=now, lease_owner="", lease_until=None)
    return await _changed(work, failed)


async def release(work: Work, url: str, owner: str) -> UrlRecord:
    """The holder of the lease gives the page back."""
    record = await _the_page(work, url)
    if record.lease_owner != owner:
        return record
    return await _changed(work, replace(record, lease_owner="", lease_until=None))


async def unprocessed(
    work: Work, key: tuple[str, int], urls: Sequence[str], now: datetime, policy: RegistryPolicy
) -> list[str]:
    """Left after the job's other loops and the global history; `key` is (job_id, loop)."""
    job_id, loop = key
    visited = {row["key"]: row["loop"] for row in await work.rows(VISITED, job_id=job_id, keys=[*map(key_of, urls)])}
    done = {record.url for record in await get(work, urls) if _processed(record, now, policy)}
    # Its own loop's pages it gets again; those of its other loops never; of the rest, what nobody has processed.
    return [url for url in urls if (visited[key_of(url)] == loop if key_of(url) in visited else url not in done)]


def _processed(record: UrlRecord, now: datetime, policy: RegistryPolicy) -> bool:
    """Whether anybody has read the page, or failed to, lately enough."""
    if record.status is UrlStatus.EXTRACTED:
        return record.changed_at > now - policy.extracted_for
    return record.status is UrlStatus.FAILED and record.changed_at > now - policy.failed_for


async def remember(work: Work, job_id: str, loop: int, urls: Sequence[str], now: datetime) -> None:
    """The first loop that processed a page keeps it."""
    rows = [{"key": key_of(url), "url": url, "position": position} for position, url in enumerate(urls)]
    await work.rows(VISIT, rows=sorted(rows, key=lambda row: row["key"]), job_id=job_id, loop=loop, now=micros(now))


async def processed(work: Work, job_id: str) -> list[str]:
    """In the order of loops."""
    return [row["url"] for row in await work.rows(VISITS, job_id=job_id)]


async def scan(work: Work, after: str | None, limit: int) -> list[UrlRecord]:
    """A page in the order of keys."""
    return [_record(row) for row in await work.rows(SCAN, after=key_of(after or ""), limit=limit)]


async def forget(work: Work, url: str) -> bool:
    """Drop a page."""
    row = await work.row(FORGET, key=key_of(url))
    return row is not None and row["gone"] > 0


async def purge(work: Work, before: datetime) -> int:
    """Drop some of the old job memories; 0 when none are left."""
    row = await work.row(PURGE, before=micros(before), limit=PURGED_AT_ONCE)
    return int(row["gone"]) if row else 0
