"""TrustRankingModule (001): how far each passage can be trusted, and one number for all of them: the fixed trust.

It knows nothing of subclaims; `adaptive_trust` does. Both views are kept so that they can be compared (000 §9).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from scoring.checks import clamp, finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.identity import first_of_each, statement_hash, url_key
from scoring.inputs import Inputs, constants, count, number, numbers, policy_from, words
from scoring.polarity import PolarityPolicy, Relation, admissible, relation, story
from scoring.values import Evidence

Grade = Literal["A", "B", "C", "D"]
_SIDE = {Relation.SUPPORTS: 1.0, Relation.CONTRADICTS: -1.0}


@dataclass(frozen=True, slots=True)
class TrustPolicy:
    """001 names the four components without numbers; these are ours."""

    # What is said must fit the claim first, and come from somewhere reliable second. A passage that takes a side
    # is worth more than one that does not; age matters least, as in the ranking (000 §4).
    w_semantic: float = 0.40
    w_source: float = 0.30
    w_stance: float = 0.20
    w_recency: float = 0.10
    # Total disagreement halves the trust: it never erases what each source is worth by itself.
    agreement_share: float = 0.5
    # The two upper grades are the verdict states of 000 §5.3, confirmed and provisional.
    grade_a: float = 0.8
    grade_b: float = 0.6
    grade_c: float = 0.4
    # 95 % interval; 200 resamples keep its ends stable to about 0.01 at a cost of less than a millisecond.
    interval: float = 0.95
    resamples: int = 200

    def __post_init__(self) -> None:
        weights = (self.w_semantic, self.w_source, self.w_stance, self.w_recency)
        if min(weights) < 0 or abs(sum(finite("weights", w) for w in weights) - 1.0) > 1e-9:
            raise ValueError(f"the four weights of trust must add up to 1, got {weights!r}")
        if not self.grade_a >= self.grade_b >= self.grade_c:
            raise ValueError("grades must fall: grade_a, grade_b, grade_c")
        unit("agreement_share", self.agreement_share)
        if not 0.0 < unit("interval", self.interval) < 1.0 or self.resamples < 1:
            raise ValueError("interval must lie between 0 and 1, and resamples be at least 1")


DEFAULT = TrustPolicy()


@dataclass(frozen=True, slots=True)
class FixedTrust:
    """`trust_post_fixed`: the value with its derivation, how far the sources agree, a grade and an interval."""

    derivation: Derivation
    agreement_ratio: float
    grade: Grade
    ci_low: float
    ci_high: float

    @property
    def value(self) -> float:
        return self.derivation.value


def evidence_trust(item: Evidence, policy: TrustPolicy = DEFAULT) -> float:
    """How far one passage can be trusted. A refuting passage is worth as much as a supporting one."""
    signals = _signals(item)
    return clamp(
        policy.w_semantic * signals["semantic"]
        + policy.w_source * signals["source"]
        + policy.w_stance * signals["stance"]
        + policy.w_recency * signals["recency"]
    )


def explain_evidence_trust(item: Evidence, policy: TrustPolicy = DEFAULT) -> Derivation:
    """The same number with its steps, for the passages that are shown to a reader."""
    return recompute_evidence_trust({**_signals(item), "policy": constants(policy)})


def recompute_evidence_trust(inputs: Inputs) -> Derivation:
    """One passage's trust from a derivation's inputs alone."""
    policy = policy_from(TrustPolicy, inputs)
    recorder = Recorder(**inputs)
    recorder.set("semantic", policy.w_semantic * unit("semantic", number(inputs, "semantic")))
    recorder.add("source", policy.w_source * unit("source", number(inputs, "source")))
    recorder.add("stance", policy.w_stance * unit("stance", number(inputs, "stance")))
    recorder.add("recency", policy.w_recency * unit("recency", number(inputs, "recency")))
    recorder.clamp()
    return recorder.derivation()


def _signals(item: Evidence) -> dict[str, float]:
    """A triple has no text similarity of its own, so the graph's score stands in for it."""
    return {
        "semantic": max(unit("semantic", item.semantic), unit("kg", item.kg)),
        "source": unit("credibility", item.credibility),
        "stance": 1.0 - unit("neutral", item.stance.neutral),
        "recency": unit("recency", item.recency),
    }


def rank_by_trust(evidence: Sequence[Evidence], policy: TrustPolicy = DEFAULT) -> tuple[tuple[Evidence, float], ...]:
    """Admissible passages with their trust, the most trusted first; one per address, statement and story."""
    trusted = [(item, evidence_trust(item, policy)) for item in admissible(evidence)]
    trusted.sort(key=lambda pair: (-pair[1], pair[0].id))
    return tuple(first_of_each(trusted, lambda pair: _keys(pair[0])))


