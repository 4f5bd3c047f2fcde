"""How often the embedded index finds the documents that settle a claim: by vectors, by words, and by both.

    python benchmarks/retrieval.py DATA/end_to_end                      # fm2_dev and check_covid_dev, bge-small
    python benchmarks/retrieval.py DATA/end_to_end --embedder static --sets check_covid_dev
    python benchmarks/retrieval.py DATA/end_to_end --keep vectors/      # embed once, measure often

DATA/end_to_end holds NAME.claims.jsonl.gz (claim, gold_docs) and NAME.corpus.jsonl.gz (doc_id, title, sentences).
Documents are read, cut and embedded as `veristream ingest` does, and searched as the stages search;
--whole 600 indexes the first 600 characters of each document instead of its chunks.

recall@5: the share of a claim's gold documents among the first five documents found, averaged over claims.
found@5: the share of claims with at least one gold document among the first five.
Exits with 1 if the hybrid's recall@5 is not above both of its halves on every set.
"""

import argparse
import asyncio
import gzip
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.evidence.credibility import SourceCredibility
from agents.evidence.documents import Document, Reading
from agents.evidence.documents.records import read_record
from agents.evidence.ingest import embedded_text, passages_of
from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.model_files import model_folder
from agents.language.ports import Embedder, Vectors, embed_queries, vector_share
from storage.embedded.evidence import SqliteEvidenceIndex
from storage.embedded.stores import open_knowledge
from storage.ports.evidence import STATIC_KNOWLEDGE, EvidenceIndex, HybridQuery, Passage
from storage.ports.evidence import Embedder as IndexEmbedder

DEPTH = 5
# Enough passages that five documents are among them even if several are of the same one.
PASSAGES = 30
FETCHED = datetime(2026, 1, 1, tzinfo=UTC)


class Score(NamedTuple):
    """How well one way of searching does on one set."""

    recall: float
    found: float


@dataclass(frozen=True, slots=True)
class Bench:
    """What is measured."""

    folder: Path
    embedder: Embedder
    whole: int | None
    alphas: dict[str, float]
    keep: Path | None


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def passages(record: dict[str, Any], whole: int | None) -> list[Passage]:
    """The passages of a document, as they are ingested. Its address ends with its id."""
    read = read_record(record, "corpus", Reading())
    assert isinstance(read, Document), read
    page = read.page
    if whole is not None:
        cut = page.text[: max(1, whole - len(page.title) - 2)]
        return [Passage(STATIC_KNOWLEDGE, page.url, cut, FETCHED, title=page.title)]
    return passages_of(page, STATIC_KNOWLEDGE, SourceCredibility.of(()), FETCHED, read.method)


async def embed_all(bench: Bench, texts: Sequence[str], *, queries: bool = False) -> Vectors:
    """Texts of similar length together, a few thousand at a time; from the folder to keep them in if they are there."""
    digest = hashlib.sha256(json.dumps([bench.embedder.name, queries, *texts]).encode()).hexdigest()[:16]
    kept = None if bench.keep is None else bench.keep / f"{digest}.npy"
    if kept is not None and kept.is_file():
        found: Vectors = np.load(kept)
        return found
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    vectors = np.zeros((len(texts), bench.embedder.dimension), dtype=np.float32)
    for start in range(0, len(order), 1024):
        part = order[start : start + 1024]
        chosen = [texts[index] for index in part]
        embedded = embed_queries(bench.embedder, chosen) if queries else bench.embedder.embed(chosen)
        vectors[part] = await embedded
    if kept is not None:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, vectors)
    return vectors


async def measure(bench: Bench, name: str) -> dict[str, Score]:
    """How well each way of searching does on one set."""
    corpus, claims = (rows(bench.folder / f"{name}.{what}.jsonl.gz") for what in ("corpus", "claims"))
    claims = [claim for claim in claims if claim["gold_docs"]]
    started = time.perf_counter()
    stored = [one for record in corpus for one in passages(record, bench.whole)]
    vectors = await embed_all(bench, [embedded_text(one) for one in stored])
    asked = await embed_all(bench, [claim["claim"] for claim in claims], queries=True)
    seconds = time.perf_counter() - started
    print(f"{name}: {len(corpus)} documents, {len(stored)} passages, {len(claims)} claims; embedded in {seconds:.0f} s")
    with tempfile.TemporaryDirectory() as data_dir:
        knowledge = await open_knowledge(Path(data_dir))
        identity = IndexEmbedder(bench.embedder.name, bench.embedder.dimension)
        index = await SqliteEvidenceIndex.open(knowledge, identity)
        for start in range(0, len(stored), 2000):
            batch = list(zip(stored[start : start + 2000], vectors[start : start + 2000], strict=True))
            await index.upsert(batch)
        found = {way: await score(index, claims, asked, alpha) for way, alpha in bench.alphas.items()}
        await index.close()
        await knowledge.close()
    return found


async def score(index: EvidenceIndex, claims: list[dict[str, Any]], asked: Vectors, alpha: float) -> Score:
    """One search per claim."""
    shares = []
    for claim, vector in zip(claims, asked, strict=True):
        query = HybridQuery(claim["claim"], vector, limit=PASSAGES, collections=(STATIC_KNOWLEDGE,), alpha=alpha)
        documents = [hit.passage.url.rpartition("/")[2] for hit in await index.search(query)]
        first = set(list(dict.fromkeys(documents))[:DEPTH])
        gold = {str(one) for one in claim["gold_docs"]}
        shares.append(len(first & gold) / min(len(gold), DEPTH))
    return Score(sum(shares) / len(shares), sum(share > 0 for share in shares) / len(shares))


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=["fm2_dev", "check_covid_dev"])
    parser.add_argument("--embedder", choices=["bge", "static"], default="bge")
    parser.add_argument("--whole", type=int, metavar="CHARACTERS", help="one passage per document, cut to this length")
    parser.add_argument("--alphas", nargs="*", type=float, default=[], help="further shares of the vector half to try")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the vectors here, and read them if they are")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder: pass the one that holds the claims and corpora")
    embedder: Embedder = (
        StaticEmbedder() if options.embedder == "static" else OnnxEmbedder(model_folder("bge-small-en-v1.5"))
    )
    ways = {"vectors": 1.0, "words": 0.0, "hybrid": vector_share(embedder)}
    alphas = ways | {f"alpha {alpha:g}": alpha for alpha in options.alphas}
    bench = Bench(options.folder, embedder, options.whole, alphas, options.keep)
    ahead = True
    for name in options.sets:
        found = await measure(bench, name)
        for label, part in (("recall", 0), ("found", 1)):
            scores = "  ".join(f"{way} {one[part]:.4f}" for way, one in found.items())
            print(f"{name}, {embedder.name}, {label}@{DEPTH}: {scores}", flush=True)
        ahead = ahead and found["hybrid"].recall > max(found["vectors"].recall, found["words"].recall)
    return 0 if ahead else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
