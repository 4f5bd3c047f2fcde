"""How often the embedded index finds the documents that settle a claim: by vectors, by words, and by both.

    python benchmarks/retrieval.py DATA/end_to_end                      # fm2_dev and check_covid_dev, bge-small
    python benchmarks/retrieval.py DATA/end_to_end --embedder static --sets check_covid_dev

DATA/end_to_end holds NAME.claims.jsonl.gz (claim, gold_docs) and NAME.corpus.jsonl.gz (doc_id, title, sentences).
Documents are cut into chunks as `veristream ingest` does; --whole 600 indexes the first 600 characters of each instead.
Recall@5 is the share of a claim's gold documents among the first five documents found, averaged over claims. Exits with
1 if the hybrid is not above both of its halves.
"""

import argparse
import asyncio
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.evidence.chunking import chunk
from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.embedders.static import StaticEmbedder
from agents.language.model_files import model_folder
from agents.language.ports import Embedder, Vectors, embed_queries
from storage.embedded.evidence import SqliteEvidenceIndex
from storage.embedded.stores import open_knowledge
from storage.ports.evidence import STATIC_KNOWLEDGE, HybridQuery, Passage
from storage.ports.evidence import Embedder as IndexEmbedder

DEPTH = 5
# Enough passages that five documents are among them even if several are of the same one.
PASSAGES = 30
WAYS = {"vectors": 1.0, "words": 0.0, "hybrid": 0.7}


def rows(path: Path) -> list[dict[str, Any]]:
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def passages(document: dict[str, Any], whole: int | None) -> list[Passage]:
    """The passages of a document; the number in its address tells the document."""
    text, title = " ".join(document["sentences"]), document["title"]
    pieces = chunk(text) if whole is None else [text[: max(1, whole - len(title) - 2)]]
    fetched = datetime(2026, 1, 1, tzinfo=UTC)
    return [
        Passage(STATIC_KNOWLEDGE, f"https://corpus.example/{document['doc_id']}/{number}", piece, fetched, title=title)
        for number, piece in enumerate(pieces)
    ]


async def embed_all(embedder: Embedder, texts: Sequence[str], *, queries: bool = False) -> Vectors:
    """Texts of similar length together, a few thousand at a time."""
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    vectors = np.zeros((len(texts), embedder.dimension), dtype=np.float32)
    for start in range(0, len(order), 1024):
        part = order[start : start + 1024]
        chosen = [texts[index] for index in part]
        vectors[part] = await (embed_queries(embedder, chosen) if queries else embedder.embed(chosen))
    return vectors


async def measure(
    folder: Path, name: str, embedder: Embedder, whole: int | None, alphas: dict[str, float]
) -> dict[str, float]:
    """Recall@5 of each way of searching on one set."""
    corpus, claims = rows(folder / f"{name}.corpus.jsonl.gz"), rows(folder / f"{name}.claims.jsonl.gz")
    claims = [claim for claim in claims if claim["gold_docs"]]
    started = time.perf_counter()
    stored = [one for document in corpus for one in passages(document, whole)]
    vectors = await embed_all(embedder, [f"{one.title}. {one.text}" for one in stored])
    asked = await embed_all(embedder, [claim["claim"] for claim in claims], queries=True)
    seconds = time.perf_counter() - started
    print(f"{name}: {len(corpus)} documents, {len(stored)} passages, {len(claims)} claims; embedded in {seconds:.0f} s")
    with tempfile.TemporaryDirectory() as data_dir:
        knowledge = await open_knowledge(Path(data_dir))
        index = await SqliteEvidenceIndex.open(knowledge, IndexEmbedder(embedder.name, embedder.dimension))
        for start in range(0, len(stored), 2000):
            batch = list(zip(stored[start : start + 2000], vectors[start : start + 2000], strict=True))
            await index.upsert(batch)
        found = {way: await recall(index, claims, asked, alpha) for way, alpha in alphas.items()}
        await index.close()
        await knowledge.close()
    return found


async def recall(index: SqliteEvidenceIndex, claims: list[dict[str, Any]], asked: Vectors, alpha: float) -> float:
    shares = []
    for claim, vector in zip(claims, asked, strict=True):
        query = HybridQuery(claim["claim"], vector, limit=PASSAGES, collections=(STATIC_KNOWLEDGE,), alpha=alpha)
        found = [hit.passage.url.split("/")[3] for hit in await index.search(query)]
        first = set(list(dict.fromkeys(found))[:DEPTH])
        gold = {str(one) for one in claim["gold_docs"]}
        shares.append(len(first & gold) / min(len(gold), DEPTH))
    return sum(shares) / len(shares)


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--sets", nargs="+", default=["fm2_dev", "check_covid_dev"])
    parser.add_argument("--embedder", choices=["bge", "static"], default="bge")
    parser.add_argument("--whole", type=int, metavar="CHARACTERS", help="one passage per document, cut to this length")
    parser.add_argument("--alphas", nargs="*", type=float, default=[], help="further shares of the vector half to try")
    options = parser.parse_args()
    if not options.folder.is_dir():
        parser.error(f"{options.folder} is no folder: pass the one that holds the claims and corpora")
    embedder: Embedder = (
        StaticEmbedder() if options.embedder == "static" else OnnxEmbedder(model_folder("bge-small-en-v1.5"))
    )
    alphas = WAYS | {f"alpha {alpha:g}": alpha for alpha in options.alphas}
    ahead = True
    for name in options.sets:
        found = await measure(options.folder, name, embedder, options.whole, alphas)
        scores = "  ".join(f"{way} {score:.3f}" for way, score in found.items())
        print(f"{name}, {embedder.name}, recall@{DEPTH}: {scores}")
        ahead = ahead and found["hybrid"] > max(found["vectors"], found["words"])
    return 0 if ahead else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
