"""How the costs of ranking, coverage and trust grow with the number of passages. Prints JSON.

    python benchmarks/scoring.py            # 10 to 10,000 passages
    python benchmarks/scoring.py --quick    # 10 to 1,000

Times are CPU seconds of this process, the least of several runs: what else the machine does is not measured. The
growth exponent is the slope of log time over log count; 1 is linear. What embedding the claim once costs, in the same
run and the same way, is what the costs of 200 passages are held against.
"""

import argparse
import asyncio
import gc
import html
import json
import math
import platform
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from datetime import date, timedelta
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.model_files import model_folder
from scoring.adaptive_trust import assess
from scoring.coverage import compute_subclaim_coverage
from scoring.ranking import rank
from scoring.text import entities
from scoring.trust import fixed_trust
from scoring.values import Candidate, Evidence, Origin, Stance

TODAY = date(2024, 6, 1)
# Twenty-five words, with names, a date and a number.
CLAIM = (
    "The World Health Organization said in March 2021 that the new vaccine reduces hospital admissions among older "
    "patients in Brazil by 85 percent within weeks"
)
SUBCLAIMS = (
    "The World Health Organization said in March 2021 that a new vaccine works",
    "The new vaccine reduces hospital admissions among older patients in Brazil by 85 percent",
)
ENTITIES = entities(CLAIM)
# Title and text of a search result. A single fact has some 20 words of text, a chunk of 512 characters some 85.
TITLE_WORDS, TEXT_WORDS = 8, 60
TEXT_LENGTHS = (20, 60, 85)
CLAIM_SHARE = 0.1
PAGES = Path(__file__).resolve().parents[1] / "samples" / "pages"
LIMIT_AT = 200


class Corpus:
    """Passages cut from the sample web, with words of the claim strewn in so that they have to do with it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.words = _sample_words()
        self.claim_words = CLAIM.split()

    def text(self, words: int) -> str:
        start = self.random.randrange(len(self.words) - words)
        cut = self.words[start : start + words]
        strewn = (self.random.choice(self.claim_words) if self.random.random() < CLAIM_SHARE else word for word in cut)
        return " ".join(strewn)

    def candidate(self, number: int, words: int = TEXT_WORDS) -> Candidate:
        draw = self.random.random
        origins: tuple[Origin, ...] = ("vector", "kg", "web")
        return Candidate(
            id=f"c{number}",
            text=self.text(words),
            origin=self.random.choice(origins),
            title=self.text(TITLE_WORDS),
            url=f"https://site{number % 50}.example/2024/05/{number}",
            domain=f"site{number % 50}.example",
            semantic_raw=draw(),
            semantic=draw(),
            kg=draw(),
            credibility=draw(),
            published=TODAY - timedelta(days=self.random.randrange(2_000)),
        )

    def evidence(self, number: int) -> Evidence:
        one = self.candidate(number)
        supports, refutes = sorted((self.random.random(), self.random.random()))
        return Evidence(
            id=one.id,
            text=one.text,
            origin=one.origin,
            relevance=self.random.random(),
            stance=Stance(supports=supports, refutes=1 - refutes, neutral=refutes - supports),
            url=one.url,
            domain=one.domain,
            semantic=one.semantic,
            kg=one.kg,
            credibility=one.credibility,
            claim_overlap=self.random.random(),
            anchor_match_score=self.random.random(),
        )


def _sample_words() -> list[str]:
    """The words of all paragraphs of the sample pages, in order, without their markup."""
    pages = sorted(PAGES.rglob("*.html"))
    paragraphs = re.findall(r"(?s)<p\b[^>]*>(.*?)</p>", " ".join(page.read_text(encoding="utf-8") for page in pages))
    return html.unescape(re.sub(r"<[^>]+>", "", " ".join(paragraphs))).split()


def cpu_ms(work: Callable[[], object], repeats: int) -> float:
    """The least CPU time of several runs, in milliseconds."""
    best = math.inf
    for _ in range(repeats):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best * 1_000


def exponent(counts: Sequence[int], times: Sequence[float]) -> float:
    """The slope of the least-squares line through the logarithms."""
    x, y = [math.log(count) for count in counts], [math.log(one) for one in times]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return above / sum((a - mean_x) ** 2 for a in x)


def measure(counts: Sequence[int], run: Callable[[int], Callable[[], object]]) -> dict[str, object]:
    """Times of one formula over growing inputs."""
    times = [cpu_ms(run(count), repeats=7 if count <= 1_000 else 2) for count in counts]
    return {
        "counts": list(counts),
        "cpu_ms": [round(one, 3) for one in times],
        "us_per_passage": [round(1_000 * one / count, 1) for one, count in zip(times, counts, strict=True)],
        # The fixed cost of preparing the claim hides the growth below a hundred passages.
        "growth_exponent": round(exponent(counts, times), 3),
        "growth_exponent_from_100": round(exponent(counts[1:], times[1:]), 3),
    }


def embedding_ms() -> float:
    """One claim through the local model, alone."""
    with asyncio.Runner() as runner:
        embedder = OnnxEmbedder(model_folder("bge-small-en-v1.5"))
        try:
            return cpu_ms(lambda: runner.run(embedder.embed([CLAIM])), repeats=40)
        finally:
            embedder.close()


def at_200(corpus: Corpus, words: int, embedding: float) -> dict[str, object]:
    """Ranking 200 passages of some length, as a multiple of embedding the claim."""
    candidates = [corpus.candidate(number, words) for number in range(LIMIT_AT)]
    took = cpu_ms(lambda: rank(CLAIM, ENTITIES, candidates, TODAY), repeats=40)
    return {
        "passage_words": TITLE_WORDS + words,
        "mean_characters": round(sum(len(one.text) + len(one.title) for one in candidates) / LIMIT_AT),
        "cpu_ms": round(took, 3),
        "over_embedding_the_claim": round(took / embedding, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="stop at 1,000 passages")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    counts = (10, 100, LIMIT_AT, 1_000) if options.quick else (10, 100, LIMIT_AT, 1_000, 10_000)
    corpus = Corpus(options.seed)
    candidates = [corpus.candidate(number) for number in range(max(counts))]
    evidence = [corpus.evidence(number) for number in range(max(counts))]
    ranking = measure(counts, lambda n: lambda: rank(CLAIM, ENTITIES, candidates[:n], TODAY))
    embedding = embedding_ms()
    report = {
        "machine": {"python": platform.python_version(), "processor": platform.machine()},
        "claim_words": len(CLAIM.split()),
        "passage_words": TITLE_WORDS + TEXT_WORDS,
        "ranking": ranking,
        "embedding_the_claim_cpu_ms": round(embedding, 3),
        "ranking_200": [at_200(corpus, words, embedding) for words in TEXT_LENGTHS],
        "coverage": measure(counts, lambda n: lambda: compute_subclaim_coverage(SUBCLAIMS, evidence[:n])),
        "adaptive_trust": measure(counts, lambda n: lambda: assess(CLAIM, SUBCLAIMS, evidence[:n])),
        "fixed_trust": measure(counts, lambda n: lambda: fixed_trust(evidence[:n])),
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
