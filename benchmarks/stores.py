"""How fast passages are written and found, and facts written, embedded and on servers side by side. Prints JSON.

    python benchmarks/stores.py                                # 1,000, 10,000 and 100,000 passages: ten minutes or more
    python benchmarks/stores.py --sizes 1000 10000 --out stores.json

The servers take part where VERISTREAM_WEAVIATE_URL and VERISTREAM_NEO4J_URL lead to them (`make services`, then
`eval "$(python3 deploy/services.py env)"`); what they write lies in a space of its own and is deleted at the end.
Texts and vectors are drawn from a seed, 384 numbers a vector; what embedding real texts costs is reported apart.

Every size is a collection of its own. A query takes the words and, slightly moved, the vector of one passage, so it is
known what it should find. `plain` is what no index could do without: NumPy's dot product over all vectors and one FTS5
query over the same terms; its queries and the embedded index's take turns, because a shared machine is never quiet for
both alike. The growth exponent is the slope of log p50 over log size; 1 is linear. Exits with 1 if at the largest size
the embedded index takes 3 times as long as `plain` or longer, or if writing facts to Neo4j in batches is not 20 times
as fast as one by one.
"""

import argparse
import asyncio
import json
import math
import os
import platform
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import methodcaller
from pathlib import Path
from typing import Any

import apsw
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.model_files import model_folder
from scoring.values import Triple
from storage.embedded.stores import open_embedded
from storage.lexical import index_terms, query_terms
from storage.ports import Embedder, EvidenceIndex, Fact, HybridQuery, KnowledgeGraph, Passage, Vector
from storage.servers.config import Neo4jServer, WeaviateServer

SEED = 20260301
DIMENSION = 384
EMBEDDER = Embedder("seeded", DIMENSION)
NOW = datetime(2026, 1, 1, tzinfo=UTC)
WORDS = 30_000
STOP_WORDS = 100
"""Different words, drawn as in real text: the nth most frequent comes up one nth as often, and the most frequent ones
are left out, as stop words are."""
WORDS_PER_PASSAGE = 80
"""About 512 characters, as chunks have (004 §9.2)."""
BATCH = 500
WARM_UP = 5
CANDIDATES = 100
FACTS = 2_000
FACTS_ONE_BY_ONE = 100
MOST_TIMES_PLAIN = 3.0
LEAST_TIMES_ONE_BY_ONE = 20.0

Query = tuple[str, HybridQuery]
"""What it should find, and the query."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Passages of one size, with their vectors and queries."""

    passages: list[Passage]
    vectors: Vector
    queries: list[Query]


def unit(rows: Vector) -> Vector:
    scaled: Vector = (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)
    return scaled


def corpus(size: int, queries: int) -> Corpus:
    draw = np.random.default_rng([SEED, size])
    chances = 1.0 / np.arange(STOP_WORDS + 1, STOP_WORDS + WORDS + 1)
    drawn = draw.choice(WORDS, size=(size, WORDS_PER_PASSAGE), p=chances / chances.sum())
    name = f"size{size}"
    passages = [
        Passage(name, f"https://a.example/{n}", " ".join(f"wo{word}rd" for word in row), NOW, title=f"Page {n}")
        for n, row in enumerate(drawn)
    ]
    vectors = unit(draw.normal(size=(size, DIMENSION)).astype(np.float32))
    asked: list[Query] = []
    for target in draw.integers(size, size=queries + WARM_UP):
        text = " ".join(f"wo{word}rd" for word in draw.choice(drawn[target], 10))
        vector = unit(vectors[target] + draw.normal(scale=0.02, size=DIMENSION).astype(np.float32))
        asked.append((passages[target].id, HybridQuery(text, vector, collections=(name,))))
    return Corpus(passages, vectors, asked)


class Plain:
    """A matrix and an FTS5 table: no filters, no passages, no fusion."""

    def __init__(self, held: Corpus) -> None:
        self._vectors = held.vectors
        self._db = apsw.Connection(":memory:")
        self._db.execute("CREATE VIRTUAL TABLE words USING fts5(terms, tokenize = 'ascii', content = '')")
        rows = ((n, index_terms(passage.title, passage.text)) for n, passage in enumerate(held.passages))
        with self._db:
            self._db.executemany("INSERT INTO words (rowid, terms) VALUES (?, ?)", rows)

    def search(self, query: HybridQuery) -> None:
        scores = self._vectors @ query.vector
        np.argpartition(-scores, min(CANDIDATES, scores.size - 1))
        match = " OR ".join(f'"{term}"' for term in query_terms(query.text))
        statement = "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT ?"
        self._db.execute(statement, (match, CANDIDATES)).fetchall()


