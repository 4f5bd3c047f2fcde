"""Constraints and indexes of the graph database, as versions that are stored in the graph itself.

Every constraint begins with the space, so one set of them serves all systems that share the database.
"""

from collections.abc import Sequence
from typing import LiteralString

from neo4j import AsyncManagedTransaction, AsyncSession

from storage.errors import StoreMismatch

FIRST: tuple[LiteralString, ...] = (
    # The ledger
    "CREATE CONSTRAINT vs_job IF NOT EXISTS FOR (n:Job) REQUIRE (n.space, n.job_id) IS UNIQUE",
    "CREATE INDEX vs_job_age IF NOT EXISTS FOR (n:Job) ON (n.space, n.opened_at, n.job_id)",
    "CREATE INDEX vs_job_room IF NOT EXISTS FOR (n:Job) ON (n.space, n.room_key, n.opened_at, n.job_id)",
    "CREATE INDEX vs_job_state IF NOT EXISTS FOR (n:Job) ON (n.space, n.state, n.opened_at, n.job_id)",
    "CREATE CONSTRAINT vs_totals IF NOT EXISTS FOR (n:OpenTotals) REQUIRE (n.space, n.shard) IS UNIQUE",
    "CREATE CONSTRAINT vs_outcome IF NOT EXISTS FOR (n:Outcome) REQUIRE (n.space, n.job_id, n.attempt) IS UNIQUE",
    "CREATE INDEX vs_outcome_emitted IF NOT EXISTS FOR (n:Outcome) ON (n.space, n.emitted, n.decided_at)",
    "CREATE CONSTRAINT vs_step IF NOT EXISTS FOR (n:Step)"
    " REQUIRE (n.space, n.job_id, n.attempt, n.loop, n.stage) IS UNIQUE",
    "CREATE CONSTRAINT vs_parent IF NOT EXISTS FOR (n:Parent) REQUIRE (n.space, n.parent_id) IS UNIQUE",
    "CREATE INDEX vs_parent_state IF NOT EXISTS FOR (n:Parent) ON (n.space, n.state, n.deadline)",
    "CREATE CONSTRAINT vs_child IF NOT EXISTS FOR (n:SubClaim) REQUIRE (n.space, n.parent_id, n.child_id) IS UNIQUE",
    "CREATE CONSTRAINT vs_verdict IF NOT EXISTS FOR (n:Verdict) REQUIRE (n.space, n.job_id) IS UNIQUE",
    "CREATE CONSTRAINT vs_evidence IF NOT EXISTS FOR (n:Evidence)"
    " REQUIRE (n.space, n.evidence_id, n.source_key) IS UNIQUE",
    "CREATE CONSTRAINT vs_source IF NOT EXISTS FOR (n:Source) REQUIRE (n.space, n.key) IS UNIQUE",
    "CREATE CONSTRAINT vs_audit IF NOT EXISTS FOR (n:AuditEntry) REQUIRE (n.space, n.entry_id) IS UNIQUE",
    "CREATE INDEX vs_audit_workspace IF NOT EXISTS FOR (n:AuditEntry) ON (n.space, n.workspace_key, n.at, n.entry_id)",
    "CREATE INDEX vs_audit_job IF NOT EXISTS FOR (n:AuditEntry) ON (n.space, n.job_id, n.at, n.entry_id)",
    "CREATE INDEX vs_audit_age IF NOT EXISTS FOR (n:AuditEntry) ON (n.space, n.at, n.entry_id)",
    # The knowledge graph
    "CREATE CONSTRAINT vs_entity IF NOT EXISTS FOR (n:Entity) REQUIRE (n.space, n.key) IS UNIQUE",
    "CREATE CONSTRAINT vs_alias IF NOT EXISTS FOR (n:Alias) REQUIRE (n.space, n.key) IS UNIQUE",
    "CREATE CONSTRAINT vs_fact IF NOT EXISTS FOR (n:Fact) REQUIRE (n.space, n.fact_id) IS UNIQUE",
    "CREATE INDEX vs_fact_subject IF NOT EXISTS FOR (n:Fact) ON (n.space, n.subject_key, n.confidence)",
    "CREATE INDEX vs_fact_object IF NOT EXISTS FOR (n:Fact) ON (n.space, n.object_key, n.confidence)",
    "CREATE INDEX vs_fact_age IF NOT EXISTS FOR (n:Fact) ON (n.space, n.observed)",
    "CREATE CONSTRAINT vs_claim IF NOT EXISTS FOR (n:Claim) REQUIRE (n.space, n.job_id) IS UNIQUE",
    # The registry of pages
    "CREATE CONSTRAINT vs_page IF NOT EXISTS FOR (n:Page) REQUIRE (n.space, n.key) IS UNIQUE",
    "CREATE INDEX vs_page_queue IF NOT EXISTS FOR (n:Page) ON (n.space, n.status, n.changed_at, n.key)",
    "CREATE CONSTRAINT vs_seeker IF NOT EXISTS FOR (n:Seeker) REQUIRE (n.space, n.claim_id) IS UNIQUE",
    "CREATE CONSTRAINT vs_visit IF NOT EXISTS FOR (n:Visit) REQUIRE (n.space, n.job_id, n.page_key) IS UNIQUE",
    "CREATE INDEX vs_visit_age IF NOT EXISTS FOR (n:Visit) ON (n.space, n.at)",
)
ANSWERS: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT vs_answer IF NOT EXISTS FOR (n:Answer) REQUIRE (n.space, n.key) IS UNIQUE",
    "CREATE INDEX vs_answer_end IF NOT EXISTS FOR (n:Answer) ON (n.space, n.until)",
    "CREATE INDEX vs_answer_age IF NOT EXISTS FOR (n:Answer) ON (n.space, n.written, n.key)",
)
API_KEYS: tuple[LiteralString, ...] = (
    "CREATE CONSTRAINT vs_api_key IF NOT EXISTS FOR (n:ApiKey) REQUIRE (n.space, n.key_id) IS UNIQUE",
    # A revoked key loses this property, so that its name is free again.
    "CREATE CONSTRAINT vs_api_key_name IF NOT EXISTS FOR (n:ApiKey) REQUIRE (n.space, n.name_in_force) IS UNIQUE",
)
CLAIM_KEYS: tuple[LiteralString, ...] = (
    "CREATE INDEX vs_outcome_claim IF NOT EXISTS FOR (n:Outcome) ON (n.space, n.claim_key, n.decided_at)",
    "CREATE INDEX vs_outcome_sense IF NOT EXISTS FOR (n:Outcome) ON (n.space, n.sense_key, n.decided_at)",
)
MIGRATIONS: Sequence[tuple[LiteralString, ...]] = (FIRST, API_KEYS, ANSWERS, CLAIM_KEYS)
"""Entry i brings version i to version i + 1. Every statement can be repeated: several processes may start at once."""

