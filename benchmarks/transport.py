"""Five hops through Kafka, built three ways: a raw aiokafka loop, bare Faust agents, and our own worker. Prints JSON.

    python benchmarks/transport.py                       # on a real Kafka where one is installed, else embedded
    python benchmarks/transport.py --quick               # one short round
    python benchmarks/transport.py --broker embedded     # or kafka, or the HOST:PORT of one that runs

Every figure is the median of several rounds, every ratio the median of the rounds' own ratios; `benchmarks/README.md`
says what is measured and what is not. Exits with 1 if a ratio is below what is wanted.
"""

import argparse
import json
import os
import platform
import signal
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from statistics import median

# Run as a file, Python looks for modules beside it; ours are named from the folder above.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.five_hops.brokers import Broker, open_broker
from benchmarks.five_hops.measuring import Case, Sample, measure
from benchmarks.five_hops.plan import VARIANTS, message
from benchmarks.processes import Stuck
from deploy.services import ServiceError

WAIT = 0.05
WANTED = {"no_op": 0.8, "wait_50ms": 10.0, "two_workers_over_one": 1.6}
"""Ours over bare Faust, twice, and two workers of ours over one."""


@dataclass(frozen=True, slots=True)
class Plan:
    """How much is sent. Every burst is to take a few seconds, whatever it goes through."""

    rounds: int
    seconds: float
    """No round is begun that might end after this."""
    no_op: int
    one_at_a_time: int
    """Claims through handlers that wait, where a hop takes one event after the other: 20 in a second."""
    side_by_side: int
    """Claims through handlers that wait, per worker of ours: 16 events of a hop at a time."""
    warm_up_share: float = 0.2

    def cases(self, *, embedded: bool) -> dict[str, Case]:
        """Every way of running it, by name. Two workers need a broker whose groups may have two members."""
        cases = {f"no_op.{variant}": self._case(variant, 0.0, 1, self.no_op) for variant in VARIANTS}
        for variant in VARIANTS:
            claims = self.side_by_side if variant == "ours" else self.one_at_a_time
            cases[f"wait_50ms.{variant}"] = self._case(variant, WAIT, 1, claims)
        if not embedded:
            cases["two_workers"] = self._case("ours", WAIT, 2, 2 * self.side_by_side)
        return cases

    def _case(self, variant: str, wait: float, workers: int, claims: int) -> Case:
        return Case(variant, wait, workers, claims, warm_up=max(10, int(claims * self.warm_up_share)))


FULL = Plan(rounds=5, seconds=280.0, no_op=800, one_at_a_time=60, side_by_side=700)
QUICK = Plan(rounds=1, seconds=60.0, no_op=200, one_at_a_time=20, side_by_side=150)
Round = dict[str, Sample]


def run_rounds(plan: Plan, broker: Broker, folder: Path, began: float) -> list[Round]:
    """Every case once a round, in alternating order, so that what disturbs the machine disturbs them all."""
    cases = list(plan.cases(embedded=broker.embedded).items())
    rounds: list[Round] = []
    longest = 0.0
    while len(rounds) < plan.rounds and time.monotonic() - began + longest < plan.seconds:
        start = time.monotonic()
        done: Round = {}
        for name, case in cases if len(rounds) % 2 == 0 else reversed(cases):
            prefix = f"five-hops-{os.getpid()}-{len(rounds)}-{name.replace('_', '-')}-"
            done[name] = measure(case, broker, folder, prefix)
            print(f"round {len(rounds) + 1}  {name:16} {done[name].claims_per_second:8.1f} claims/s", file=sys.stderr)
        rounds.append(done)
        longest = max(longest, time.monotonic() - start)
    return rounds


def ratio(rounds: list[Round], above: str, below: str) -> float:
    return round(median(one[above].claims_per_second / one[below].claims_per_second for one in rounds), 3)


def report(rounds: list[Round]) -> dict[str, object]:
    """Claims per second through all five hops, and the ratios that are wanted."""
    figures: dict[str, object] = {}
    found: dict[str, float] = {}
    for name in ("no_op", "wait_50ms"):
        rates = {one: round(median(r[f"{name}.{one}"].claims_per_second for r in rounds), 1) for one in VARIANTS}
        found[name] = ratio(rounds, f"{name}.ours", f"{name}.faust")
        figures[name] = {**rates, "ours_over_faust": found[name]}
    two_workers = "two_workers" in rounds[0]
    if two_workers:
        found["two_workers_over_one"] = ratio(rounds, "two_workers", "wait_50ms.ours")
    figures["two_workers_over_one"] = found.get("two_workers_over_one")
    figures["wanted"] = WANTED
    figures["reached"] = all(reached >= WANTED[name] for name, reached in found.items())
    figures["cpu_ms_per_hop"] = {
        name: round(median(one[name].cpu_ms_per_hop for one in rounds), 3) for name in rounds[0]
    }
    figures["rounds"] = [{name: round(one.claims_per_second, 1) for name, one in done.items()} for done in rounds]
    if two_workers:
        figures["smaller_share_of_two_workers"] = [round(one["two_workers"].smallest_share, 2) for one in rounds]
    return figures


def conditions(plan: Plan, broker: Broker, load_before: tuple[float, ...], seconds: float) -> dict[str, object]:
    """What has to be known to compare two runs."""
    cases = plan.cases(embedded=broker.embedded)
    return {
        "unit": "claims per second through all five hops",
        "broker": broker.kind,
        "partitions_per_topic": broker.partitions,
        "message_bytes": len(message("claim-000000")),
        "events_in_flight_per_hop_of_ours": cases["no_op.ours"].in_flight,
        "claims": {name: case.claims for name, case in cases.items()},
        "warm_up": {name: case.warm_up for name, case in cases.items()},
        "processors": os.cpu_count(),
        "load_before": [round(one, 2) for one in load_before],
        "load_after": [round(one, 2) for one in os.getloadavg()],
        "seconds": round(seconds, 1),
        "python": platform.python_version(),
        "faust": version("faust-streaming"),
        "aiokafka": version("aiokafka"),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", default="auto", help="kafka, embedded, or HOST:PORT (default: kafka if installed)")
    parser.add_argument("--quick", action="store_true", help="one short round: under a minute, and rough")
    parser.add_argument("--rounds", type=int, choices=range(1, 21), metavar="1..20", help="rounds at most")
    parser.add_argument("--partitions", type=int, choices=range(1, 65), metavar="1..64", default=8)
    options = parser.parse_args()
    plan = QUICK if options.quick else FULL
    if options.rounds is not None:
        plan = Plan(**asdict(plan) | {"rounds": options.rounds})
    # Ended from outside, it still takes its workers and its broker along.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    began, load_before = time.monotonic(), os.getloadavg()
    with tempfile.TemporaryDirectory(prefix="five-hops-") as folder:
        try:
            with open_broker(options.broker, Path(folder) / "broker", options.partitions) as broker:
                rounds = run_rounds(plan, broker, Path(folder) / "workers", began)
        except (Stuck, ServiceError) as error:
            print(f"error: {error}", file=sys.stderr)
            return 1
    seconds = time.monotonic() - began
    figures = report(rounds) | {"conditions": conditions(plan, broker, load_before, seconds)}
    print(json.dumps(figures, indent=2))
    return 0 if figures["reached"] else 1


if __name__ == "__main__":
    sys.exit(main())
