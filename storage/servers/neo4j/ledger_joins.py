"""The ledger's Cypher about parents and their sub-results; each function runs in its caller's transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import LiteralString

from storage.errors import JobUnknown
from storage.ports.ledger import JoinState, ParentRecord
from storage.servers.neo4j.connection import Work
from storage.times import micros, moment_of

THE_PARENT: LiteralString = "MATCH (p:Parent {space: $space, parent_id: $parent_id})"
THE_CHILD: LiteralString = "MATCH (c:SubClaim {space: $space, parent_id: $parent_id, child_id: $child_id})"
REGISTER: LiteralString = """
MERGE (p:Parent {space: $space, parent_id: $parent_id})
ON CREATE SET p.children = $children, p.deadline = $deadline, p.expected = size($children), p.done = 0, p.state = 'open'
"""
REGISTER_CHILDREN: LiteralString = (
    THE_PARENT + " UNWIND range(0, size(p.children) - 1) AS position"
    " CREATE (p)-[:AWAITS]->(:SubClaim {space: $space, parent_id: $parent_id, child_id: p.children[position],"
    " position: position})"
)
REGISTRATION: LiteralString = THE_PARENT + " RETURN p.children AS children, p.deadline AS deadline"
LOCK: LiteralString = THE_PARENT + " SET p.locked = true"
STANDING: LiteralString = (
    THE_PARENT
    + THE_CHILD
    + " RETURN p.done AS done, p.expected AS expected, p.state AS state, c.payload IS NULL AS awaited"
)
FILL: LiteralString = THE_PARENT + THE_CHILD + " SET c.payload = $payload, p.done = $done, p.state = $state"
RESULTS: LiteralString = (
    THE_PARENT + "-[:AWAITS]->(c:SubClaim) WHERE c.payload IS NOT NULL"
    " RETURN c.child_id AS child_id, c.payload AS payload ORDER BY c.position"
)
OVERDUE: LiteralString = """
MATCH (p:Parent) WHERE p.space = $space AND p.state = 'open' AND p.deadline <= $now
RETURN p.parent_id AS parent_id ORDER BY p.space, p.state, p.deadline LIMIT $limit
"""
LOCK_ALL: LiteralString = """
UNWIND $ids AS id MATCH (p:Parent {space: $space, parent_id: id}) SET p.locked = true
"""
CLOSE: LiteralString = """
UNWIND $ids AS id MATCH (p:Parent {space: $space, parent_id: id}) WHERE p.state = 'open'
SET p.state = 'overdue' RETURN id
"""
STRANDED: LiteralString = """
MATCH (j:Job) WHERE j.space = $space AND j.state = 'open' AND j.opened_at IS NOT NULL AND j.job_id IS NOT NULL
MATCH (p:Parent {space: $space, parent_id: j.job_id})
WHERE p.state = 'complete' OR p.state = 'overdue' AND p.deadline < $before
RETURN p.parent_id AS parent_id ORDER BY p.deadline LIMIT $limit
"""


async def open_parent(work: Work, parent_id: str, children: Sequence[str], deadline: datetime) -> ParentRecord:
    """Register once; later registrations change nothing."""
    if await work.created(REGISTER, parent_id=parent_id, children=list(children), deadline=micros(deadline)):
        await work.rows(REGISTER_CHILDREN, parent_id=parent_id)
    stored = await parent(work, parent_id)
    assert stored is not None
    return stored


async def parent(work: Work, parent_id: str) -> ParentRecord | None:
    """A parent's registration."""
    row = await work.row(REGISTRATION, parent_id=parent_id)
    return None if row is None else ParentRecord(parent_id, tuple(row["children"]), moment_of(row["deadline"]))


async def add_sub_result(work: Work, parent_id: str, child_id: str, payload: bytes) -> JoinState:
    """Keep a child's first result. Writing to the parent locks it, so one caller alone fills the last gap."""
    await work.rows(LOCK, parent_id=parent_id)
    row = await work.row(STANDING, parent_id=parent_id, child_id=child_id)
    if row is None:
        raise JobUnknown(f"{child_id!r} is not a registered sub-claim of {parent_id!r}; register the parent first")
    done, expected, state = row["done"], row["expected"], row["state"]
    if not row["awaited"]:
        return JoinState(done, expected, overdue=state == "overdue")
    completes = done + 1 == expected and state == "open"
    await work.rows(
        FILL,
        parent_id=parent_id,
        child_id=child_id,
        payload=payload,
        done=done + 1,
        state="complete" if completes else state,
    )
    return JoinState(done + 1, expected, completes, overdue=state == "overdue")


async def sub_results(work: Work, parent_id: str) -> dict[str, bytes]:
    """What has arrived, in the children's order."""
    rows = await work.rows(RESULTS, parent_id=parent_id)
    return {row["child_id"]: bytes(row["payload"]) for row in rows}


async def close_overdue(work: Work, now: datetime, limit: int) -> tuple[int, list[str]]:
    """How many looked overdue, and those that this caller has closed: others may have been quicker."""
    found = sorted(row["parent_id"] for row in await work.rows(OVERDUE, now=micros(now), limit=limit))
    await work.rows(LOCK_ALL, ids=found)
    closed = [row["id"] for row in await work.rows(CLOSE, ids=found)]
    return len(found), sorted(closed)


async def stranded(work: Work, closed_before: datetime, limit: int) -> list[str]:
    """Complete, or overdue since before `closed_before`, but the job itself has no outcome."""
    rows = await work.rows(STRANDED, before=micros(closed_before), limit=limit)
    return [row["parent_id"] for row in rows]
