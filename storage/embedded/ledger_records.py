"""The ledger's SQL about provenance and the audit trail; each function runs inside a transaction of its caller."""

import json
from collections.abc import Sequence
from datetime import datetime

import apsw

from storage.embedded.filters import Filters
from storage.ports.ledger import AuditEntry, EvidenceRef, Retention
from storage.times import micros, moment_of

AUDIT = "SELECT entry_id, job_id, at, payload, workspace_id, user_id, session_id FROM audit "


def record_provenance(db: apsw.Connection, job_id: str, evidence: Sequence[EvidenceRef]) -> None:
    """Replace what the job rests on; sources are shared between jobs."""
    db.execute("DELETE FROM job_evidence WHERE job_id = ?", (job_id,))
    db.executemany(
        "INSERT INTO sources VALUES (?, ?, ?)"
        " ON CONFLICT (url) DO UPDATE SET domain = excluded.domain, title = excluded.title",
        [(ref.url, ref.domain, ref.title) for ref in evidence],
    )
    db.executemany(
        "INSERT INTO job_evidence VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [
            (job_id, ref.evidence_id, position, ref.url, ref.stance, ref.score, ref.content_hash)
            for position, ref in enumerate(evidence)
        ],
    )


def provenance(db: apsw.Connection, job_id: str) -> list[EvidenceRef]:
    """job → evidence → source."""
    rows = db.execute(
        "SELECT evidence_id, url, domain, title, stance, score, content_hash"
        " FROM job_evidence JOIN sources USING (url) WHERE job_id = ? ORDER BY position",
        (job_id,),
    )
    return [EvidenceRef(*row) for row in rows]


def append_audit(db: apsw.Connection, entry: AuditEntry) -> None:
    """Insert if absent."""
    db.execute(
        "INSERT INTO audit VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            entry.entry_id,
            entry.job_id,
            micros(entry.at),
            entry.payload,
            entry.workspace_id,
            entry.user_id,
            entry.session_id,
        ),
    )


def audit(db: apsw.Connection, workspace_id: str | None, job_id: str | None, limit: int) -> list[AuditEntry]:
    """Entries, oldest first."""
    filters = Filters()
    filters.add("workspace_id = ?", workspace_id)
    filters.add("job_id = ?", job_id)
    query = AUDIT + filters.where + "ORDER BY at, entry_id LIMIT ?"
    return [
        AuditEntry(
            entry_id=entry_id,
            job_id=job,
            at=moment_of(at),
            payload=payload,
            workspace_id=workspace,
            user_id=user_id,
            session_id=session_id,
        )
        for entry_id, job, at, payload, workspace, user_id, session_id in db.execute(query, (*filters.values, limit))
    ]


def purge(db: apsw.Connection, now: datetime, retention: Retention) -> int:
    """Delete what is older than its workspace's retention."""
    before = db.total_changes()
    for workspace_id, kept in retention.per_workspace.items():
        db.execute("DELETE FROM audit WHERE workspace_id = ? AND at < ?", (workspace_id, micros(now - kept)))
    db.execute(
        "DELETE FROM audit WHERE at < ? AND workspace_id NOT IN (SELECT value FROM json_each(?))",
        (micros(now - retention.default), json.dumps(list(retention.per_workspace))),
    )
    return db.total_changes() - before
