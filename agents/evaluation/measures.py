"""What many results amount to: accuracy, macro-F1, coverage, calibration, recall, cost. Pure functions."""

from collections import Counter
from collections.abc import Mapping, Sequence

from agents.claims.wire import Wire
from agents.evaluation.cases import Gold
from agents.evaluation.results import CaseResult, Cause

THREE = (Gold.SUPPORTS, Gold.REFUTES, Gold.NEI)
DECIDED = (Gold.SUPPORTS, Gold.REFUTES)
BINS = 10
RECALL_AT = (1, 3, 5, 10, 20)


class Bin(Wire):
    """Verdicts of similar confidence: how sure they were on average, and how often right."""

    count: int
    confidence: float
    accuracy: float


class CurvePoint(Wire):
    """Accuracy among the most confident share of the claims."""

    coverage: float
    accuracy: float


class Latency(Wire):
    """Seconds from acceptance to verdict."""

    median: float
    p95: float
    longest: float


class Summary(Wire):
    """The numbers of one evaluation."""

    claims: int
    scored: int
    """Claims with one of the three labels; accuracy and macro-F1 are over these."""
    accuracy: float
    macro_f1: float
    f1: Mapping[str, float]
    decided: float
    accuracy_decided: float
    ece: float
    brier: float
    confusion: Mapping[str, Mapping[str, int]]
    """Gold label, then answer."""
    causes: Mapping[str, int]
    recall: Mapping[str, Mapping[str, float]]
    """Stage, then k: share of the gold documents among the first k documents, averaged over claims that have some."""
    reliability: tuple[Bin, ...]
    curve: tuple[CurvePoint, ...]
    latency: Latency
    loops: float
    calls: float
    cost_usd: float
    claims_per_second: float | None


def summarise(results: Sequence[CaseResult], elapsed: float | None) -> Summary:
    """All numbers. `elapsed` is the time the stream took, if these results are of one uninterrupted run."""
    mixed = any(one.gold is Gold.MIXED for one in results)
    scored = [(one, answer_of(one, mixed=mixed)) for one in results if one.gold in THREE]
    right = [answer is one.gold for one, answer in scored]
    sure = [one.confidence for one, _ in scored]
    f1 = {label.value: f1_of(label, scored) for label in THREE if any(one.gold is label for one, _ in scored)}
    decided = [hit for (_, answer), hit in zip(scored, right, strict=True) if answer in DECIDED]
    bins = reliability(sure, right)
    return Summary(
        claims=len(results),
        scored=len(scored),
        accuracy=mean(right),
        macro_f1=mean(list(f1.values())),
        f1=f1,
        decided=len(decided) / len(scored) if scored else 0.0,
        accuracy_decided=mean(decided),
        ece=calibration_error(bins),
        brier=mean([(p - hit) ** 2 for p, hit in zip(sure, right, strict=True)]),
        confusion=_confusion(results, mixed=mixed),
        causes=_causes(results, mixed=mixed),
        recall=_recall(results),
        reliability=tuple(bins),
        curve=coverage_curve(sure, right),
        latency=_latency([one.seconds for one in results if one.cause is not Cause.FAILED]),
        loops=mean([one.loops for one in results]),
        calls=mean([one.calls for one in results]),
        cost_usd=mean([one.cost_usd for one in results]),
        claims_per_second=len(results) / elapsed if elapsed else None,
    )


def answer_of(result: CaseResult, *, mixed: bool) -> Gold:
    """Mixed is an abstention in a set that has no such label."""
    return Gold.NEI if result.answer is Gold.MIXED and not mixed else result.answer


def is_wrong(result: CaseResult, *, mixed: bool) -> bool:
    """Whether the answer differs from the label."""
    return answer_of(result, mixed=mixed) is not result.gold


def f1_of(label: Gold, scored: Sequence[tuple[CaseResult, Gold]]) -> float:
    """F1 of one label."""
    said = sum(answer is label for _, answer in scored)
    was = sum(one.gold is label for one, _ in scored)
    hit = sum(answer is label and one.gold is label for one, answer in scored)
    return 2 * hit / (said + was) if said + was else 0.0


def reliability(confidences: Sequence[float], right: Sequence[bool]) -> list[Bin]:
    """Ten bins of equal width; empty ones are left out."""
    places: dict[int, list[tuple[float, bool]]] = {}
    for sure, hit in zip(confidences, right, strict=True):
        places.setdefault(min(int(sure * BINS), BINS - 1), []).append((sure, hit))
    return [
        Bin(count=len(here), confidence=mean([sure for sure, _ in here]), accuracy=mean([hit for _, hit in here]))
        for _, here in sorted(places.items())
    ]


def calibration_error(bins: Sequence[Bin]) -> float:
    """ECE: the distance between confidence and accuracy, weighted by how many verdicts are in a bin."""
    total = sum(one.count for one in bins)
    return sum(one.count * abs(one.confidence - one.accuracy) for one in bins) / total if total else 0.0


def coverage_curve(confidences: Sequence[float], right: Sequence[bool]) -> tuple[CurvePoint, ...]:
    """Accuracy of the most confident verdicts, for every tenth of the claims."""
    ordered = [hit for _, hit in sorted(zip(confidences, right, strict=True), key=lambda pair: -pair[0])]
    points = []
    for tenth in range(1, 11) if ordered else ():
        kept = ordered[: max(1, round(len(ordered) * tenth / 10))]
        points.append(CurvePoint(coverage=tenth / 10, accuracy=mean(kept)))
    return tuple(points)


def recall_at(ranks: Sequence[int], documents: int, k: int) -> float:
    """The share of a claim's gold documents among the first k."""
    return sum(rank <= k for rank in ranks) / documents


def mean(values: Sequence[float]) -> float:
    """0 for no values: a rate of nothing is no rate."""
    return sum(values) / len(values) if values else 0.0


def _confusion(results: Sequence[CaseResult], *, mixed: bool) -> dict[str, dict[str, int]]:
    labels = tuple(Gold) if mixed else THREE
    counts = Counter((one.gold, answer_of(one, mixed=mixed)) for one in results)
    return {gold.value: {answer.value: counts[gold, answer] for answer in labels} for gold in labels}


def _causes(results: Sequence[CaseResult], *, mixed: bool) -> dict[str, int]:
    counts = Counter(one.cause for one in results if one.cause is not None and is_wrong(one, mixed=mixed))
    return {cause.value: counts[cause] for cause in Cause}


def _recall(results: Sequence[CaseResult]) -> dict[str, dict[str, float]]:
    known = [one for one in results if one.gold_documents]
    stages = {
        "retrieval": [(one.ranks.retrieved, one.gold_documents) for one in known],
        "ranking": [(one.ranks.ranked, one.gold_documents) for one in known],
        "citations": [(one.ranks.cited, one.gold_documents) for one in known],
    }
    return {
        stage: {str(k): mean([recall_at(ranks, documents, k) for ranks, documents in found]) for k in RECALL_AT}
        for stage, found in stages.items()
    }


def _latency(seconds: Sequence[float]) -> Latency:
    ordered = sorted(seconds) or [0.0]
    return Latency(
        median=ordered[len(ordered) // 2],
        p95=ordered[min(len(ordered) - 1, int(len(ordered) * 0.95))],
        longest=ordered[-1],
    )
