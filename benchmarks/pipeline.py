"""The whole pipeline: claims per minute with a model outside and with none, what they cost, and how long one takes.

    python benchmarks/pipeline.py                        # on a real Kafka where one is installed, else embedded
    python benchmarks/pipeline.py --claims 88            # instead of 400: rough
    python benchmarks/pipeline.py --broker embedded      # or kafka, or the HOST:PORT of one that runs
    python benchmarks/pipeline.py --stance-model FOLDER  # another stance model than the one in the package

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
from typing import Any

# Run as a file, Python looks for modules beside it; ours are named from the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.five_hops.brokers import Broker, open_broker
from benchmarks.processes import Stuck
from benchmarks.whole import figures
from benchmarks.whole.costs import stage_costs
from benchmarks.whole.hearing import in_turn, together
from benchmarks.whole.system import CLAIMS, Burst, System, running
from deploy.services import ServiceError
from streams.bootstrap import open_services, stance_name

LONE_CLAIMS = 11
LIMIT_SECONDS = 420.0


def claims(count: int) -> list[str]:
    """The sample claims over and over; every one is worked on as if it were new."""
    return list(itertools.islice(itertools.cycle(CLAIMS), count))


def measured(
    broker: Broker, folder: Path, count: int, *, model: bool, stance_model: Path | None = None
) -> dict[str, Any]:
    """Figures of one system: a warm knowledge base, a burst of claims in two halves, then claims one by one."""
    workers = 1 if broker.embedded else 2
    with running(broker, folder, workers=workers, model=model, stance_model=stance_model) as system:
        system.burst(claims(len(CLAIMS)), LIMIT_SECONDS)
        bursts = []
        memory = [_resident(system)]
        for _ in range(2):
            bursts.append(system.burst(claims(count // 2), LIMIT_SECONDS))
            memory.append(_resident(system))
        lone = [system.burst([claim], LIMIT_SECONDS) for claim in claims(LONE_CLAIMS)]
        together_seconds, one_by_one = asyncio.run(_inference(system, bursts, lone))
        costs = asyncio.run(stage_costs(system.settings, CLAIMS))
    return {
        "stance": stance_name(system.settings),
        "workers": workers,
        **figures.throughput(bursts, together_seconds),
        "stages_cpu_ms_per_claim": costs,
        "resident_mb_before_between_after": memory,
        "lone_claim": figures.alone(lone, one_by_one),
    }


async def _inference(system: System, bursts: Sequence[Burst], lone: Sequence[Burst]) -> tuple[float, list[float]]:
    """Seconds that the local models take for what they were asked, and nothing else: in bulk, and claim by claim."""
    async with open_services(system.settings) as services:
        models = services.embedder, services.stance
        for one in lone:
            await in_turn(one.asked, *models)  # warm, as they were in the workers
        alone = [await in_turn(one.asked, *models) for one in lone]
        return await together([request for one in bursts for request in one.asked], *models), alone


def _resident(system: System) -> float:
    return round(sum(used.resident_mb for name, used in system.used().items() if name != "outside"), 1)


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
    parser.add_argument("--claims", type=int, default=400, help="how many (default: 400; fewer are rough)")
    parser.add_argument("--only", choices=("with", "without"), help="only the run with a model, or the one without")
    parser.add_argument(
        "--stance-model", type=Path, help="folder of a stance model (default: the package's, else rules)"
    )
    options = parser.parse_args()
    kinds = [kind for kind in ("with", "without") if options.only in (None, kind)]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    load_before = os.getloadavg()
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory(prefix="pipeline-") as folder:
        here = Path(folder)
        try:
            with open_broker(options.broker, here / "broker", partitions=8) as broker:
                for kind in kinds:
                    found[f"{kind}_a_model"] = measured(
                        broker, here / kind, options.claims, model=kind == "with", stance_model=options.stance_model
                    )
        except (Stuck, ServiceError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    reached = figures.verdicts(found["with_a_model"], found["without_a_model"]) if len(found) == len(kinds) == 2 else {}
    found |= {"wanted": figures.wanted(), "reached": reached, "conditions": conditions(broker, load_before)}
    print(json.dumps(found, indent=2))
    return 0 if all(reached.values()) else 1


if __name__ == "__main__":
    sys.exit(main())
