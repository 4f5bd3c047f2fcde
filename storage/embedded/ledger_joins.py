"""The ledger's SQL about parents and their sub-results; each function runs inside a transaction of its caller."""

from collections.abc import Sequence
from datetime import datetime

import apsw

from storage.errors import JobUnknown
from storage.ports.ledger import JoinState, ParentRecord
from storage.times import micros, moment_of


def open_parent(db: apsw.Connection, parent_id: str, children: Sequence[str], deadline: datetime) -> ParentRecord:
    """Register once; later registrations change nothing."""
    db.execute(
        "INSERT INTO parents (parent_id, deadline, expected) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (parent_id, micros(deadline), len(children)),
    )
    if db.changes():
        rows = [(parent_id, child_id, position) for position, child_id in enumerate(children)]
        db.executemany("INSERT INTO children (parent_id, child_id, position) VALUES (?, ?, ?)", rows)
    stored = parent(db, parent_id)
    assert stored is not None
    return stored


def parent(db: apsw.Connection, parent_id: str) -> ParentRecord | None:
    """A parent's registration."""
    deadline = db.execute("SELECT deadline FROM parents WHERE parent_id = ?", (parent_id,)).get
    if deadline is None:
        return None
    rows = db.execute("SELECT child_id FROM children WHERE parent_id = ? ORDER BY position", (parent_id,))
    return ParentRecord(parent_id, tuple(child_id for (child_id,) in rows), moment_of(int(deadline)))


def add_sub_result(db: apsw.Connection, parent_id: str, child_id: str, payload: bytes) -> JoinState:
    """Keep a child's first result. The transaction holds the write lock, so one caller alone fills the last gap."""
    db.execute(
        "UPDATE children SET payload = ? WHERE parent_id = ? AND child_id = ? AND payload IS NULL",
        (payload, parent_id, child_id),
    )
    fresh = db.changes() > 0
    if not fresh:
        _require_child(db, parent_id, child_id)
    row = db.execute(
        "UPDATE parents SET done = done + ? WHERE parent_id = ? RETURNING done, expected, state",
        (int(fresh), parent_id),
    ).fetchone()
    assert row is not None
    done, expected, state = row
    just_completed = fresh and done == expected and state == "open"
    if just_completed:
        db.execute("UPDATE parents SET state = 'complete' WHERE parent_id = ?", (parent_id,))
    return JoinState(done, expected, just_completed, overdue=state == "overdue")


def _require_child(db: apsw.Connection, parent_id: str, child_id: str) -> None:
    known = db.execute("SELECT count(*) FROM children WHERE parent_id = ? AND child_id = ?", (parent_id, child_id)).get
    if not known:
        raise JobUnknown(f"{child_id!r} is not a registered sub-claim of {parent_id!r}; register the parent first")


def sub_results(db: apsw.Connection, parent_id: str) -> dict[str, bytes]:
    """What has arrived, in the children's order."""
    rows = db.execute(
        "SELECT child_id, payload FROM children WHERE parent_id = ? AND payload IS NOT NULL ORDER BY position",
        (parent_id,),
    )
    return dict(rows)


def close_overdue(db: apsw.Connection, now: datetime, limit: int) -> list[str]:
    """Close what the deadline has passed; the update makes each id appear once."""
    rows = db.execute(
        "UPDATE parents SET state = 'overdue' WHERE parent_id IN ("
        " SELECT parent_id FROM parents WHERE state = 'open' AND deadline <= ? ORDER BY deadline LIMIT ?"
        ") RETURNING parent_id",
        (micros(now), limit),
    )
    return sorted(parent_id for (parent_id,) in rows)


def stranded(db: apsw.Connection, closed_before: datetime, limit: int) -> list[str]:
    """Complete, or overdue since before `closed_before`, but the job itself has no outcome."""
    rows = db.execute(
        "SELECT parent_id FROM parents JOIN jobs ON job_id = parent_id"
        " WHERE jobs.state = 'open' AND parents.state <> 'open'"
        " AND (parents.state = 'complete' OR parents.deadline < ?) ORDER BY parents.deadline LIMIT ?",
        (micros(closed_before), limit),
    )
    return [parent_id for (parent_id,) in rows]
