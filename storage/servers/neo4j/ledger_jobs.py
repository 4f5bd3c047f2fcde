"""The ledger's Cypher about jobs, outcomes and remembered steps; each function runs in its caller's transaction."""

import zlib
from datetime import datetime
from typing import Any, LiteralString

from neo4j import Record

from storage.errors import JobCompleted, JobUnknown
from storage.ports.ledger import SUB_JOB_MARK, JobRecord, JobState, OpenLoad, Outcome
from storage.servers.neo4j.connection import Work
from storage.servers.neo4j.keys import key_of
from storage.times import micros, moment_of, optional_micros, optional_moment

SHARDS = 16
"""The running totals are spread over so many nodes, so that jobs that open and close at once seldom wait."""

JOB: LiteralString = (
    " RETURN j.job_id AS job_id, j.fingerprint AS fingerprint, j.submission AS submission, j.opened_at AS opened_at,"
    " j.room_id AS room_id, j.workspace_id AS workspace_id, j.attempt AS attempt, j.state AS state,"
    " j.deadline AS deadline "
)
OUTCOME: LiteralString = (
    " RETURN o.job_id AS job_id, o.attempt AS attempt, o.state AS state, o.payload AS payload,"
    " o.decided_at AS decided_at, coalesce(o.claim_key, '') AS claim_key,"
    " coalesce(o.sense_key, '') AS sense_key "
)
THE_JOB: LiteralString = "MATCH (j:Job {space: $space, job_id: $job_id})"
LOCK_JOB: LiteralString = THE_JOB + " SET j.locked = true"
INSERT_JOB: LiteralString = "MERGE (j:Job {space: $space, job_id: $job_id}) ON CREATE SET j += $row"
TOTALS: LiteralString = "MERGE (t:OpenTotals {space: $space, shard: $shard}) ON CREATE SET t.jobs = 0, t.bytes = 0"
COUNT_OPEN: LiteralString = """
MATCH (t:OpenTotals {space: $space, shard: $shard}) SET t.locked = true
WITH t SET t.jobs = t.jobs + $jobs, t.bytes = t.bytes + $bytes
"""
OPEN_LOAD: LiteralString = """
MATCH (t:OpenTotals) WHERE t.space = $space AND t.shard IS NOT NULL
RETURN coalesce(sum(t.jobs), 0) AS jobs, coalesce(sum(t.bytes), 0) AS bytes
"""
KEPT: LiteralString = (
    "MATCH (:Job {space: $space, job_id: $job_id})-[:DECIDED]->(o:Outcome)"
    " WHERE o.attempt = $attempt OR o.state = 'completed'" + OUTCOME + "ORDER BY o.state = 'completed' DESC LIMIT 1"
)
KEEP: LiteralString = THE_JOB + " CREATE (j)-[:DECIDED]->(o:Outcome {space: $space, job_id: $job_id}) SET o += $row"
CLOSE: LiteralString = THE_JOB + " SET j.state = $state, j.attempt = $attempt"
LAST_OUTCOME: LiteralString = (
    "MATCH (o:Outcome) WHERE o.space = $space AND o.job_id = $job_id AND o.attempt IS NOT NULL"
    + OUTCOME
    + "ORDER BY o.space DESC, o.job_id DESC, o.attempt DESC LIMIT 1"
)
ANSWERED: LiteralString = (
    "MATCH (o:Outcome) WHERE o.space = $space AND o.claim_key = $claim_key AND o.decided_at >= $since"
    + OUTCOME
    + "ORDER BY o.space DESC, o.claim_key DESC, o.decided_at DESC LIMIT 1"
)
ALIKE: LiteralString = (
    "MATCH (o:Outcome) WHERE o.space = $space AND o.sense_key = $sense_key AND o.decided_at >= $since"
    + OUTCOME
    + "ORDER BY o.space DESC, o.sense_key DESC, o.decided_at DESC LIMIT $limit"
)
EMITTED: LiteralString = "MATCH (o:Outcome {space: $space, job_id: $job_id, attempt: $attempt}) SET o.emitted = true"
UNEMITTED: LiteralString = (
    "MATCH (o:Outcome) WHERE o.space = $space AND o.emitted = false AND o.decided_at < $before"
    + OUTCOME
    + "ORDER BY o.space, o.emitted, o.decided_at LIMIT $limit"
)
REMEMBER: LiteralString = """
MERGE (s:Step {space: $space, job_id: $job_id, attempt: $attempt, loop: $loop, stage: $stage})
ON CREATE SET s.payload = $payload
RETURN s.payload AS payload
"""
RECALL: LiteralString = """
MATCH (s:Step {space: $space, job_id: $job_id, attempt: $attempt, loop: $loop, stage: $stage})
RETURN s.payload AS payload
"""
JOBS: LiteralString = "MATCH (j:Job) WHERE j.space = $space AND j.job_id IS NOT NULL"
NO_SUB_JOBS: LiteralString = " AND NOT j.job_id CONTAINS $mark"
# Naming every property of the index, those that are given too, lets the rows come in its order without sorting.
NEWEST: LiteralString = JOB + "ORDER BY j.space DESC, j.opened_at DESC, j.job_id DESC LIMIT $limit"
NEWEST_OF_ROOM: LiteralString = (
    JOB + "ORDER BY j.space DESC, j.room_key DESC, j.opened_at DESC, j.job_id DESC LIMIT $limit"
)
NEWEST_IN_STATE: LiteralString = (
    JOB + "ORDER BY j.space DESC, j.state DESC, j.opened_at DESC, j.job_id DESC LIMIT $limit"
)
OLDEST_OPEN: LiteralString = (
    JOBS
    + " AND j.state = 'open' AND j.opened_at IS NOT NULL"
    + JOB
    + "ORDER BY j.space, j.state, j.opened_at, j.job_id LIMIT $limit"
)


