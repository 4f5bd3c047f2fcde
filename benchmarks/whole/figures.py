"""From what was seen of a run to the figures that are wanted of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean, median
from typing import Any

from benchmarks.whole.outside import MODEL_SECONDS, PAGE_SECONDS, SEARCH_SECONDS
from benchmarks.whole.system import Burst

WANTED_PER_MINUTE = 1800
WANTED_OF_INFERENCE = 0.7
WANTED_CALLS, WANTED_SEARCHES = 2.0, 1.0
WANTED_LATENCY = 1.5
WANTED_GROWTH = 1.05
"""Of the memory between two halves of the claims that were worked on under the same load."""


def throughput(bursts: Sequence[Burst], alone_seconds: float) -> dict[str, Any]:
    """Of all bursts together, with what the local models alone would have allowed."""
    done = sum(len(one.packages) for one in bursts)
    cpu: Counter[str] = Counter()
    outside: Counter[str] = Counter()
    for one in bursts:
        cpu.update(one.cpu_ms)
        outside.update(one.outside)
    asked = [request for one in bursts for request in one.asked]
    per_minute, allowed = 60 * done / sum(one.seconds for one in bursts), 60 * done / alone_seconds
    searches, pages = outside.pop("searches", 0), outside.pop("pages", 0)
    return {
        "claims": done,
        "claims_per_minute": round(per_minute, 1),
        "inference_alone_claims_per_minute": round(allowed, 1),
        "of_inference_alone": round(per_minute / allowed, 3),
        "texts_embedded_per_claim": round(sum(len(one.texts) for one in asked) / done, 2),
        "pairs_judged_per_claim": round(sum(len(one.pairs) for one in asked) / done, 2),
        "model_calls_per_claim": round(outside.total() / done, 3),
        "model_calls_by_kind": {name: round(count / done, 3) for name, count in sorted(outside.items())},
        "searches_per_claim": round(searches / done, 3),
        "pages_per_claim": round(pages / done, 3),
        "cpu_ms_per_claim": {name: round(spent / done, 1) for name, spent in cpu.items()},
        "ends": dict(Counter(end for one in bursts for package in one.packages for end in _ends(package))),
    }


def _ends(package: Mapping[str, Any]) -> list[str]:
    """Why the search for evidence ended, in the claim or in each of its parts."""
    return [chain["loop"]["stop_reason"] for chain in _chains(package)]


def _chains(package: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """What runs side by side: the parts of a decomposed claim, or the claim itself."""
    parts = [sub["package"] for sub in package["sub_results"] if sub["package"] is not None]
    return parts or [package]


def alone(lone: Sequence[Burst], inference_seconds: Sequence[float]) -> dict[str, float]:
    """How long a claim takes that nobody competes with, against the waits that it cannot do without."""
    waits = [outside_waits(one) for one in lone]
    floors = [wait + own for wait, own in zip(waits, inference_seconds, strict=True)]
    total = sum(one.seconds for one in lone)
    return {
        "median_seconds": round(median(one.seconds for one in lone), 3),
        "mean_seconds": round(total / len(lone), 3),
        "mean_outside_waits_seconds": round(mean(waits), 3),
        "mean_inference_seconds": round(mean(inference_seconds), 3),
        "over_outside_waits": round(total / sum(waits), 2) if sum(waits) else 0.0,
        "over_floor": round(total / sum(floors), 2),
    }


def outside_waits(one: Burst) -> float:
    """Waits that follow from one another: for the reading, for the longest chain of searches, for verdict and words."""
    once = sum(name in one.outside for name in ("ClaimOut", "VerdictOut", "SummaryOut"))
    chains = (chain["loop"] for package in one.packages for chain in _chains(package))
    return once * MODEL_SECONDS + max(_searching(loop, one.outside) for loop in chains)


def _searching(loop: Mapping[str, Any], asked: Mapping[str, int]) -> float:
    fetched = sum(step["pages"] > 0 for step in loop["steps"])
    read = sum(step["read"] > 0 for step in loop["steps"]) if "FactsOut" in asked else 0
    planned = max(0, loop["iterations"] - 1) if "QueriesOut" in asked else 0
    return loop["count"] * SEARCH_SECONDS + fetched * PAGE_SECONDS + (read + planned) * MODEL_SECONDS


def verdicts(with_model: Mapping[str, Any], without: Mapping[str, Any]) -> dict[str, bool]:
    """Which of the wanted figures were reached."""
    wanted = min(WANTED_PER_MINUTE, WANTED_OF_INFERENCE * with_model["inference_alone_claims_per_minute"])
    return {
        "claims_per_minute_with_a_model": with_model["claims_per_minute"] >= wanted,
        "of_inference_alone_without_a_model": without["of_inference_alone"] >= WANTED_OF_INFERENCE,
        "model_calls": with_model["model_calls_per_claim"] <= WANTED_CALLS,
        "searches": with_model["searches_per_claim"] <= WANTED_SEARCHES,
        "lone_claim": with_model["lone_claim"]["over_floor"] <= WANTED_LATENCY,
        "memory_with_a_model": _is_flat(with_model),
        "memory_without_a_model": _is_flat(without),
    }


def _is_flat(figures: Mapping[str, Any]) -> bool:
    _, between, after = figures["resident_mb_before_between_after"]
    return bool(after <= WANTED_GROWTH * between)


def wanted() -> dict[str, float]:
    return {
        "claims_per_minute_with_a_model": WANTED_PER_MINUTE,
        "or_of_inference_alone": WANTED_OF_INFERENCE,
        "of_inference_alone_without_a_model": WANTED_OF_INFERENCE,
        "model_calls_per_claim": WANTED_CALLS,
        "searches_per_claim": WANTED_SEARCHES,
        "lone_claim_over_floor": WANTED_LATENCY,
        "memory_after_over_between": WANTED_GROWTH,
    }