def fixed_trust(
    evidence: Sequence[Evidence],
    policy: TrustPolicy = DEFAULT,
    seed: int = 0,
    polarity: PolarityPolicy | None = None,
) -> FixedTrust:
    """The self-weighted mean of the items' trust, lowered by disagreement, with a seeded bootstrap interval."""
    ranked, rules = rank_by_trust(evidence, policy), polarity or PolarityPolicy()
    sides = [relation(item.stance, rules) for item, _ in ranked]
    return _fixed_trust([item.id for item, _ in ranked], [trust for _, trust in ranked], sides, policy, seed)


def recompute_fixed_trust(inputs: Inputs) -> FixedTrust:
    """The same result from a derivation's inputs alone."""
    sides = [Relation(side) for side in words(inputs, "relations")]
    trusts = list(numbers(inputs, "evidence_trusts"))
    ids = list(words(inputs, "evidence_ids"))
    if not len(ids) == len(trusts) == len(sides):
        raise ValueError("evidence_ids, evidence_trusts and relations must be equally long")
    return _fixed_trust(ids, trusts, sides, policy_from(TrustPolicy, inputs), count(inputs, "seed"))


def grade_of(trust_post: float, policy: TrustPolicy = DEFAULT) -> Grade:
    """A, B, C or D."""
    if trust_post >= policy.grade_a:
        return "A"
    if trust_post >= policy.grade_b:
        return "B"
    return "C" if trust_post >= policy.grade_c else "D"


def _keys(item: Evidence) -> tuple[str, ...]:
    address = f"url:{url_key(item.url)}" if item.url.strip() else ""
    return (address, f"text:{statement_hash(item.text)}", f"story:{story(item)}")


def _fixed_trust(
    ids: Sequence[str], trusts: Sequence[float], sides: Sequence[Relation], policy: TrustPolicy, seed: int
) -> FixedTrust:
    values = np.array([unit("evidence_trusts", trust) for trust in trusts], dtype=np.float64)
    signs = np.array([_SIDE.get(side, 0.0) for side in sides], dtype=np.float64)
    mean, agreement = (float(part[0]) for part in _mean_and_agreement(values[None, :], signs[None, :]))
    recorder = Recorder(
        self_weighted_mean=mean,
        agreement_ratio=agreement,
        evidence_ids=tuple(ids),
        evidence_trusts=tuple(trusts),
        relations=tuple(side.value for side in sides),
        seed=seed,
        policy=constants(policy),
    )
    recorder.set("self_weighted_mean", mean)
    recorder.multiply("agreement", _agreement_factor(agreement, policy))
    recorder.clamp()
    low, high = _interval(values, signs, policy, seed)
    value = recorder.value
    return FixedTrust(recorder.derivation(), agreement, grade_of(value, policy), min(low, value), max(high, value))


def _agreement_factor(agreement: float, policy: TrustPolicy) -> float:
    return (1.0 - policy.agreement_share) + policy.agreement_share * agreement


def _mean_and_agreement(
    trusts: npt.NDArray[np.float64], signs: npt.NDArray[np.float64]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Row by row: `sum(t * t) / sum(t)`, and the stronger side's share of the trust that takes a side.

    Nothing trusted gives 0 and 0; trusted but nobody takes a side gives an agreement of 1: nobody disagrees.
    """
    total = trusts.sum(axis=1)
    mean = np.divide((trusts * trusts).sum(axis=1), total, out=np.zeros_like(total), where=total > 0)
    for_it, against = (trusts * (signs > 0)).sum(axis=1), (trusts * (signs < 0)).sum(axis=1)
    decided = for_it + against
    silent = np.where(total > 0, 1.0, 0.0)
    return mean, np.divide(np.maximum(for_it, against), decided, out=silent, where=decided > 0)


def _interval(
    trusts: npt.NDArray[np.float64], signs: npt.NDArray[np.float64], policy: TrustPolicy, seed: int
) -> tuple[float, float]:
    """Percentile bootstrap over the items. Only a bit generator's raw stream is the same in every numpy release."""
    n = len(trusts)
    if n == 0:
        return 0.0, 0.0
    drawn = (np.random.PCG64(seed).random_raw(policy.resamples * n) % np.uint64(n)).astype(np.intp)
    picks = drawn.reshape(policy.resamples, n)
    mean, agreement = _mean_and_agreement(trusts[picks], signs[picks])
    samples = np.sort(mean * ((1.0 - policy.agreement_share) + policy.agreement_share * agreement))
    tail = (1.0 - policy.interval) / 2.0
    low, high = np.quantile(samples, (tail, 1.0 - tail)).tolist()
    return clamp(low), clamp(high)
