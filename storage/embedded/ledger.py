"""VerdictLedger in a SQLite file of its own, written with an fsync per (shared) commit."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from storage.embedded import ledger_jobs, ledger_joins, ledger_records
from storage.embedded.connection import DatabasePolicy
from storage.embedded.database import Database
from storage.embedded.ledger_schema import LEDGER
from storage.ports.checks import aware, identifier
from storage.ports.ledger import (
    AuditEntry,
    EvidenceRef,
    JobRecord,
    JobState,
    JoinState,
    OpenLoad,
    Outcome,
    ParentRecord,
    Retention,
)


class SqliteLedger:
    """The embedded VerdictLedger. Several processes may have the same file open."""

    def __init__(self, database: Database) -> None:
        self._db = database

    @classmethod
    async def open(cls, path: Path, policy: DatabasePolicy | None = None) -> "SqliteLedger":
        """Open the ledger at `path`.

        synchronous=FULL: a decision that was answered has been emitted, or soon will be, and the other side of a
        power cut must find it; with NORMAL the last commits could vanish and the job be decided differently.
        """
        database = await Database.open(path, replace(policy or DatabasePolicy(), synchronous="FULL"))
        try:
            await database.migrate(LEDGER)
        except BaseException:
            await database.close()
            raise
        return cls(database)

    async def open_job(self, record: JobRecord) -> JobRecord:
        return await self._db.write(lambda db: ledger_jobs.open_job(db, record))

    async def job(self, job_id: str) -> JobRecord | None:
        return await self._db.read(lambda db: ledger_jobs.job(db, job_id))

    async def jobs(
        self,
        *,
        room_id: str | None = None,
        state: JobState | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> list[JobRecord]:
        return await self._db.read(lambda db: ledger_jobs.jobs(db, room_id, state, limit, after))

    async def decide(self, outcome: Outcome) -> Outcome:
        return await self._db.write(lambda db: ledger_jobs.decide(db, outcome))

    async def outcome(self, job_id: str) -> Outcome | None:
        return await self._db.read(lambda db: ledger_jobs.outcome_of(db, job_id))

    async def answered(self, claim_key: str, since: datetime) -> Outcome | None:
        aware("since", since)
        return await self._db.read(lambda db: ledger_jobs.answered(db, claim_key, since))

    async def alike(self, sense_key: str, since: datetime, limit: int = 3) -> list[Outcome]:
        aware("since", since)
        return await self._db.read(lambda db: ledger_jobs.alike(db, sense_key, since, limit))

    async def mark_emitted(self, job_id: str, attempt: int) -> None:
        await self._db.write(lambda db: ledger_jobs.mark_emitted(db, job_id, attempt))

    async def unemitted(self, older_than: datetime, limit: int = 100) -> list[Outcome]:
        aware("older_than", older_than)
        return await self._db.read(lambda db: ledger_jobs.unemitted(db, older_than, limit))

    async def next_attempt(self, job_id: str) -> int:
        return await self._db.write(lambda db: ledger_jobs.next_attempt(db, job_id))

    async def remember(self, job_id: str, attempt: int, loop: int, stage: str, payload: bytes) -> bytes:
        identifier("job_id", job_id)
        identifier("stage", stage)
        return await self._db.write(lambda db: ledger_jobs.remember(db, (job_id, attempt, loop, stage), payload))

    async def recall(self, job_id: str, attempt: int, loop: int, stage: str) -> bytes | None:
        return await self._db.read(lambda db: ledger_jobs.recall(db, (job_id, attempt, loop, stage)))

    async def open_load(self) -> OpenLoad:
        return await self._db.read(ledger_jobs.open_load)

    async def open_jobs(self, limit: int = 1000) -> list[JobRecord]:
        return await self._db.read(lambda db: ledger_jobs.open_jobs(db, limit))

    async def open_parent(self, parent_id: str, children: Sequence[str], deadline: datetime) -> ParentRecord:
        identifier("parent_id", parent_id)
        names = tuple(dict.fromkeys(identifier("child_id", child) for child in children))
        aware("deadline", deadline)
        return await self._db.write(lambda db: ledger_joins.open_parent(db, parent_id, names, deadline))

    async def add_sub_result(self, parent_id: str, child_id: str, payload: bytes) -> JoinState:
        return await self._db.write(lambda db: ledger_joins.add_sub_result(db, parent_id, child_id, payload))

    async def sub_results(self, parent_id: str) -> dict[str, bytes]:
        return await self._db.read(lambda db: ledger_joins.sub_results(db, parent_id))

    async def parent(self, parent_id: str) -> ParentRecord | None:
        return await self._db.read(lambda db: ledger_joins.parent(db, parent_id))

    async def close_overdue(self, now: datetime, limit: int = 100) -> list[str]:
        aware("now", now)
        return await self._db.write(lambda db: ledger_joins.close_overdue(db, now, limit))

    async def stranded_parents(self, closed_before: datetime, limit: int = 100) -> list[str]:
        aware("closed_before", closed_before)
        return await self._db.read(lambda db: ledger_joins.stranded(db, closed_before, limit))

    async def record_provenance(self, job_id: str, evidence: Sequence[EvidenceRef]) -> None:
        identifier("job_id", job_id)
        refs = tuple(evidence)
        await self._db.write(lambda db: ledger_records.record_provenance(db, job_id, refs))

    async def provenance(self, job_id: str) -> list[EvidenceRef]:
        return await self._db.read(lambda db: ledger_records.provenance(db, job_id))

    async def append_audit(self, entry: AuditEntry) -> None:
        await self._db.write(lambda db: ledger_records.append_audit(db, entry))

    async def audit(
        self, *, workspace_id: str | None = None, job_id: str | None = None, limit: int = 1000
    ) -> list[AuditEntry]:
        return await self._db.read(lambda db: ledger_records.audit(db, workspace_id, job_id, limit))

    async def purge(self, now: datetime, retention: Retention | None = None) -> int:
        aware("now", now)
        return await self._db.write(lambda db: ledger_records.purge(db, now, retention or Retention()))

    async def close(self) -> None:
        await self._db.close()
