"""The whole pipeline: claims per minute with a model outside and with none, what they cost, and how long one takes.

    python benchmarks/pipeline.py                        # on a real Kafka where one is installed, else embedded
    python benchmarks/pipeline.py --quick                # 66 claims instead of 400
    python benchmarks/pipeline.py --broker embedded      # or kafka, or the HOST:PORT of one that runs

A model that takes 300 ms, a search 200 ms and a page 100 ms are served on this machine. Prints JSON;
`benchmarks/README.md` says what is measured and what is not. Exits with 1 if a figure is short of what is wanted.
"""

import argparse
import asyncio
import itertools
import json
import os
import platform
import signal
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

# Run as a file, Python looks for modules beside it; ours are named from the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.five_hops.brokers import Broker, open_broker
from benchmarks.whole.costs import Costs, measure
from benchmarks.whole.outside import MODEL_SECONDS, PAGE_SECONDS, SEARCH_SECONDS
from benchmarks.whole.processes import Stuck, child
from benchmarks.whole.system import CLAIMS, Burst, System, environment, running
from deploy.services import ServiceError
from streams.embedded.samples import load_knowledge_base
from streams.settings import Settings

WANTED_PER_MINUTE = 1800
WANTED_OF_INFERENCE = 0.7
WANTED_CALLS, WANTED_SEARCHES = 2.0, 1.0
WANTED_LATENCY = 1.5
LONE_CLAIMS = 11
LIMIT_SECONDS = 420.0


def claims(count: int) -> list[str]:
    """The sample claims over and over; every one is worked on as if it were new."""
    return list(itertools.islice(itertools.cycle(CLAIMS), count))


def under_load(broker: Broker, folder: Path, count: int, *, model: bool) -> tuple[dict[str, Any], list[Burst]]:
    """Figures of one system: a warm knowledge base, a burst of claims, then claims one by one."""
    workers = 1 if broker.embedded else 2
    with running(broker, folder, workers=workers, model=model) as system:
        system.burst(claims(len(CLAIMS)), LIMIT_SECONDS)
        half = claims(count // 2)
        bursts = []
        memory = [_resident(system)]
        for _ in range(2):
            bursts.append(system.burst(half, LIMIT_SECONDS))
            memory.append(_resident(system))
        lone = [system.burst([claim], LIMIT_SECONDS) for claim in claims(LONE_CLAIMS)]
    seconds = sum(one.seconds for one in bursts)
    cpu: dict[str, float] = {}
    for one in bursts:
        for name, spent in one.cpu_ms.items():
            cpu[name] = cpu.get(name, 0.0) + spent
    done = sum(len(one.packages) for one in bursts)
    figures = {
        "claims": done,
        "workers": workers,
        "claims_per_minute": round(60 * done / seconds, 1),
        "cpu_ms_per_claim": {name: round(spent / done, 1) for name, spent in cpu.items()},
        "model_calls_per_claim": round(sum(one.outside["calls"] for one in bursts) / done, 2),
        "searches_per_claim": round(sum(one.outside["searches"] for one in bursts) / done, 2),
        "pages_per_claim": round(sum(one.outside["pages"] for one in bursts) / done, 2),
        "resident_mb_before_between_after": memory,
        "lone_claim": _alone(lone, model=model),
    }
    return figures, bursts


def _resident(system: System) -> float:
    return round(sum(used.resident_mb for name, used in system.used().items() if name != "outside"), 1)


def _alone(lone: Sequence[Burst], *, model: bool) -> dict[str, float]:
    """How long a claim takes that nobody competes with, against the waits that it cannot do without."""
    floors = [floor(one, model=model) for one in lone]
    return {
        "median_seconds": round(median(one.seconds for one in lone), 3),
        "mean_floor_seconds": round(mean(floors), 3),
        "total_over_floor": round(sum(one.seconds for one in lone) / sum(floors), 2) if sum(floors) else 0.0,
    }


def floor(one: Burst, *, model: bool) -> float:
    """Waits that follow from one another: reading and judging, and for each search its results, pages and facts."""
    loops = int(one.packages[0]["loop"]["count"])
    read = loops if one.outside["pages"] else 0
    calls = (2 + read) * MODEL_SECONDS if model else 0.0
    return calls + loops * SEARCH_SECONDS + read * PAGE_SECONDS


def costs(folder: Path) -> Costs:
    """Processor time by stage, in this process, without a model and without a broker."""
    folder.mkdir(parents=True)
    with child(["benchmarks.whole.outside"], {}, folder / "outside.log") as outside:
        told = environment(folder / "data", outside.line("http://"), model=False, more={})
        os.environ.update(told)
        try:
            settings = Settings()
        finally:
            for name in told:
                del os.environ[name]
        asyncio.run(load_knowledge_base(settings))
        return asyncio.run(measure(settings, CLAIMS))


def report(with_model: dict[str, Any], without: dict[str, Any], spent: Costs) -> dict[str, Any]:
    allowed = 60 * spent.claims / spent.inference_seconds
    wanted = min(WANTED_PER_MINUTE, WANTED_OF_INFERENCE * allowed)
    reached = {
        "with_a_model": with_model["claims_per_minute"] >= wanted,
        "without_a_model": without["claims_per_minute"] >= WANTED_OF_INFERENCE * allowed,
        "model_calls": with_model["model_calls_per_claim"] <= WANTED_CALLS,
        "searches": with_model["searches_per_claim"] <= WANTED_SEARCHES,
        "lone_claim": with_model["lone_claim"]["total_over_floor"] <= WANTED_LATENCY,
    }
    return {
        "with_a_model": with_model,
        "without_a_model": without,
        "inference_alone_claims_per_minute": round(allowed, 1),
        "of_inference_alone": {
            "with_a_model": round(with_model["claims_per_minute"] / allowed, 3),
            "without_a_model": round(without["claims_per_minute"] / allowed, 3),
        },
        "handlers_cpu_ms_per_claim": {name: round(ms / spent.claims, 2) for name, ms in spent.cpu_ms.items()},
        "wanted": {
            "claims_per_minute": round(wanted, 1),
            "of_inference_alone_without_a_model": WANTED_OF_INFERENCE,
            "model_calls_per_claim": WANTED_CALLS,
            "searches_per_claim": WANTED_SEARCHES,
            "lone_claim_over_floor": WANTED_LATENCY,
        },
        "reached": reached,
    }


def conditions(broker: Broker, load_before: Sequence[float]) -> Mapping[str, object]:
    return {
        "broker": broker.kind,
        "processors": os.cpu_count(),
        "load_before": [round(one, 2) for one in load_before],
        "load_after": [round(one, 2) for one in os.getloadavg()],
        "python": platform.python_version(),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", default="auto", help="kafka, embedded, or HOST:PORT (default: kafka if installed)")
    parser.add_argument("--quick", action="store_true", help="66 claims instead of 400: rough")
    options = parser.parse_args()
    count = 66 if options.quick else 400
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    load_before = os.getloadavg()
    with tempfile.TemporaryDirectory(prefix="pipeline-") as folder:
        here = Path(folder)
        try:
            with open_broker(options.broker, here / "broker", partitions=8) as broker:
                with_model, _ = under_load(broker, here / "with-model", count, model=True)
                without, _ = under_load(broker, here / "without-model", count, model=False)
            spent = costs(here / "costs")
        except (Stuck, ServiceError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    figures = report(with_model, without, spent) | {"conditions": conditions(broker, load_before)}
    print(json.dumps(figures, indent=2))
    return 0 if all(figures["reached"].values()) else 1


if __name__ == "__main__":
    sys.exit(main())
