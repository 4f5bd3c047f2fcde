# ruff: noqa: INP001, S311 - a script run by hand; its random numbers pick a sample
"""Fits an embedder's similarity calibration on claim-evidence pairs and prints the three points.

    python models/fit_calibration.py bge-small DATA/train_{vitaminc_real,fever_nli,scifact,check_covid}.jsonl.gz

The embedder is `static`, `bge-small` or `openai`. The last needs OPENAI_API_KEY (and OPENAI_BASE_URL for another
endpoint) and embeds some 5,000 short texts; what it prints goes into VERISTREAM_OPENAI_CALIBRATION.

Related pairs are those labelled SUPPORTS or REFUTES; random pairs join a claim with the evidence of another claim
of the same file, because an index holds passages of one field more often than of all fields.
"""

import argparse
import asyncio
import gzip
import json
import os
import random
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from agents.language.calibration import fit
from agents.language.ports import Embedder, embed_queries


def read_related(path: Path, count: int, rng: random.Random) -> list[tuple[str, str]]:
    """A sample of the labelled claim-evidence pairs of one file."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["label"] in {"SUPPORTS", "REFUTES"}]
    return [(row["claim"], row["evidence"][:1200]) for row in rng.sample(rows, min(count, len(rows)))]


async def cosines(
    embedder: Embedder, pairs: list[tuple[str, str]], rng: random.Random
) -> tuple[list[float], list[float]]:
    """Cosines of the pairs as they are, and of the same claims with the evidence of others."""
    claims = await embed_queries(embedder, [claim for claim, _ in pairs])
    evidence = await embedder.embed([text for _, text in pairs])
    shuffled = rng.sample(range(len(pairs)), len(pairs))
    strangers = [float(claims[i] @ evidence[j]) for i, j in enumerate(shuffled) if pairs[i][1] != pairs[j][1]]
    return np.sum(claims * evidence, axis=1).tolist(), strangers


def load(name: str, environment: Mapping[str, str]) -> Embedder:
    """The embedder under the name that settings use."""
    from agents.language.embedders.onnx import OnnxEmbedder
    from agents.language.embedders.openai import EmbeddingEndpoint, OpenAIEmbedder
    from agents.language.embedders.static import StaticEmbedder
    from agents.language.model_files import model_folder

    if name == "static":
        return StaticEmbedder()
    if name == "bge-small":
        return OnnxEmbedder(model_folder("bge-small-en-v1.5"))
    if name == "openai":
        key = environment.get("OPENAI_API_KEY")
        if not key:
            raise SystemExit("set OPENAI_API_KEY: the pairs have to be embedded by OpenAI's endpoint")
        endpoint = EmbeddingEndpoint(api_key=key, base_url=environment.get("OPENAI_BASE_URL"))
        return OpenAIEmbedder(endpoint, rng=random.Random(7))
    raise SystemExit(f"unknown embedder {name!r}: choose static, bge-small or openai")


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("embedder")
    parser.add_argument("pairs", nargs="+", type=Path)
    parser.add_argument("--per-file", type=int, default=600)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    embedder = load(options.embedder, os.environ)
    related: list[float] = []
    strangers: list[float] = []
    for path in options.pairs:
        near, far = await cosines(embedder, read_related(path, options.per_file, rng), rng)
        related, strangers = related + near, strangers + far
    calibration = fit(related, strangers)
    kept = sum(calibration(cosine) >= 0.5 for cosine in related) / len(related)
    passed = sum(calibration(cosine) >= 0.5 for cosine in strangers) / len(strangers)
    print(f"{embedder.name}: {calibration}")
    if options.embedder == "openai":
        print(f"VERISTREAM_OPENAI_CALIBRATION='[{calibration.zero}, {calibration.half}, {calibration.one}]'")
    print(f"{len(related)} pairs: {kept:.3f} of the related and {passed:.3f} of the random ones reach 0.5")


if __name__ == "__main__":
    asyncio.run(main())