async def timed(work: Awaitable[Any]) -> tuple[float, Any]:
    begun = time.perf_counter()
    answer = await work
    return time.perf_counter() - begun, answer


async def ingest(index: EvidenceIndex, held: Corpus) -> float:
    """Passages per second, in batches one after the other."""
    items = list(zip(held.passages, held.vectors, strict=True))
    begun = time.perf_counter()
    for first in range(0, len(items), BATCH):
        await index.upsert(items[first : first + BATCH])
    return len(items) / (time.perf_counter() - begun)


def latency(seconds: Sequence[float]) -> dict[str, float]:
    cuts = statistics.quantiles(seconds, n=20, method="inclusive")
    return {"p50_ms": round(cuts[9] * 1e3, 3), "p95_ms": round(cuts[18] * 1e3, 3)}


async def search(index: EvidenceIndex, held: Corpus, plain: Plain | None) -> dict[str, Any]:
    """Latency of the queries one at a time, taking turns with the plain ones; how often the target came first."""
    took: list[float] = []
    plainly: list[float] = []
    first = 0
    for number, (target, query) in enumerate(held.queries):
        if plain is not None:
            begun = time.perf_counter()
            plain.search(query)
            plainly.append(time.perf_counter() - begun)
        seconds, hits = await timed(index.search(query))
        took.append(seconds)
        first += number >= WARM_UP and bool(hits) and hits[0].passage.id == target
    asked = len(held.queries) - WARM_UP
    report: dict[str, Any] = {"query": latency(took[WARM_UP:]), "target_first": round(first / asked, 3)}
    if plain is not None:
        report["plain_query"] = latency(plainly[WARM_UP:])
        report["times_plain"] = round(report["query"]["p50_ms"] / report["plain_query"]["p50_ms"], 2)
    return report


async def passages(index: EvidenceIndex, sizes: Sequence[int], queries: int, *, beside_plain: bool) -> dict[str, Any]:
    """One kind of index, size by size."""
    report: dict[str, Any] = {"sizes": {}}
    for size in sizes:
        held = corpus(size, queries)
        rate = await ingest(index, held)
        measured = await search(index, held, Plain(held) if beside_plain else None)
        report["sizes"][str(size)] = {"ingest_per_s": round(rate, 1), **measured}
        say(f"{type(index).__name__} {size}: {json.dumps(report['sizes'][str(size)])}")
        await index.drop(f"size{size}")
    times = [report["sizes"][str(size)]["query"]["p50_ms"] for size in sizes]
    report["query_growth_exponent"] = growth(sizes, times)
    return report


def growth(sizes: Sequence[int], times: Sequence[float]) -> float | None:
    """The slope of log time over log size."""
    if len(sizes) < 2:
        return None
    slope = statistics.linear_regression([math.log(size) for size in sizes], [math.log(time) for time in times]).slope
    return round(slope, 3)


