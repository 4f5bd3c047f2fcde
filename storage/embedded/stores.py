"""Opens the embedded stores of a data folder: two SQLite files that several processes may share."""

from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

from storage.embedded.answers import SqliteAnswerStore
from storage.embedded.connection import DatabasePolicy
from storage.embedded.database import Database
from storage.embedded.evidence import SqliteEvidenceIndex
from storage.embedded.graph import SqliteKnowledgeGraph
from storage.embedded.ledger import SqliteLedger
from storage.embedded.urls import SqliteUrlRegistry
from storage.ports import Embedder, RegistryPolicy, Stores

LEDGER_FILE = "ledger.db"
KNOWLEDGE_FILE = "knowledge.db"
MMAP_BYTES = 4 << 30
"""Searches read the vectors in place: an address range, not memory; enough for some millions of passages."""

CACHE_KIB = 65_536
"""Bulk writes touch many index pages at random; this much keeps 100,000 passages' worth of them at hand."""


async def open_knowledge(data_dir: Path, policy: DatabasePolicy | None = None) -> Database:
    """The file of passages, facts, pages and what models answered.

    They share one file, hence one write-ahead log: a power cut takes a common tail of all of them, so that a page is
    never marked extracted while what was read from it is gone. The ledger has its own file, so that a decision
    waits for no bulk write, and its own promise: every commit is on disk.
    """
    return await Database.open(
        data_dir / KNOWLEDGE_FILE,
        replace(policy or DatabasePolicy(), load_vectors=True, mmap_bytes=MMAP_BYTES, cache_kib=CACHE_KIB),
    )


async def open_embedded(
    data_dir: Path,
    embedder: Embedder,
    *,
    policy: DatabasePolicy | None = None,
    registry: RegistryPolicy | None = None,
) -> Stores:
    """All stores of a data folder; the first to open it creates it."""
    async with AsyncExitStack() as undo:
        ledger = await SqliteLedger.open(data_dir / LEDGER_FILE, policy)
        undo.push_async_callback(ledger.close)
        knowledge = await open_knowledge(data_dir, policy)
        undo.push_async_callback(knowledge.close)
        index = await SqliteEvidenceIndex.open(knowledge, embedder)
        undo.push_async_callback(index.close)
        graph = await SqliteKnowledgeGraph.open(knowledge)
        undo.push_async_callback(graph.close)
        urls = await SqliteUrlRegistry.open(knowledge, registry)
        undo.push_async_callback(urls.close)
        answers = await SqliteAnswerStore.open(knowledge)
        undo.pop_all()
        await knowledge.close()  # the four stores hold shares of their own
        return Stores(ledger=ledger, index=index, graph=graph, urls=urls, answers=answers)
