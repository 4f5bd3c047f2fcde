"""The ledger's Cypher about provenance and the audit trail; each function runs in its caller's transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, LiteralString

from storage.ports.ledger import AuditEntry, EvidenceRef
from storage.servers.neo4j.connection import Work
from storage.servers.neo4j.keys import key_of
from storage.times import micros, moment_of

PURGED_AT_ONCE = 5_000
"""Audit entries deleted per transaction: a purge must not hold up whoever writes."""

THE_VERDICT: LiteralString = "MATCH (v:Verdict {space: $space, job_id: $job_id})"
VERDICT: LiteralString = "MERGE (:Verdict {space: $space, job_id: $job_id})"
LOCK_VERDICT: LiteralString = THE_VERDICT + " SET v.locked = true"
LED_TO: LiteralString = THE_VERDICT + " MATCH (j:Job {space: $space, job_id: $job_id}) MERGE (j)-[:LED_TO]->(v)"
FORGET: LiteralString = THE_VERDICT + "-[r:RESTS_ON]->(:Evidence) DELETE r"
SOURCES: LiteralString = """
UNWIND $rows AS row
MERGE (s:Source {space: $space, key: row.key}) ON CREATE SET s.url = row.url, s.domain = '', s.title = ''
"""
LOCK_SOURCES: LiteralString = "UNWIND $keys AS key MATCH (s:Source {space: $space, key: key}) SET s.locked = true"
DESCRIBE: LiteralString = """
UNWIND $rows AS row MATCH (s:Source {space: $space, key: row.key})
SET s.domain = CASE WHEN row.domain = '' THEN s.domain ELSE row.domain END,
    s.title = CASE WHEN row.title = '' THEN s.title ELSE row.title END
