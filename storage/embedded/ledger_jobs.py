"""The ledger's SQL about jobs, outcomes and remembered steps; each function runs in its caller's transaction."""

from datetime import datetime

import apsw

from storage.embedded.filters import Filters
from storage.errors import JobCompleted, JobUnknown
from storage.ports.ledger import SUB_JOB_MARK, JobRecord, JobState, OpenLoad, Outcome
from storage.times import micros, moment_of, optional_micros, optional_moment

JOBS = """
SELECT job_id, fingerprint, submission, opened_at, room_id, workspace_id, attempt, state, deadline FROM jobs
"""
OUTCOMES = "SELECT job_id, attempt, state, payload, decided_at, claim_key, sense_key FROM outcomes "


def _job(row: tuple[str, str, bytes, int, str, str, int, str, int | None]) -> JobRecord:
    job_id, fingerprint, submission, opened_at, room_id, workspace_id, attempt, state, deadline = row
    return JobRecord(
        job_id=job_id,
        fingerprint=fingerprint,
        submission=submission,
        opened_at=moment_of(opened_at),
        room_id=room_id,
        workspace_id=workspace_id,
        attempt=attempt,
        state=JobState(state),
        deadline=optional_moment(deadline),
    )


def _outcome(row: tuple[str, int, str, bytes, int, str, str]) -> Outcome:
    job_id, attempt, state, payload, decided_at, claim_key, sense_key = row
    return Outcome(job_id, attempt, JobState(state), payload, moment_of(decided_at), claim_key, sense_key)


def open_job(db: apsw.Connection, record: JobRecord) -> JobRecord:
    """Insert if absent, then read back."""
    _insert_job(db, record)
    stored = job(db, record.job_id)
    assert stored is not None
    return stored


def _insert_job(db: apsw.Connection, record: JobRecord) -> None:
    db.execute(
        "INSERT INTO jobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        (
            record.job_id,
            record.fingerprint,
            record.submission,
            micros(record.opened_at),
            record.room_id,
            record.workspace_id,
            record.attempt,
            record.state,
            optional_micros(record.deadline),
        ),
    )


def job(db: apsw.Connection, job_id: str) -> JobRecord | None:
    """One job."""
    row = db.execute(JOBS + "WHERE job_id = ?", (job_id,)).fetchone()
    return None if row is None else _job(row)


def jobs(
    db: apsw.Connection, room_id: str | None, state: JobState | None, limit: int, after: str | None
) -> list[JobRecord]:
    """A page of jobs, newest first; the page before ended with `after`."""
    filters = Filters()
    filters.add("instr(job_id, ?) = 0", SUB_JOB_MARK)
    filters.add("room_id = ?", room_id)
    filters.add("state = ?", state)
    filters.add("(opened_at, job_id) < (SELECT opened_at, job_id FROM jobs WHERE job_id = ?)", after)
    query = JOBS + filters.where + "ORDER BY opened_at DESC, job_id DESC LIMIT ?"
    return [_job(row) for row in db.execute(query, (*filters.values, limit))]


def open_jobs(db: apsw.Connection, limit: int) -> list[JobRecord]:
    """The open jobs, oldest first."""
    query = JOBS + "WHERE state = 'open' ORDER BY opened_at, job_id LIMIT ?"
    return [_job(row) for row in db.execute(query, (limit,))]


def open_load(db: apsw.Connection) -> OpenLoad:
    """The running totals."""
    row = db.execute("SELECT jobs, bytes FROM open_totals").fetchone()
    assert row is not None
    return OpenLoad(*row)


