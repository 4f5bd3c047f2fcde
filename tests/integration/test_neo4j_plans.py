"""No statement reads all nodes of a kind: a call costs by what it asks for, not by all that is stored."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any, LiteralString

import pytest
from neo4j import AsyncGraphDatabase, AsyncManagedTransaction, Record

from scoring.values import Triple
from storage.ports import (
    AuditEntry,
    ClaimRecord,
    Entity,
    EvidenceRef,
    Fact,
    JobRecord,
    JobState,
    Outcome,
    Retention,
)
from storage.servers.neo4j.answers import Neo4jAnswerStore
from storage.servers.neo4j.connection import Neo4jConnection, Work
from storage.servers.neo4j.graph import Neo4jKnowledgeGraph
from storage.servers.neo4j.ledger import Neo4jLedger
from storage.servers.neo4j.urls import Neo4jUrlRegistry
from tests.support.servers import neo4j_server

pytestmark = pytest.mark.services

NOW = datetime(2026, 1, 1, tzinfo=UTC)
WHOLE = ("AllNodesScan", "NodeByLabelScan", "AllRelationshipsScan", "RelationshipTypeScan")
PAGES = tuple(
    f"MATCH ({what}) WHERE" for what in ("j:Job", "o:Outcome", "a:AuditEntry", "f:Fact", "e:Entity", "p:Page")
)
"""Statements that list a page of what may be a great many: their order must be an index's, not sorted afterwards."""


class ListeningWork(Work):
    """Runs statements and remembers them."""

    def __init__(self, transaction: AsyncManagedTransaction, space: str, kept: dict[str, dict[str, Any]]) -> None:
        super().__init__(transaction, space)
        self._kept = kept
        self._about = {"space": space}

    async def rows(self, statement: LiteralString, **parameters: Any) -> list[Record]:
        self._kept[statement] = parameters | self._about
        return await super().rows(statement, **parameters)

    async def created(self, statement: LiteralString, **parameters: Any) -> int:
        self._kept[statement] = parameters | self._about
        return await super().created(statement, **parameters)


class ListeningConnection(Neo4jConnection):
    """A real connection that remembers every statement."""

    kept: dict[str, dict[str, Any]]

    def _work(self, transaction: AsyncManagedTransaction) -> Work:
        return ListeningWork(transaction, self.server.space, self.kept)


@pytest.fixture
async def connection(space: str) -> AsyncIterator[ListeningConnection]:
    opened = await ListeningConnection.open(neo4j_server(space))
    assert isinstance(opened, ListeningConnection)
    opened.kept = {}
    yield opened
    await opened.close()


async def exercise_ledger(ledger: Neo4jLedger) -> None:
    await ledger.open_job(JobRecord("job", "f", b"x", NOW))
    await ledger.jobs(room_id="r", state=JobState.OPEN, after="job")
    await ledger.jobs(room_id="r")
    await ledger.jobs(state=JobState.OPEN)
    await ledger.jobs()
    await ledger.open_jobs()
    await ledger.open_load()
    await ledger.decide(Outcome("job", 1, JobState.FAILED, b"", NOW))
    await ledger.next_attempt("job")
    await ledger.outcome("job")
    await ledger.answered("asked", NOW)
    await ledger.alike("words", NOW)
    await ledger.mark_emitted("job", 1)
    await ledger.unemitted(NOW)
    await ledger.remember("job", 1, 0, "plan", b"")
    await ledger.recall("job", 1, 0, "plan")
    await ledger.open_parent("job", ["a"], NOW)
    await ledger.add_sub_result("job", "a", b"")
    await ledger.sub_results("job")
    await ledger.close_overdue(NOW)
    await ledger.stranded_parents(NOW)
    await ledger.record_provenance("job", [EvidenceRef("e", "https://a.org")])
    await ledger.provenance("job")
    await ledger.append_audit(AuditEntry("entry", "job", NOW, b""))
    await ledger.audit()
    await ledger.audit(workspace_id="w")
    await ledger.audit(job_id="job")
    await ledger.audit(workspace_id="w", job_id="job")
    await ledger.purge(NOW, Retention(per_workspace={"w": timedelta(days=1)}))


async def exercise_graph(graph: Neo4jKnowledgeGraph) -> None:
    await graph.upsert_entities([Entity("A", aliases=("B",))])
    await graph.upsert_facts([Fact(Triple("A", "knows", "C"), "https://a.org", NOW)])
    await graph.resolve(["B"])
    await graph.candidates(["B"])
    await graph.facts_from("https://a.org")
    await graph.record_claim(ClaimRecord("job", "A", ("A",), NOW))
    await graph.claims_about(["A"])
    await graph.scan_facts()
    await graph.scan_entities()
    await graph.scan_claims()
    await graph.counts()
    await graph.delete_facts(["fact"])
    await graph.delete_observed_before(NOW)
    await graph.delete_by_url("https://a.org")


async def exercise_urls(urls: Neo4jUrlRegistry) -> None:
    page = "https://a.org/page"
    await urls.register([page], stage=0, claim_ids=["c"], now=NOW)
    await urls.pending(now=NOW)
    await urls.pending(now=NOW, claim_id="c")
    await urls.lease([page], owner="me", now=NOW)
    await urls.acknowledge(page, "index", owner="me", now=NOW)
    await urls.fail(page, owner="me", reason="r", now=NOW)
    await urls.remember("job", 1, [page], now=NOW)
    await urls.unprocessed("job", 2, [page], now=NOW)
    await urls.processed("job")
    await urls.scan()
    await urls.forget(page)
    await urls.purge(NOW)


async def exercise_answers(answers: Neo4jAnswerStore) -> None:
    await answers.put("key", "text", until=NOW + timedelta(days=1), now=NOW)
    await answers.get("key", now=NOW)
    await answers.count()
    await answers.purge(NOW)


def operators(plan: dict[str, Any]) -> list[str]:
    """Every operator of a plan, without the name of the database."""
    below = [name for child in plan.get("children", ()) for name in operators(child)]
    return [str(plan["operatorType"]).partition("@")[0], *below]


async def test_every_statement_finds_its_nodes_by_an_index(connection: ListeningConnection) -> None:
    stores = (
        Neo4jLedger(connection),
        Neo4jKnowledgeGraph(connection),
        Neo4jUrlRegistry(connection),
        Neo4jAnswerStore(connection),
    )
    await exercise_ledger(stores[0])
    await exercise_graph(stores[1])
    await exercise_urls(stores[2])
    await exercise_answers(stores[3])
    for store in stores:
        await store.close()

    assert len(connection.kept) > 60
    server = connection.server
    whole = {}
    async with AsyncGraphDatabase.driver(
        server.url, auth=(server.user, server.password), notifications_min_severity="OFF"
    ) as driver:
        for statement, parameters in connection.kept.items():
            explained = await driver.execute_query("EXPLAIN " + statement, parameters)
            plan = explained.summary.plan
            assert plan is not None
            if found := [name for name in operators(plan) if name.startswith(WHOLE)]:
                whole[statement] = found
    # Whether a page is read in the index's order or sorted is the planner's choice by its statistics, which other
    # tests on the same server change; that no statement reads everything is not.
    assert whole == {}
