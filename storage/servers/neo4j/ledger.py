"""VerdictLedger in Neo4j: every method is one transaction."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial

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
from storage.servers.neo4j import ledger_jobs, ledger_joins, ledger_records
from storage.servers.neo4j.connection import Neo4jConnection

OVERDUE_ROUNDS = 20
"""Tries to close anything while others close the same parents; each round that finds some closed, closed some."""


class Neo4jLedger:
    """The VerdictLedger on a server that any number of workers share."""

    def __init__(self, connection: Neo4jConnection) -> None:
        self._db = connection.share()

    async def open_job(self, record: JobRecord) -> JobRecord:
        return await self._db.write(lambda work: ledger_jobs.open_job(work, record))

    async def job(self, job_id: str) -> JobRecord | None:
        return await self._db.read(lambda work: ledger_jobs.job(work, job_id))

    async def jobs(
        self,
        *,
        room_id: str | None = None,
        state: JobState | None = None,
        limit: int = 100,
        after: str | None = None,
    ) -> list[JobRecord]:
        return await self._db.read(lambda work: ledger_jobs.jobs(work, room_id, state, limit, after))

    async def decide(self, outcome: Outcome) -> Outcome:
        return await self._db.write(lambda work: ledger_jobs.decide(work, outcome))

    async def outcome(self, job_id: str) -> Outcome | None:
        return await self._db.read(lambda work: ledger_jobs.outcome_of(work, job_id))

    async def answered(self, claim_key: str, since: datetime) -> Outcome | None:
        aware("since", since)
        return await self._db.read(lambda work: ledger_jobs.answered(work, claim_key, since))

    async def alike(self, sense_key: str, since: datetime, limit: int = 3) -> list[Outcome]:
        aware("since", since)
        return await self._db.read(lambda work: ledger_jobs.alike(work, sense_key, since, limit))

    async def mark_emitted(self, job_id: str, attempt: int) -> None:
        await self._db.write(lambda work: ledger_jobs.mark_emitted(work, job_id, attempt))

    async def unemitted(self, older_than: datetime, limit: int = 100) -> list[Outcome]:
        aware("older_than", older_than)
        return await self._db.read(lambda work: ledger_jobs.unemitted(work, older_than, limit))

    async def next_attempt(self, job_id: str) -> int:
        return await self._db.write(lambda work: ledger_jobs.next_attempt(work, job_id))

    async def remember(self, job_id: str, attempt: int, loop: int, stage: str, payload: bytes) -> bytes:
        identifier("job_id", job_id)
        identifier("stage", stage)
        return await self._db.write(lambda work: ledger_jobs.remember(work, (job_id, attempt, loop, stage), payload))

    async def recall(self, job_id: str, attempt: int, loop: int, stage: str) -> bytes | None:
        return await self._db.read(lambda work: ledger_jobs.recall(work, (job_id, attempt, loop, stage)))

    async def open_load(self) -> OpenLoad:
        return await self._db.read(ledger_jobs.open_load)

    async def open_jobs(self, limit: int = 1000) -> list[JobRecord]:
        return await self._db.read(lambda work: ledger_jobs.open_jobs(work, limit))

    async def open_parent(self, parent_id: str, children: Sequence[str], deadline: datetime) -> ParentRecord:
        identifier("parent_id", parent_id)
        names = tuple(dict.fromkeys(identifier("child_id", child) for child in children))
        aware("deadline", deadline)
        return await self._db.write(lambda work: ledger_joins.open_parent(work, parent_id, names, deadline))

    async def add_sub_result(self, parent_id: str, child_id: str, payload: bytes) -> JoinState:
        return await self._db.write(lambda work: ledger_joins.add_sub_result(work, parent_id, child_id, payload))

    async def sub_results(self, parent_id: str) -> dict[str, bytes]:
        return await self._db.read(lambda work: ledger_joins.sub_results(work, parent_id))

    async def parent(self, parent_id: str) -> ParentRecord | None:
        return await self._db.read(lambda work: ledger_joins.parent(work, parent_id))

    async def close_overdue(self, now: datetime, limit: int = 100) -> list[str]:
        aware("now", now)
        for _ in range(OVERDUE_ROUNDS):
            found, closed = await self._db.write(lambda work: ledger_joins.close_overdue(work, now, limit))
            if closed or not found:
                return closed
        return []

    async def stranded_parents(self, closed_before: datetime, limit: int = 100) -> list[str]:
        aware("closed_before", closed_before)
        return await self._db.read(lambda work: ledger_joins.stranded(work, closed_before, limit))

    async def record_provenance(self, job_id: str, evidence: Sequence[EvidenceRef]) -> None:
        identifier("job_id", job_id)
        refs = tuple(evidence)
        await self._db.write(lambda work: ledger_records.record_provenance(work, job_id, refs))

    async def provenance(self, job_id: str) -> list[EvidenceRef]:
        return await self._db.read(lambda work: ledger_records.provenance(work, job_id))

    async def append_audit(self, entry: AuditEntry) -> None:
        await self._db.write(lambda work: ledger_records.append_audit(work, entry))

    async def audit(
        self, *, workspace_id: str | None = None, job_id: str | None = None, limit: int = 1000
    ) -> list[AuditEntry]:
        return await self._db.read(lambda work: ledger_records.audit(work, workspace_id, job_id, limit))

    async def purge(self, now: datetime, retention: Retention | None = None) -> int:
        aware("now", now)
        kept = retention or Retention()
        named = list(kept.per_workspace)
        shares = [
            partial(ledger_records.purge_workspace, workspace_id=name, before=now - kept.per_workspace[name])
            for name in named
        ]
        shares.append(partial(ledger_records.purge_others, named=named, before=now - kept.default))
        gone = 0
        for share in shares:
            while some := await self._db.write(share):
                gone += some
        return gone

    async def close(self) -> None:
        await self._db.close()