LABELS = (
    *("Job", "OpenTotals", "Outcome", "Step", "Parent", "SubClaim", "Verdict", "Evidence", "Source", "AuditEntry"),
    *("Entity", "Alias", "Fact", "Claim", "Page", "Seeker", "Visit", "Answer", "ApiKey"),
)
"""Every kind of node there is."""

VERSION: LiteralString = "MATCH (v:SchemaVersion {component: 'veristream'}) RETURN v.version AS version"
SET_VERSION: LiteralString = """
MERGE (v:SchemaVersion {component: 'veristream'})
SET v.version = CASE WHEN coalesce(v.version, 0) < $version THEN $version ELSE v.version END
"""
COMPONENT: LiteralString = (
    "CREATE CONSTRAINT vs_schema IF NOT EXISTS FOR (n:SchemaVersion) REQUIRE n.component IS UNIQUE"
)
INDEXES_SECONDS = 60


async def migrate(session: AsyncSession, url: str) -> None:
    """Bring the database to the newest version."""
    newest = len(MIGRATIONS)
    version = await session.execute_read(_version)
    if version > newest:
        raise StoreMismatch(
            f"Neo4j at {url} holds version {version} of the stores, newer than this program's {newest}; upgrade it"
        )
    if version == newest:
        return
    for statement in (COMPONENT, *(statement for step in MIGRATIONS[version:] for statement in step)):
        await session.execute_write(_run, statement)  # a transaction may change the schema or data, never both
    await session.execute_write(_run, "CALL db.awaitIndexes($seconds)", seconds=INDEXES_SECONDS)
    await session.execute_write(_run, SET_VERSION, version=newest)


async def _version(transaction: AsyncManagedTransaction) -> int:
    row = await (await transaction.run(VERSION)).single()
    return int(row["version"]) if row else 0


async def _run(transaction: AsyncManagedTransaction, /, statement: LiteralString, **parameters: object) -> None:
    await (await transaction.run(statement, parameters)).consume()
