"""Looks for better values of policy fields on labelled claims: random steps from a profile, kept if better.

    for NAME in fm2_dev check_covid_dev healthver_dev; do     # makes the stores, and is the "before"
        veristream evaluate --claims DATA/$NAME.claims.jsonl.gz --corpus DATA/$NAME.corpus.jsonl.gz --report OUT/$NAME
    done
    python benchmarks/choose_policy.py DATA OUT --sets fm2_dev check_covid_dev healthver_dev --seconds 600

Every other claim of the first set chooses, the rest of it confirms; of the other sets all claims choose. Retrieval,
ranking and stances are done once; a step only decides anew. What is maximised is accuracy plus macro-F1, summed over
the sets, plus a quarter of the accuracy among decided claims of the first. Prints one JSON object with what changed.
"""

import argparse
import asyncio
import json
import random
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.claims.job import ClaimJob
from agents.claims.judging import adaptive_trust
from agents.claims.package.verdict import decide
from agents.evaluation.cases import Case
from agents.evaluation.measures import summarise
from agents.evaluation.results import GOLD_OF_LABEL, CaseResult
from benchmarks.replay import Claims, changed, ranked_jobs
from scoring.policy import Policy, policy_named

COVERAGE = "adaptive_trust.normal_coverage"
CHOICES: dict[str, Sequence[float]] = {
    "polarity.decisive_stance": (0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5),
    "polarity.neutral_share": (0.0, 0.15, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
    "polarity.refuting_prior": (0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0),
    "news.min_evidence": (1, 2),
    "news.conflict_share": (0.0, 0.2, 0.34, 0.4, 0.49),
    f"{COVERAGE}.contested_margin": (0.0, 0.02, 0.05, 0.1, 0.15),
    f"{COVERAGE}.partial_match": (0.0, 0.1, 0.2, 0.25, 0.3, 0.35),
    f"{COVERAGE}.strong_match": (0.35, 0.45, 0.55),
    f"{COVERAGE}.stance_share": (0.5, 0.7, 0.9),
    "reconciliation.weak_signal": (0.05, 0.1, 0.15, 0.2, 0.25, 0.3),
    "reconciliation.binary_signal": (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.45),
    "reconciliation.strong_signal": (0.2, 0.3, 0.4, 0.5, 0.6),
    "reconciliation.binary_dominance": (0.5, 0.55, 0.6, 0.65, 0.7),
    "reconciliation.absolute_signal": (0.1, 0.3, 0.5, 0.7),
}
Values = dict[str, float]


@dataclass(frozen=True, slots=True)
class Judged:
    """A claim with its ranked and read evidence."""

    case: Case
    job: ClaimJob


def build(base: Policy, values: Values) -> Policy | None:
    """The profile with these values; None if they do not go together."""
    policy: Any = base
    # Widest first, so that no step between breaks an order that the whole keeps.
    for path, value in sorted(values.items(), key=lambda one: -one[1]):
        try:
            policy = changed(policy, path, value)
        except ValueError:
            return None
    return policy  # type: ignore[no-any-return]  # `changed` takes any part of a policy


def results(claims: Sequence[Judged], policy: Policy) -> list[CaseResult]:
    """Only what decides: no confidence, no causes."""
    found = []
    for number, one in enumerate(claims):
        label = decide(one.job, adaptive_trust(one.job, policy, "adaptive"), policy).label
        found.append(
            CaseResult(
                number=number,
                id=str(one.case.id),
                claim=one.case.claim,
                gold=one.case.label,
                gold_documents=0,
                answer=GOLD_OF_LABEL[label],
                confidence=0.0,
            )
        )
    return found


def score(sets: Sequence[Sequence[Judged]], policy: Policy) -> float:
    summaries = [summarise(results(claims, policy), None) for claims in sets]
    return sum(one.accuracy + one.macro_f1 for one in summaries) + 0.25 * summaries[0].accuracy_decided


def search(sets: Sequence[Sequence[Judged]], base: Policy, seconds: float, seed: int) -> tuple[Values, float, int]:
    rng, best, steps = random.Random(seed), Values(), 0
    reached, end = score(sets, base), time.monotonic() + seconds
    while time.monotonic() < end:
        tried = best | {path: rng.choice(CHOICES[path]) for path in rng.sample(list(CHOICES), rng.choice((1, 1, 2, 3)))}
        policy = build(base, tried)
        if policy is None or tried == best:
            continue
        steps += 1
        value = score(sets, policy)
        if value > reached:
            best, reached = tried, value
            print(f"{reached:.4f} after {steps} steps", file=sys.stderr, flush=True)
    return best, reached, steps


async def choose(args: argparse.Namespace) -> dict[str, Any]:
    base = policy_named(args.policy)
    sets = []
    for name in args.sets:
        files = Claims(
            args.data / f"{name}.claims.jsonl.gz", args.data / f"{name}.corpus.jsonl.gz", args.reports / name
        )
        sets.append([Judged(case, job) for case, job in await ranked_jobs(files, base)])
    choosing = [sets[0][::2], *sets[1:]]
    values, reached, steps = search(choosing, base, args.seconds, args.seed)
    policy = build(base, values)
    assert policy is not None
    measured = {
        "chosen on": choosing[0],
        "confirmed on": sets[0][1::2],
        **dict(zip(args.sets[1:], sets[1:], strict=True)),
    }
    summaries = {name: summarise(results(claims, policy), None) for name, claims in measured.items()}
    shown = ("accuracy", "macro_f1", "decided", "accuracy_decided")
    return {
        "values": values,
        "reached": reached,
        "steps": steps,
        "results": {name: {field: getattr(one, field) for field in shown} for name, one in summaries.items()},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("reports", type=Path)
    parser.add_argument("--sets", nargs="+", required=True)
    parser.add_argument("--policy", default="calibrated", help="the profile to start from")
    parser.add_argument("--seconds", type=float, default=600.0)
    parser.add_argument("--seed", type=int, default=1)
    print(json.dumps(asyncio.run(choose(parser.parse_args())), indent=2))


if __name__ == "__main__":
    main()