def _job(row: Record) -> JobRecord:
    return JobRecord(
        job_id=row["job_id"],
        fingerprint=row["fingerprint"],
        submission=bytes(row["submission"]),
        opened_at=moment_of(row["opened_at"]),
        room_id=row["room_id"],
        workspace_id=row["workspace_id"],
        attempt=row["attempt"],
        state=JobState(row["state"]),
        deadline=optional_moment(row["deadline"]),
    )


def _columns(record: JobRecord) -> dict[str, Any]:
    return {
        "fingerprint": record.fingerprint,
        "submission": record.submission,
        "bytes": len(record.submission),
        "opened_at": micros(record.opened_at),
        "room_id": record.room_id,
        "room_key": key_of(record.room_id),
        "workspace_id": record.workspace_id,
        "attempt": record.attempt,
        "state": str(record.state),
        "deadline": optional_micros(record.deadline),
    }


def _outcome(row: Record) -> Outcome:
    return Outcome(
        job_id=row["job_id"],
        attempt=row["attempt"],
        state=JobState(row["state"]),
        payload=bytes(row["payload"]),
        decided_at=moment_of(row["decided_at"]),
        claim_key=row["claim_key"],
        sense_key=row["sense_key"],
    )


async def open_job(work: Work, record: JobRecord) -> JobRecord:
    """Insert if absent, then read back."""
    created = await work.created(INSERT_JOB, job_id=record.job_id, row=_columns(record))
    if created and record.state is JobState.OPEN:
        await _count(work, record.job_id, 1, len(record.submission))
    stored = await job(work, record.job_id)
    assert stored is not None
    return stored


async def _count(work: Work, job_id: str, jobs: int, size: int) -> None:
    shard = zlib.crc32(job_id.encode()) % SHARDS
    await work.rows(TOTALS, shard=shard)
    await work.rows(COUNT_OPEN, shard=shard, jobs=jobs, bytes=size)


async def job(work: Work, job_id: str) -> JobRecord | None:
    """One job."""
    row = await work.row(THE_JOB + JOB, job_id=job_id)
    return None if row is None else _job(row)


async def jobs(
    work: Work, room_id: str | None, state: JobState | None, limit: int, after: str | None
) -> list[JobRecord]:
    """A page of jobs, newest first; the page before ended with `after`."""
    statement, order = JOBS + NO_SUB_JOBS, NEWEST
    bound: dict[str, Any] = {"limit": limit, "mark": SUB_JOB_MARK}
    if state is not None:
        statement, order = statement + " AND j.state = $state", NEWEST_IN_STATE
        bound["state"] = str(state)
    if room_id is not None:
        statement, order = statement + " AND j.room_key = $room", NEWEST_OF_ROOM
        bound["room"] = key_of(room_id)
    if after is None:
        statement += " AND j.opened_at IS NOT NULL"
    else:
        last = await job(work, after)
        if last is None:
            return []
        statement += " AND j.opened_at <= $at AND (j.opened_at < $at OR j.job_id < $after)"
        bound |= {"at": micros(last.opened_at), "after": after}
    return [_job(row) for row in await work.rows(statement + order, **bound)]


async def open_jobs(work: Work, limit: int) -> list[JobRecord]:
    """The open jobs, oldest first."""
    return [_job(row) for row in await work.rows(OLDEST_OPEN, limit=limit)]


