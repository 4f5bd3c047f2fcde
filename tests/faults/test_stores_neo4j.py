"""Neo4j stopped, killed and fought over: what it has promised stays, and everything is decided once."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

import pytest

from deploy.services import Neo4j
from scoring.values import Triple
from storage.errors import StoreUnavailable
from storage.ports import EvidenceRef, Fact, JobRecord, JobState, OpenLoad, Outcome
from storage.servers.config import Neo4jServer
from storage.servers.neo4j.connection import Neo4jConnection
from storage.servers.neo4j.graph import Neo4jKnowledgeGraph
from storage.servers.neo4j.ledger import Neo4jLedger
from tests.faults.stores_load import OUTAGE_S, Load, under_load
from tests.support.opening import held, serving
from tests.support.servers import fresh_space

pytestmark = [pytest.mark.faults, pytest.mark.services, pytest.mark.timeout(420)]

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4j]:
    with serving(Neo4j(tmp_path_factory.mktemp("neo4j"))) as neo4j:
        yield neo4j


@pytest.fixture
def place(server: Neo4j) -> Neo4jServer:
    return Neo4jServer(server.address, password=server.password, space=fresh_space())


@pytest.fixture
async def connection(place: Neo4jServer) -> AsyncIterator[Neo4jConnection]:
    async with held(Neo4jConnection.open(place)) as opened:
        yield opened


@pytest.fixture
async def ledger(connection: Neo4jConnection) -> AsyncIterator[Neo4jLedger]:
    opened = Neo4jLedger(connection)
    yield opened
    await opened.close()


@pytest.fixture
async def graph(connection: Neo4jConnection) -> AsyncIterator[Neo4jKnowledgeGraph]:
    opened = Neo4jKnowledgeGraph(connection)
    yield opened
    await opened.close()


def a_fact(name: str, n: int = 0) -> Fact:
    """About entities and a page that all workers share."""
    return Fact(Triple(f"E{n % 5}", f"relation {name}", f"E{(n + 1) % 5}"), f"https://a.org/{n % 3}", NOW)


@dataclass(slots=True)
class Worker:
    """What a worker does for one job; how often anybody was told that a job's parent is complete."""

    ledger: Neo4jLedger
    graph: Neo4jKnowledgeGraph
    completions: Counter[str] = field(default_factory=Counter)

    async def step(self, name: str) -> None:
        await self.ledger.open_job(JobRecord(f"open-{name}", "f", b"x" * 10, NOW))
        await self.ledger.open_job(JobRecord(name, "f", b"x" * 10, NOW))
        await self.graph.upsert_facts([a_fact(name)])
        await self.ledger.open_parent(name, ["a"], NOW)
        await asyncio.gather(self._report(name), self._report(name))
        await self.ledger.record_provenance(name, [EvidenceRef(f"e-{name}", "https://a.org/0")])
        await self.ledger.decide(Outcome(name, 1, JobState.COMPLETED, name.encode(), NOW))

    async def _report(self, name: str) -> None:
        join = await self.ledger.add_sub_result(name, "a", b"r")
        self.completions[name] += join.just_completed

    async def assert_kept(self, load: Load) -> None:
        """Every promise is found, and no completion was told twice."""
        pages = [await self.graph.facts_from(f"https://a.org/{page}") for page in range(3)]
        stored = {fact.triple.relation for page in pages for fact in page}
        for name in load.promised:
            outcome = await self.ledger.outcome(name)
            assert outcome is not None, name
            assert outcome.payload == name.encode()
            assert await self.ledger.provenance(name) == [EvidenceRef(f"e-{name}", "https://a.org/0")]
            assert await self.ledger.sub_results(name) == {"a": b"r"}
            assert await self.ledger.job(f"open-{name}") is not None
            assert f"relation {name}" in stored
        assert max(self.completions.values()) == 1
        await self._assert_totals_add_up()

    async def _assert_totals_add_up(self) -> None:
        """The running totals are those of the jobs that are open, however many transactions broke off."""
        waiting = await self.ledger.open_jobs(limit=100_000)
        assert await self.ledger.open_load() == OpenLoad(len(waiting), sum(len(job.submission) for job in waiting))


async def test_stopped_for_twenty_seconds_under_load_it_pauses_the_workers_and_they_converge(
    server: Neo4j, ledger: Neo4jLedger, graph: Neo4jKnowledgeGraph
) -> None:
    worker = Worker(ledger, graph)
    async with under_load(worker.step) as load:
        await load.until_promised(10)
        await asyncio.to_thread(server.stop)
        await asyncio.sleep(OUTAGE_S)
        await asyncio.to_thread(server.start)
        await load.until_promised(10)
    assert load.refusals > 0
    await worker.assert_kept(load)


async def test_killed_in_the_middle_of_writes_it_loses_nothing_that_it_promised(
    server: Neo4j, ledger: Neo4jLedger, graph: Neo4jKnowledgeGraph
) -> None:
    worker = Worker(ledger, graph)
    async with under_load(worker.step) as load:
        await load.until_promised(15)
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)
        await load.until_promised(10)
    await worker.assert_kept(load)


async def test_two_workers_that_complete_the_same_parents_complete_each_once(
    place: Neo4jServer, ledger: Neo4jLedger
) -> None:
    parents = [f"parent-{n}" for n in range(25)]
    for parent in parents:
        await ledger.open_parent(parent, ["a", "b"], NOW)
    second = await Neo4jConnection.open(place)
    workers = (ledger, Neo4jLedger(second))
    reports = [worker.add_sub_result(parent, child, b"r") for parent in parents for child in "ab" for worker in workers]
    joins = await asyncio.gather(*reports)
    await workers[1].close()
    await second.close()
    assert sum(join.just_completed for join in joins) == len(parents)
    assert all(join.complete for join in [await ledger.add_sub_result(parent, "a", b"") for parent in parents])


async def test_forty_concurrent_batches_that_share_sources_end_without_a_deadlock(
    place: Neo4jServer, ledger: Neo4jLedger, graph: Neo4jKnowledgeGraph
) -> None:
    """Facts and provenance meet on the same sources from both ends, while pages are being deleted."""
    second = await Neo4jConnection.open(place)
    others = (Neo4jLedger(second), Neo4jKnowledgeGraph(second))

    def facts(n: int) -> list[Fact]:
        batch = [a_fact(f"{n} {m}", n + m) for m in range(6)]
        return batch if n % 2 else batch[::-1]

    def refs(n: int) -> list[EvidenceRef]:
        batch = [EvidenceRef(f"e{(n + m) % 7}", f"https://a.org/{(n + m) % 3}") for m in range(6)]
        return batch if n % 2 else batch[::-1]

    async def batch(n: int) -> None:
        keeper, knower = (ledger, graph) if n % 2 else others
        await knower.upsert_facts(facts(n))
        await keeper.record_provenance(f"job-{n % 10}", refs(n))
        if n % 8 == 0:
            await knower.delete_by_url(f"https://a.org/{n % 3}")

    try:
        await asyncio.gather(*(batch(n) for n in range(40)))
    except StoreUnavailable as error:
        pytest.fail(f"a deadlock surfaced: {error}")
    for n in range(10):
        assert len(await ledger.provenance(f"job-{n}")) == 6
    for store in (*others, second):
        await store.close()
