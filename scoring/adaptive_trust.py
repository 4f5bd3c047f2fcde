"""Adaptive trust (000 §5, 001): coverage, diversity and agreement of the evidence, sufficiency and `trust_post`.

`trust_post` orders cases by how well the evidence stands; it is not the probability that a claim is true.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from scoring.checks import clamp, unit
from scoring.coverage import CoveragePolicy, Segment, Stances, compute_subclaim_coverage, weighted_coverage
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, constants, count, number, numbers, policy_from, word
from scoring.polarity import PolarityPolicy, Relation, admissible, one_per_story, relation
from scoring.source_balance import source_agreement, source_diversity
from scoring.sufficiency_gates import (
    CONFIDENCE,
    COUNTS,
    NORMAL,
    GatePolicy,
    TrustGate,
    TrustMetrics,
    TrustMode,
    decide,
)
from scoring.trust import TrustPolicy, evidence_trust
from scoring.values import Evidence, SegmentStatus

VerdictState = Literal["evidence_insufficiency", "confirmed", "provisional", "revoked"]
_AGAINST = (SegmentStatus.INVALID, SegmentStatus.PARTIALLY_INVALID)
_STRONG = (SegmentStatus.STRONGLY_VALID, SegmentStatus.VALID, SegmentStatus.INVALID)


@dataclass(frozen=True, slots=True)
class AdaptiveTrustPolicy:
    """Gates and coverage for both modes. Confidence mode also counts a partial match for more (001)."""

    normal: GatePolicy = NORMAL
    confidence: GatePolicy = CONFIDENCE
    normal_coverage: CoveragePolicy = field(default_factory=CoveragePolicy)
    # Two thirds instead of half: a pair of partial matches then reaches the lowered medium coverage by itself.
    confidence_coverage: CoveragePolicy = field(default_factory=lambda: CoveragePolicy(partial_weight=0.65))

    def gates(self, mode: TrustMode) -> GatePolicy:
        return self.confidence if mode == "confidence" else self.normal

    def coverage(self, mode: TrustMode) -> CoveragePolicy:
        return self.confidence_coverage if mode == "confidence" else self.normal_coverage


@dataclass(frozen=True, slots=True)
class AdaptiveTrust:
    """Everything adaptive trust found out about a claim."""

    mode: TrustMode
    segments: tuple[Segment, ...]
    metrics: TrustMetrics
    coverage: Derivation
    diversity: Derivation
    agreement: Derivation
    trust_post: Derivation
    gate: TrustGate
    state: VerdictState


def assess(
    claim: str,
    subclaims: Sequence[str],
    evidence: Sequence[Evidence],
    policy: AdaptiveTrustPolicy | None = None,
    mode: TrustMode = "adaptive",
    *,
    trust: TrustPolicy | None = None,
    polarity: PolarityPolicy | None = None,
    proposed_anchors: Mapping[str, Sequence[str]] | None = None,
    stances: Stances | None = None,
) -> AdaptiveTrust:
    """Adaptive trust of a claim. Without subclaims the claim is its only part."""
    rules = policy or AdaptiveTrustPolicy()
    coverage = compute_subclaim_coverage(
        subclaims or (claim,),
        evidence,
        rules.coverage(mode),
        polarity,
        proposed_anchors=proposed_anchors,
        stances=stances,
    )
    return assess_segments(coverage.segments, evidence, rules, mode, trust=trust, polarity=polarity)


def assess_segments(
    segments: Sequence[Segment],
    evidence: Sequence[Evidence],
    policy: AdaptiveTrustPolicy | None = None,
    mode: TrustMode = "adaptive",
    *,
    trust: TrustPolicy | None = None,
    polarity: PolarityPolicy | None = None,
) -> AdaptiveTrust:
    """Adaptive trust over parts that are already judged: also a parent's, whose parts are its sub-results."""
    gates = (policy or AdaptiveTrustPolicy()).gates(mode)
    trusting, rules = trust or TrustPolicy(), polarity or PolarityPolicy()
    usable = admissible(evidence)
    stories = one_per_story(usable)
    sides = [relation(item.stance, rules) for item in stories]
    coverage = weighted_coverage([segment.weight for segment in segments])
    diversity, agreement = source_diversity(stories), source_agreement(sides)
    trusts = {item.id: evidence_trust(item, trusting) for item in usable}
    metrics = TrustMetrics(
        coverage=coverage.value,
        diversity=diversity.value,
        agreement=agreement.value,
        evidence_count=len(stories),
        avg_relevance=clamp(sum(item.relevance for item in stories) / len(stories)) if stories else 0.0,
        num_subclaims=len(segments),
        strong_covered=sum(segment.status in _STRONG for segment in segments),
        contradicted=sum(segment.status in _AGAINST or segment.contested for segment in segments),
        supporting=sides.count(Relation.SUPPORTS),
        contradicting=sides.count(Relation.CONTRADICTS),
    )
    trust_post = recompute_adaptive_trust(
        {
            **constants(metrics),
            "subclaim_trusts": _subclaim_trusts(segments, trusts),
            "top_trust": max(trusts.values(), default=0.0),
            "top_semantic": max((max(item.semantic, item.kg) for item in usable), default=0.0),
            "trust_policy_mode": mode,
            "policy": constants(gates),
        }
    )
    gate = recompute_gate(trust_post.inputs)
    return AdaptiveTrust(
        mode=mode,
        segments=tuple(segments),
        metrics=metrics,
        coverage=coverage,
        diversity=diversity,
        agreement=agreement,
        trust_post=trust_post,
        gate=gate,
        state=verdict_state(trust_post.value, gate.is_sufficient, gates),
    )