async def open_load(work: Work) -> OpenLoad:
    """The sum of the running totals."""
    row = await work.row(OPEN_LOAD)
    assert row is not None
    return OpenLoad(row["jobs"], row["bytes"])


async def decide(work: Work, outcome: Outcome) -> Outcome:
    """Keep the first outcome of an attempt, and the first completion of a job; return what is kept.

    Whoever comes first locks the job's node by writing to it; the next one reads only after the first's commit.
    """
    stranger = JobRecord(outcome.job_id, "", b"", outcome.decided_at, attempt=outcome.attempt, state=outcome.state)
    unknown = await work.created(INSERT_JOB, job_id=outcome.job_id, row=_columns(stranger))
    await work.rows(LOCK_JOB, job_id=outcome.job_id)
    kept = await work.row(KEPT, job_id=outcome.job_id, attempt=outcome.attempt)
    if kept is not None:
        return _outcome(kept)
    row = {
        "attempt": outcome.attempt,
        "state": str(outcome.state),
        "payload": outcome.payload,
        "decided_at": micros(outcome.decided_at),
        "emitted": False,
    }
    if outcome.state is JobState.COMPLETED:  # only what can answer is in the indexes
        keys = {"claim_key": outcome.claim_key, "sense_key": outcome.sense_key}
        row |= {name: key for name, key in keys.items() if key}
    await work.rows(KEEP, job_id=outcome.job_id, row=row)
    if not unknown:
        await _close(work, outcome)
    return outcome


async def _close(work: Work, outcome: Outcome) -> None:
    """The job takes its outcome's state, unless a later attempt is under way."""
    stored = await job(work, outcome.job_id)
    assert stored is not None
    if stored.state is JobState.OPEN and stored.attempt <= outcome.attempt:
        await work.rows(CLOSE, job_id=outcome.job_id, state=str(outcome.state), attempt=outcome.attempt)
        await _count(work, outcome.job_id, -1, -len(stored.submission))


async def outcome_of(work: Work, job_id: str) -> Outcome | None:
    """The outcome of the latest attempt that has one."""
    row = await work.row(LAST_OUTCOME, job_id=job_id)
    return None if row is None else _outcome(row)


async def answered(work: Work, claim_key: str, since: datetime) -> Outcome | None:
    """The latest answer to what was asked."""
    row = await work.row(ANSWERED, claim_key=claim_key, since=micros(since))
    return None if row is None else _outcome(row)


async def alike(work: Work, sense_key: str, since: datetime, limit: int) -> list[Outcome]:
    """The latest answers about the same words."""
    rows = await work.rows(ALIKE, sense_key=sense_key, since=micros(since), limit=limit)
    return [_outcome(row) for row in rows]


async def mark_emitted(work: Work, job_id: str, attempt: int) -> None:
    """The broker has it."""
    await work.rows(EMITTED, job_id=job_id, attempt=attempt)


async def unemitted(work: Work, older_than: datetime, limit: int) -> list[Outcome]:
    """Decided before `older_than`, never marked emitted."""
    return [_outcome(row) for row in await work.rows(UNEMITTED, before=micros(older_than), limit=limit)]


async def next_attempt(work: Work, job_id: str) -> int:
    """Reopen a failed job under the next number."""
    await work.rows(LOCK_JOB, job_id=job_id)
    stored = await job(work, job_id)
    if stored is None:
        raise JobUnknown(f"job {job_id!r} is not in the ledger; submit it instead of replaying it")
    if stored.state is JobState.COMPLETED:
        raise JobCompleted(f"job {job_id!r} has its verdict; submit a new job to verify the claim again")
    if stored.state is JobState.OPEN:
        return stored.attempt
    await work.rows(CLOSE, job_id=job_id, state=str(JobState.OPEN), attempt=stored.attempt + 1)
    await _count(work, job_id, 1, len(stored.submission))
    return stored.attempt + 1


async def remember(work: Work, key: tuple[str, int, int, str], payload: bytes) -> bytes:
    """Keep the first outcome of the step (job_id, attempt, loop, stage); return the kept one."""
    job_id, attempt, loop, stage = key
    row = await work.row(REMEMBER, job_id=job_id, attempt=attempt, loop=loop, stage=stage, payload=payload)
    assert row is not None
    return bytes(row["payload"])


async def recall(work: Work, key: tuple[str, int, int, str]) -> bytes | None:
    """What is kept of the step."""
    job_id, attempt, loop, stage = key
    row = await work.row(RECALL, job_id=job_id, attempt=attempt, loop=loop, stage=stage)
    return None if row is None else bytes(row["payload"])
