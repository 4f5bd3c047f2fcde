"""What only the embedded adapters promise: repair of damage, clearing up after a crash, plans that use indexes."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

import apsw
import numpy as np
import pytest

from scoring.values import Triple
from storage.embedded import evidence_writing, words
from storage.embedded.codes import write_codes
from storage.embedded.connection import DatabasePolicy
from storage.embedded.database import Database
from storage.embedded.evidence import SqliteEvidenceIndex
from storage.embedded.graph import SqliteKnowledgeGraph
from storage.embedded.ledger import SqliteLedger
from storage.embedded.stores import KNOWLEDGE_FILE, LEDGER_FILE, open_embedded, open_knowledge
from storage.embedded.urls import SqliteUrlRegistry
from storage.errors import StoreFull, StoreMismatch
from storage.ports import (
    AuditEntry,
    ClaimRecord,
    Embedder,
    Entity,
    EvidenceRef,
    Fact,
    HybridQuery,
    JobRecord,
    JobState,
    Outcome,
    Passage,
    Retention,
    Vector,
)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
EMBEDDER = Embedder("e", 4)


def unit(*numbers: float) -> Vector:
    row = np.array(numbers, dtype=np.float32)
    return row / np.linalg.norm(row)


def passages(count: int, collection: str = "facts") -> list[tuple[Passage, Vector]]:
    return [(Passage(collection, f"https://a.org/{n}", f"number{n}", NOW), unit(1, n, 0, 0)) for n in range(count)]


@pytest.fixture
async def knowledge(tmp_path: Path) -> AsyncIterator[Database]:
    database = await open_knowledge(tmp_path)
    yield database
    await database.close()


@pytest.fixture
async def index(knowledge: Database) -> AsyncIterator[SqliteEvidenceIndex]:
    opened = await SqliteEvidenceIndex.open(knowledge, EMBEDDER)
    yield opened
    await opened.close()


class TestDamage:
    async def test_passages_that_lost_their_vector_or_their_words_are_found_and_mended(
        self, knowledge: Database, index: SqliteEvidenceIndex
    ) -> None:
        items = passages(5)
        await index.upsert(items)

        def damage(db: apsw.Connection) -> None:
            rows = dict(db.execute("SELECT passage_id, slot FROM passages"))
            rowids = dict(db.execute("SELECT passage_id, id FROM passages"))
            write_codes(db, 1, EMBEDDER.dimension, [(rows[items[1][0].id], None)])
            words.remove(db, 1, rowids[items[2][0].id])

        await knowledge.write(damage)
        lost = await index.unreachable("facts")
        assert sorted(lost) == sorted(passage.id for passage, _ in items[1:3])
        assert await index.repair("facts", lost) == 2
        assert await index.unreachable("facts") == []
        for passage, vector in items[1:3]:
            [hit] = await index.search(HybridQuery(passage.text, vector, 1, collections=("facts",)))
            assert hit.passage == passage

    async def test_a_swap_cut_short_is_finished_at_the_next_opening(
        self, knowledge: Database, index: SqliteEvidenceIndex
    ) -> None:
        await index.upsert([*passages(3), *passages(2, "fresh")])
        await knowledge.write(lambda db: evidence_writing.swap(db, "fresh", "facts"))

        def left_over(db: apsw.Connection) -> object:
            return db.execute("SELECT count(*) FROM passages WHERE collection = 1").get

        assert await index.count("facts") == 2
        assert await knowledge.read(left_over) == 3
        again = await SqliteEvidenceIndex.open(knowledge, EMBEDDER)
        assert await knowledge.read(left_over) == 0
        assert await again.count("facts") == 2
        tables = await knowledge.read(lambda db: {n for (n,) in db.execute("SELECT name FROM sqlite_schema")})
        assert "words_1" not in tables
        assert "words_2" in tables
        await again.close()

    async def test_a_large_collection_is_cleared_in_several_steps(self, index: SqliteEvidenceIndex) -> None:
        count = evidence_writing.CLEARED_AT_ONCE + 1
        await index.upsert(passages(count))
        await index.drop("facts")
        assert await index.collections() == []
        assert await index.upsert(passages(1)) == 1

    async def test_a_full_disk_leaves_the_index_as_it_was(self, tmp_path: Path) -> None:
        database = await open_knowledge(tmp_path, DatabasePolicy(max_pages=150))
        index = await SqliteEvidenceIndex.open(database, EMBEDDER)
        await index.upsert(passages(3))
        with pytest.raises(StoreFull, match="free some disk space"):
            await index.upsert(passages(3000))
        assert await index.count("facts") == 3
        assert len(await index.search(HybridQuery("number1", unit(1, 1, 0, 0), collections=("facts",)))) == 3
        await index.close()
        await database.close()


class TestOpening:
    async def test_a_data_folder_holds_two_files(self, tmp_path: Path) -> None:
        stores = await open_embedded(tmp_path / "data", EMBEDDER)
        await stores.close()
        assert sorted(file.name for file in (tmp_path / "data").iterdir()) == sorted([KNOWLEDGE_FILE, LEDGER_FILE])

    async def test_the_ledger_waits_for_the_disk_and_the_rest_does_not(self, tmp_path: Path) -> None:
        modes = {}
        ledger = await SqliteLedger.open(tmp_path / LEDGER_FILE)
        knowledge = await open_knowledge(tmp_path)
        for name, database in (("ledger", ledger._db), ("knowledge", knowledge)):
            modes[name] = await database.write(lambda db: db.pragma("synchronous"))
        await ledger.close()
        await knowledge.close()
        assert modes == {"ledger": 2, "knowledge": 1}  # FULL, NORMAL

    async def test_a_file_of_another_kind_closes_what_was_opened_before(self, tmp_path: Path) -> None:
        (tmp_path / KNOWLEDGE_FILE).write_bytes(b"not a database at all" * 50)
        with pytest.raises(StoreMismatch, match=r"knowledge\.db is not a database"):
            await open_embedded(tmp_path, EMBEDDER)
        assert sorted(file.name for file in tmp_path.iterdir()) == sorted([KNOWLEDGE_FILE, LEDGER_FILE])


class TestPlans:
    async def test_no_statement_reads_a_whole_table(self, tmp_path: Path) -> None:
        """What grows with all that is stored, rather than with what is asked for, shows as a scan without index."""
        one_reader = DatabasePolicy(readers=1)
        ledger = await SqliteLedger.open(tmp_path / LEDGER_FILE, one_reader)
        knowledge = await open_knowledge(tmp_path, one_reader)
        index = await SqliteEvidenceIndex.open(knowledge, EMBEDDER)
        graph = await SqliteKnowledgeGraph.open(knowledge)
        urls = await SqliteUrlRegistry.open(knowledge)
        statements = {LEDGER_FILE: set[str](), KNOWLEDGE_FILE: set[str]()}
        for database in (ledger._db, knowledge):
            kept = statements[database.path.name]
            await database.write(partial(_listen, kept))
            await database.read(partial(_listen, kept))

        await _exercise_ledger(ledger)
        await _exercise_knowledge(index, graph, urls)

        scans = []
        for name, kept in statements.items():
            stranger = apsw.Connection(str(tmp_path / name))
            for statement in kept:
                plan = stranger.execute(f"EXPLAIN QUERY PLAN {statement}", _nulls(statement))
                scans += [(step, statement) for *_, step in plan if _WHOLE_TABLE.fullmatch(step)]
            stranger.close()
            assert len(kept) > 15
        for store in (ledger, index, graph, urls, knowledge):
            await store.close()
        assert scans == []


_SPOKEN = ("SELECT", "INSERT", "UPDATE", "DELETE")
_TINY = "open_totals|collections|schema_versions|json_each|asked|CONSTANT"
_WHOLE_TABLE = re.compile(rf"SCAN (?!(?:{_TINY})\b)(?!.*VIRTUAL TABLE)(?!.*USING)\w+.*")


def _listen(kept: set[str], db: apsw.Connection) -> None:
    """Remember every statement that this connection runs from now on, except into FTS5's own tables."""

    def note(_: apsw.Cursor, statement: str, __: object) -> bool:
        if statement.lstrip().startswith(_SPOKEN) and "words_" not in statement and "vec_" not in statement:
            kept.add(statement)
        return True

    db.exec_trace = note