def facts(count: int, about: str) -> list[Fact]:
    """New ones between entities that come up again and again, from pages with ten facts each."""
    draw = np.random.default_rng([SEED, count])
    return [
        Fact(Triple(f"Entity {a}", f"{about} {n}", f"Entity {b}"), f"https://a.example/{n // 10}", NOW)
        for n, (a, b) in enumerate(draw.integers(count // 2, size=(count, 2)))
    ]


async def facts_written(graph: KnowledgeGraph) -> dict[str, float]:
    """Facts per second in one batch and one by one."""
    await graph.upsert_facts(facts(FACTS // 2, "warm-up"))  # a server compiles what it runs often
    for fact in facts(10, "warm-up one by one"):
        await graph.upsert_facts([fact])
    seconds, _ = await timed(graph.upsert_facts(facts(FACTS, "batch")))
    singly = facts(FACTS_ONE_BY_ONE, "one by one")
    begun = time.perf_counter()
    for fact in singly:
        await graph.upsert_facts([fact])
    single = len(singly) / (time.perf_counter() - begun)
    batch = FACTS / seconds
    return {
        "batch_per_s": round(batch, 1),
        "one_by_one_per_s": round(single, 1),
        "batch_times_one_by_one": round(batch / single, 1),
    }


def embedding_rates(texts: Sequence[str]) -> dict[str, float]:
    """Texts per second of the embedders that come with the product, on one thread."""
    embedders: dict[str, Callable[[Sequence[str]], Any]] = {StaticEmbedder.name: StaticEmbedder().embed_now}
    try:
        embedders[OnnxEmbedder.name] = OnnxEmbedder(model_folder("bge-small-en-v1.5")).embed_now
    except FileNotFoundError as error:
        say(f"not measured: {error}")
    rates = {}
    for name, embed in embedders.items():
        embed(texts[:8])
        begun = time.perf_counter()
        for first in range(0, len(texts), 16):
            embed(texts[first : first + 16])
        rates[name] = round(len(texts) / (time.perf_counter() - begun), 1)
    return rates


@asynccontextmanager
async def weaviate(space: str) -> AsyncIterator[EvidenceIndex | None]:
    """The index on the server that the environment names."""
    url = os.environ.get("VERISTREAM_WEAVIATE_URL")
    if url is None:
        say("Weaviate is not measured: VERISTREAM_WEAVIATE_URL is not set")
        yield None
        return
    from storage.servers.weaviate.index import WeaviateEvidenceIndex

    port = int(os.environ.get("VERISTREAM_WEAVIATE_GRPC_PORT", "50051"))
    server = WeaviateServer(url, port, os.environ.get("VERISTREAM_WEAVIATE_API_KEY"), space=space)
    index = await WeaviateEvidenceIndex.open(server, EMBEDDER)
    try:
        yield index
    finally:
        for left in await index.collections():
            await index.drop(left.name)
        await index.close()


@asynccontextmanager
async def neo4j(space: str) -> AsyncIterator[KnowledgeGraph | None]:
    """The graph on the server that the environment names."""
    url = os.environ.get("VERISTREAM_NEO4J_URL")
    if url is None:
        say("Neo4j is not measured: VERISTREAM_NEO4J_URL is not set")
        yield None
        return
    from storage.servers.neo4j.connection import Neo4jConnection
    from storage.servers.neo4j.graph import Neo4jKnowledgeGraph
    from storage.servers.neo4j.migrations import LABELS

    user, password = os.environ.get("VERISTREAM_NEO4J_USER", "neo4j"), os.environ.get("VERISTREAM_NEO4J_PASSWORD", "")
    connection = await Neo4jConnection.open(Neo4jServer(url, user, password, space=space))
    graph = Neo4jKnowledgeGraph(connection)
    try:
        yield graph
    finally:
        for label in LABELS:
            query = f"MATCH (n:{label}) WHERE n.space = $space DETACH DELETE n"
            await connection.write(methodcaller("rows", query))
        await graph.close()
        await connection.close()


def say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


async def measure(sizes: Sequence[int], queries: int) -> dict[str, Any]:
    space = f"Bench{uuid.uuid4().hex[:12]}"
    report: dict[str, Any] = {
        "machine": {"cores": os.cpu_count(), "python": platform.python_version(), "numpy": np.__version__},
        "dimension": DIMENSION,
        "queries": queries,
        "embedding_per_s": embedding_rates([passage.text for passage in corpus(128, 0).passages]),
        "passages": {},
        "facts": {},
    }
    with tempfile.TemporaryDirectory(prefix="veristream-stores-") as folder:
        stores = await open_embedded(Path(folder), EMBEDDER)
        report["passages"]["embedded"] = await passages(stores.index, sizes, queries, beside_plain=True)
        report["facts"]["embedded"] = await facts_written(stores.graph)
        await stores.close()
    async with weaviate(space) as index:
        if index is not None:
            report["passages"]["weaviate"] = await passages(index, sizes, queries, beside_plain=False)
    async with neo4j(space) as graph:
        if graph is not None:
            report["facts"]["neo4j"] = await facts_written(graph)
    return report


def shortfalls(report: dict[str, Any]) -> list[str]:
    """What was promised and not reached."""
    found = []
    measured = report["passages"]["embedded"]["sizes"]
    largest = max(measured, key=int)
    times = measured[largest]["times_plain"]
    if times >= MOST_TIMES_PLAIN:
        found.append(f"at {largest} passages an embedded query takes {times} times as long as a plain one")
    ratio = report["facts"].get("neo4j", {}).get("batch_times_one_by_one")
    if ratio is not None and ratio < LEAST_TIMES_ONE_BY_ONE:
        found.append(f"a batch of facts is written to Neo4j only {ratio} times as fast as one by one")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--sizes", type=int, nargs="+", default=[1_000, 10_000, 100_000], help="passages per collection"
    )
    parser.add_argument("--queries", type=int, default=100, help="queries per size")
    parser.add_argument("--out", type=Path, help="write the JSON there as well")
    options = parser.parse_args()
    if min(options.sizes) < CANDIDATES or options.queries < 2:
        parser.error(f"sizes begin at {CANDIDATES}, queries at 2")
    report = asyncio.run(measure(sorted(options.sizes), options.queries))
    report["shortfalls"] = shortfalls(report)
    text = json.dumps(report, indent=2)
    print(text)
    if options.out is not None:
        options.out.write_text(text + "\n", encoding="utf-8")
    return 1 if report["shortfalls"] else 0


if __name__ == "__main__":
    sys.exit(main())