def recompute_adaptive_trust(inputs: Inputs) -> Derivation:
    """`mean_subclaim_trust * (0.5 + 0.5 * coverage)`, or `top_trust * coverage` where no part is covered."""
    gates = policy_from(GatePolicy, inputs)
    coverage, top_trust = unit("coverage", number(inputs, "coverage")), unit("top_trust", number(inputs, "top_trust"))
    covered = numbers(inputs, "subclaim_trusts")
    mean = sum(unit("subclaim_trusts", one) for one in covered) / len(covered) if covered else None
    recorder = Recorder(**{**inputs, "mean_subclaim_trust": mean})
    if not count(inputs, "evidence_count"):
        recorder.set("no_evidence", 0.0)
    elif mean is None:
        recorder.set("top_trust", top_trust)
        recorder.multiply("coverage", coverage)
    else:
        recorder.set("mean_subclaim_trust", mean)
        recorder.multiply("coverage", (1.0 - gates.coverage_share) + gates.coverage_share * coverage)
        if recorder.value < top_trust * coverage:
            recorder.floor("consistency_floor", top_trust * coverage)
    recorder.clamp()
    return recorder.derivation()


def recompute_gate(inputs: Inputs) -> TrustGate:
    """The sufficiency decision from the inputs of `trust_post`."""
    metrics = TrustMetrics(
        coverage=number(inputs, "coverage"),
        diversity=number(inputs, "diversity"),
        agreement=number(inputs, "agreement"),
        avg_relevance=number(inputs, "avg_relevance"),
        **{name: count(inputs, name) for name in COUNTS},
    )
    mode: TrustMode = "confidence" if word(inputs, "trust_policy_mode") == "confidence" else "adaptive"
    return decide(
        metrics,
        mode,
        policy_from(GatePolicy, inputs),
        trust_post=recompute_adaptive_trust(inputs).value,
        top_semantic=number(inputs, "top_semantic"),
        top_trust=number(inputs, "top_trust"),
    )


def verdict_state(trust_post: float, is_sufficient: bool, gates: GatePolicy = NORMAL) -> VerdictState:
    """What the trust amounts to (000 §5.3)."""
    if not is_sufficient:
        return "evidence_insufficiency"
    if unit("trust_post", trust_post) >= gates.confirmed:
        return "confirmed"
    return "provisional" if trust_post >= gates.provisional else "revoked"


def _subclaim_trusts(segments: Sequence[Segment], trusts: Mapping[str, float]) -> tuple[float, ...]:
    """`best_evidence_trust * subclaim_weight` for every covered part."""
    return tuple(
        trusts.get(segment.best_evidence_id, 0.0) * segment.weight for segment in segments if segment.weight > 0
    )