"""
EVIDENCE: LiteralString = """
UNWIND $rows AS row
MERGE (e:Evidence {space: $space, evidence_id: row.evidence_id, source_key: row.source_key})
ON CREATE SET e.content_hash = row.content_hash
"""
LOCK_EVIDENCE: LiteralString = """
UNWIND $rows AS row
MATCH (e:Evidence {space: $space, evidence_id: row.evidence_id, source_key: row.source_key}) SET e.locked = true
"""
FROM: LiteralString = """
UNWIND $rows AS row
MATCH (e:Evidence {space: $space, evidence_id: row.evidence_id, source_key: row.source_key})
MATCH (s:Source {space: $space, key: row.source_key})
MERGE (e)-[:FROM]->(s)
"""
REST: LiteralString = (
    THE_VERDICT + " UNWIND $rows AS row"
    " MATCH (e:Evidence {space: $space, evidence_id: row.evidence_id, source_key: row.source_key})"
    " CREATE (v)-[:RESTS_ON {position: row.position, stance: row.stance, score: row.score,"
    " content_hash: row.content_hash, domain: row.domain, title: row.title}]->(e)"
)
PROVENANCE: LiteralString = (
    THE_VERDICT + "-[r:RESTS_ON]->(e:Evidence)-[:FROM]->(s:Source)"
    " RETURN e.evidence_id AS evidence_id, s.url AS url, r.domain AS domain, r.title AS title, r.stance AS stance,"
    " r.score AS score, r.content_hash AS content_hash ORDER BY r.position"
)
APPEND: LiteralString = "MERGE (a:AuditEntry {space: $space, entry_id: $entry_id}) ON CREATE SET a += $row"
AUDIT: LiteralString = "MATCH (a:AuditEntry) WHERE a.space = $space AND a.at IS NOT NULL AND a.entry_id IS NOT NULL"
ENTRIES: LiteralString = (
    " RETURN a.entry_id AS entry_id, a.job_id AS job_id, a.at AS at, a.payload AS payload,"
    " a.workspace_id AS workspace_id, a.user_id AS user_id, a.session_id AS session_id"
)
# Naming every property of the index, those that are given too, lets the rows come in its order without sorting.
OLDEST: LiteralString = " ORDER BY a.space, a.at, a.entry_id LIMIT $limit"
OLDEST_OF_WORKSPACE: LiteralString = " ORDER BY a.space, a.workspace_key, a.at, a.entry_id LIMIT $limit"
OLDEST_OF_JOB: LiteralString = " ORDER BY a.space, a.job_id, a.at, a.entry_id LIMIT $limit"
OLD: LiteralString = "MATCH (a:AuditEntry) WHERE a.space = $space AND a.entry_id IS NOT NULL AND a.at < $before"
DELETE: LiteralString = " WITH a LIMIT $limit DELETE a RETURN count(*) AS gone"


async def record_provenance(work: Work, job_id: str, evidence: Sequence[EvidenceRef]) -> None:
    """Replace what the job rests on; evidence and sources are shared between jobs.

    Verdict, sources and evidence are locked in this order and by sorted keys, so that no two batches deadlock.
    """
    first: dict[str, dict[str, Any]] = {}
    for position, ref in enumerate(evidence):
        first.setdefault(ref.evidence_id, _row(ref, position))
    rows = sorted(first.values(), key=lambda row: (row["evidence_id"], row["source_key"]))
    sources = {
        row["source_key"]: {"key": row["source_key"], "url": row["url"], "domain": row["domain"], "title": row["title"]}
        for row in rows
    }
    for statement in (VERDICT, LOCK_VERDICT, LED_TO, FORGET):
        await work.rows(statement, job_id=job_id)
    pages = [sources[key] for key in sorted(sources)]
    await work.rows(SOURCES, rows=pages)
    await work.rows(LOCK_SOURCES, keys=sorted(sources))
    await work.rows(DESCRIBE, rows=pages)
    for statement in (EVIDENCE, LOCK_EVIDENCE, FROM):
        await work.rows(statement, rows=rows)
    await work.rows(REST, job_id=job_id, rows=rows)


def _row(ref: EvidenceRef, position: int) -> dict[str, Any]:
    return {
        "evidence_id": ref.evidence_id,
        "source_key": key_of(ref.url),
        "url": ref.url,
        "domain": ref.domain,
        "title": ref.title,
        "stance": ref.stance,
        "score": ref.score,
        "content_hash": ref.content_hash,
        "position": position,
    }


async def provenance(work: Work, job_id: str) -> list[EvidenceRef]:
    """job → evidence → source."""
    rows = await work.rows(PROVENANCE, job_id=job_id)
    return [EvidenceRef(**row.data()) for row in rows]


async def append_audit(work: Work, entry: AuditEntry) -> None:
    """Insert if absent."""
    row = {
        "job_id": entry.job_id,
        "at": micros(entry.at),
        "payload": entry.payload,
        "workspace_id": entry.workspace_id,
        "workspace_key": key_of(entry.workspace_id),
        "user_id": entry.user_id,
        "session_id": entry.session_id,
    }
    await work.rows(APPEND, entry_id=entry.entry_id, row=row)


async def audit(work: Work, workspace_id: str | None, job_id: str | None, limit: int) -> list[AuditEntry]:
    """Entries, oldest first."""
    statement, order = AUDIT, OLDEST
    bound: dict[str, Any] = {"limit": limit}
    if workspace_id is not None:
        statement, order = statement + " AND a.workspace_key = $workspace", OLDEST_OF_WORKSPACE
        bound["workspace"] = key_of(workspace_id)
    if job_id is not None:
        statement, order = statement + " AND a.job_id = $job_id", OLDEST_OF_JOB
        bound["job_id"] = job_id
    return [
        AuditEntry(**row.data() | {"at": moment_of(row["at"]), "payload": bytes(row["payload"])})
        for row in await work.rows(statement + ENTRIES + order, **bound)
    ]


async def purge_workspace(work: Work, workspace_id: str, before: datetime) -> int:
    """Delete some of a workspace's entries from before that moment; 0 when none are left."""
    statement = OLD + " AND a.workspace_key = $workspace" + DELETE
    return await _gone(work, statement, workspace=key_of(workspace_id), before=micros(before))


async def purge_others(work: Work, named: Sequence[str], before: datetime) -> int:
    """Delete some of the entries from before that moment of all workspaces but the named ones."""
    statement = OLD + " AND NOT a.workspace_key IN $named" + DELETE
    return await _gone(work, statement, named=[key_of(name) for name in named], before=micros(before))


async def _gone(work: Work, statement: LiteralString, **bound: Any) -> int:
    row = await work.row(statement, limit=PURGED_AT_ONCE, **bound)
    return int(row["gone"]) if row else 0