def _nulls(statement: str) -> tuple[None, ...]:
    numbered = [int(n) for n in re.findall(r"\?(\d+)", statement)]
    return (None,) * (max(numbered) if numbered else statement.count("?"))


async def _exercise_ledger(ledger: SqliteLedger) -> None:
    await ledger.open_job(JobRecord("job", "f", b"x", NOW))
    await ledger.jobs(room_id="r", state=JobState.OPEN, after="job")
    await ledger.jobs()
    await ledger.open_jobs()
    await ledger.open_load()
    await ledger.decide(Outcome("job", 1, JobState.FAILED, b"", NOW))
    await ledger.next_attempt("job")
    await ledger.outcome("job")
    await ledger.mark_emitted("job", 1)
    await ledger.unemitted(NOW)
    await ledger.remember("job", 1, 0, "plan", b"")
    await ledger.open_parent("job", ["a"], NOW)
    await ledger.add_sub_result("job", "a", b"")
    await ledger.add_sub_result("job", "a", b"")
    await ledger.sub_results("job")
    await ledger.close_overdue(NOW)
    await ledger.stranded_parents(NOW)
    await ledger.record_provenance("job", [EvidenceRef("e", "https://a.org")])
    await ledger.provenance("job")
    await ledger.append_audit(AuditEntry("entry", "job", NOW, b""))
    await ledger.audit(workspace_id="w")
    await ledger.audit(job_id="job")
    await ledger.purge(NOW, Retention(per_workspace={"w": timedelta(days=1)}))


async def _exercise_knowledge(index: SqliteEvidenceIndex, graph: SqliteKnowledgeGraph, urls: SqliteUrlRegistry) -> None:
    items = passages(3)
    await index.upsert(items)
    await index.upsert(items)
    today = NOW.date()
    every = HybridQuery("number1", unit(1, 1, 0, 0), collections=("facts",))
    for query in (every, replace(every, domains=("a",)), replace(every, published_after=today, published_before=today)):
        await index.search(query)
    await index.get("facts", [items[0][0].id])
    await index.scan("facts")
    await index.unreachable("facts")
    await index.repair("facts", [items[0][0].id])
    await index.pages_held(["https://a.org/0"])
    await index.keep_only("facts", {"https://a.org/0": []}, fetched_before=NOW)
    await index.delete_by_url("https://a.org/0")
    await index.delete_fetched_before(NOW, "facts")
    await index.drop("facts")

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
    await graph.delete_facts(["fact"])
    await graph.delete_observed_before(NOW)
    await graph.delete_by_url("https://a.org")

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


async def test_a_ledger_keeps_its_totals_when_the_disk_is_full(tmp_path: Path) -> None:
    ledger = await SqliteLedger.open(tmp_path / LEDGER_FILE, DatabasePolicy(max_pages=60))
    await ledger.open_job(JobRecord("small", "f", b"x" * 100, NOW))
    with pytest.raises(StoreFull, match="free some disk space"):
        await ledger.open_job(JobRecord("large", "f", b"x" * 1_000_000, NOW))
    assert (await ledger.open_load()).bytes == 100
    assert await ledger.job("large") is None
    await ledger.close()