def decide(db: apsw.Connection, outcome: Outcome) -> Outcome:
    """Keep the first outcome of an attempt, and the first completion of a job; return what is kept."""
    kept = db.execute(
        OUTCOMES + "WHERE job_id = ? AND (attempt = ? OR state = 'completed')"
        " ORDER BY state = 'completed' DESC LIMIT 1",
        (outcome.job_id, outcome.attempt),
    ).fetchone()
    if kept is not None:
        return _outcome(kept)
    db.execute(
        "INSERT INTO outcomes (job_id, attempt, state, payload, decided_at, claim_key, sense_key)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            *(outcome.job_id, outcome.attempt, outcome.state, outcome.payload, micros(outcome.decided_at)),
            *(outcome.claim_key, outcome.sense_key),
        ),
    )
    _insert_job(
        db,
        JobRecord(
            job_id=outcome.job_id,
            fingerprint="",
            submission=b"",
            opened_at=outcome.decided_at,
            attempt=outcome.attempt,
            state=outcome.state,
        ),
    )
    db.execute(
        "UPDATE jobs SET state = ?, attempt = ? WHERE job_id = ? AND attempt <= ? AND state = 'open'",
        (outcome.state, outcome.attempt, outcome.job_id, outcome.attempt),
    )
    return outcome


def outcome_of(db: apsw.Connection, job_id: str) -> Outcome | None:
    """The outcome of the latest attempt that has one."""
    query = OUTCOMES + "WHERE job_id = ? ORDER BY attempt DESC LIMIT 1"
    row = db.execute(query, (job_id,)).fetchone()
    return None if row is None else _outcome(row)


def answered(db: apsw.Connection, claim_key: str, since: datetime) -> Outcome | None:
    """The latest answer to what was asked."""
    query = (
        OUTCOMES + "WHERE claim_key = ? AND claim_key <> '' AND state = 'completed' AND decided_at >= ?"
        " ORDER BY decided_at DESC LIMIT 1"
    )
    row = db.execute(query, (claim_key, micros(since))).fetchone()
    return None if row is None else _outcome(row)


def alike(db: apsw.Connection, sense_key: str, since: datetime, limit: int) -> list[Outcome]:
    """The latest answers about the same words."""
    query = (
        OUTCOMES + "WHERE sense_key = ? AND sense_key <> '' AND state = 'completed' AND decided_at >= ?"
        " ORDER BY decided_at DESC LIMIT ?"
    )
    return [_outcome(row) for row in db.execute(query, (sense_key, micros(since), limit))]


def mark_emitted(db: apsw.Connection, job_id: str, attempt: int) -> None:
    """The broker has it."""
    db.execute("UPDATE outcomes SET emitted = 1 WHERE job_id = ? AND attempt = ?", (job_id, attempt))


def unemitted(db: apsw.Connection, older_than: datetime, limit: int) -> list[Outcome]:
    """Decided before `older_than`, never marked emitted."""
    query = OUTCOMES + "WHERE emitted = 0 AND decided_at < ? ORDER BY decided_at LIMIT ?"
    return [_outcome(row) for row in db.execute(query, (micros(older_than), limit))]


def next_attempt(db: apsw.Connection, job_id: str) -> int:
    """Reopen a failed job under the next number."""
    stored = job(db, job_id)
    if stored is None:
        raise JobUnknown(f"job {job_id!r} is not in the ledger; submit it instead of replaying it")
    if stored.state is JobState.COMPLETED:
        raise JobCompleted(f"job {job_id!r} has its verdict; submit a new job to verify the claim again")
    if stored.state is JobState.OPEN:
        return stored.attempt
    db.execute("UPDATE jobs SET state = 'open', attempt = attempt + 1 WHERE job_id = ?", (job_id,))
    return stored.attempt + 1


def remember(db: apsw.Connection, key: tuple[str, int, int, str], payload: bytes) -> bytes:
    """Keep the first outcome of the step (job_id, attempt, loop, stage); return the kept one."""
    db.execute("INSERT INTO steps VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING", (*key, payload))
    stored = recall(db, key)
    assert stored is not None
    return stored


def recall(db: apsw.Connection, key: tuple[str, int, int, str]) -> bytes | None:
    """What is kept of the step."""
    stored = db.execute(
        "SELECT payload FROM steps WHERE job_id = ? AND attempt = ? AND loop = ? AND stage = ?", key
    ).get
    return stored if isinstance(stored, bytes) else None
