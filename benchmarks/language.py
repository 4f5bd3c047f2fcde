"""What micro-batching of the local embedder gives, and what it costs. Prints JSON.

    python benchmarks/language.py                # 32 jobs at once against one call at a time, and the latency when idle
    python benchmarks/language.py --rounds 9     # more rounds on a noisy machine

Throughput: the same claims, embedded one call at a time, and by 32 jobs at once that each ask for one claim at a time.
The two alternate in rounds, and the best round of each counts, because what else the machine does only ever slows down.
Latency when idle: what a lone call waits on top of the inference itself, measured call by call on the same text.
CPU milliseconds per text say the same without the clock: what batching saves is left even on a busy machine.
Exits with 1 if the speed-up is below 2.5 or the 95th percentile of the added latency is 10 ms or more.
"""

import argparse
import asyncio
import json
import os
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.language.embedders.onnx import OnnxEmbedder
from agents.language.model_files import model_folder

JOBS = 32
MIN_SPEEDUP = 2.5
MAX_ADDED_MS = 10.0

SUBJECTS = (
    "The council of Linden",
    "Storm Edda",
    "The Larch Wing",
    "Weir Bridge",
    "A study of 4,000 patients",
    "The mayor",
)
VERBS = ("approved", "closed", "reopened", "denied", "measured", "announced", "rejected", "sold")
OBJECTS = (
    "a budget of 84.6 million pounds for the coming year",
    "two libraries and a swimming pool in the old town",
    "the road along the river after eight months of repairs",
    "that unemployment fell to 3.8 percent in December",
    "a report on drinking water in November",
)


def claims(count: int) -> list[str]:
    """Claims of ordinary length, no two alike."""
    return [
        f"{SUBJECTS[n % len(SUBJECTS)]} {VERBS[n % len(VERBS)]} {OBJECTS[n % len(OBJECTS)]} in {1900 + n}."
        for n in range(count)
    ]


async def one_at_a_time(embedder: OnnxEmbedder, texts: Sequence[str]) -> float:
    """Texts per second when each call is awaited before the next."""
    started = time.perf_counter()
    for text in texts:
        await embedder.embed([text])
    return len(texts) / (time.perf_counter() - started)


def without_batcher(embedder: OnnxEmbedder, texts: Sequence[str]) -> float:
    """Texts per second of plain calls into the model, with no loop, no thread and no waiting."""
    started = time.perf_counter()
    for text in texts:
        embedder.embed_now([text])
    return len(texts) / (time.perf_counter() - started)


async def many_jobs(embedder: OnnxEmbedder, texts: Sequence[str]) -> float:
    """Texts per second when 32 jobs ask at once, each for one text at a time."""
    waiting = iter(texts)

    async def job() -> None:
        for text in waiting:
            await embedder.embed([text])

    started = time.perf_counter()
    await asyncio.gather(*(job() for _ in range(JOBS)))
    return len(texts) / (time.perf_counter() - started)


async def added_latency(embedder: OnnxEmbedder, texts: Sequence[str]) -> list[float]:
    """Milliseconds that a lone call takes longer than the inference, each pair measured back to back."""
    added = []
    for text in texts:
        started = time.perf_counter()
        embedder.embed_now([text])
        inference = time.perf_counter() - started
        started = time.perf_counter()
        await embedder.embed([text])
        added.append((time.perf_counter() - started - inference) * 1000.0)
    return added


async def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--texts", type=int, default=192)
    options = parser.parse_args()
    embedder = OnnxEmbedder(model_folder("bge-small-en-v1.5"))
    texts = claims(options.texts)
    await embedder.embed(texts[:JOBS])  # the first run allocates
    half = texts[: options.texts // 2]
    single, plain, batched, cpu_single, cpu_batched = [], [], [], [], []
    for _ in range(options.rounds):
        cpu = time.process_time()
        single.append(await one_at_a_time(embedder, half))
        cpu_single.append((time.process_time() - cpu) * 1000.0 / len(half))
        plain.append(without_batcher(embedder, half))
        cpu = time.process_time()
        batched.append(await many_jobs(embedder, texts))
        cpu_batched.append((time.process_time() - cpu) * 1000.0 / len(texts))
    added = sorted(await added_latency(embedder, texts[:100]))
    embedder.close()
    speedup, p95 = max(batched) / max(single), added[int(len(added) * 0.95) - 1]
    result = {
        "embedder": embedder.name,
        "cores": os.cpu_count(),
        "load": round(os.getloadavg()[0], 1),
        "jobs": JOBS,
        "texts_per_second": {
            "one_call_at_a_time": round(max(single), 1),
            "plain_model_calls": round(max(plain), 1),
            "32_jobs_micro_batched": round(max(batched), 1),
        },
        "speedup": round(speedup, 2),
        "cpu_ms_per_text": {
            "one_call_at_a_time": round(min(cpu_single), 2),
            "32_jobs_micro_batched": round(min(cpu_batched), 2),
        },
        "speedup_over_plain_model_calls": round(max(batched) / max(plain), 2),
        "added_latency_ms_when_idle": {
            "median": round(statistics.median(added), 2),
            "p95": round(p95, 2),
        },
    }
    print(json.dumps(result, indent=2))
    return 0 if speedup >= MIN_SPEEDUP and p95 < MAX_ADDED_MS else 1


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
