"""Evidence quality (000 §6.2): how good the support for each part is, whatever the verdict. A diagnostic number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from scoring.checks import unit
from scoring.coverage import Link, Segment
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, check_shares, constants, flag, number, numbers, policy_from
from scoring.polarity import Relation
from scoring.text import is_hedged, is_reporting
from scoring.values import Evidence


@dataclass(frozen=True, slots=True)
class EvidenceQualityPolicy:
    """The mixture, the diversity factor and the ceiling are the specification's; it names the penalties only."""

    rel_semantic: float = 0.70
    rel_kg: float = 0.30
    w_rel: float = 0.70
    w_anchor: float = 0.15
    w_overlap: float = 0.10
    w_credibility: float = 0.05
    factor_base: float = 0.85
    factor_diversity: float = 0.15
    ceiling_base: float = 0.85
    ceiling_diversity: float = 0.10
    # Each penalty is the one that the specification applies to the same wording elsewhere: contradiction in the
    # truth score (§6.1), uncertain and reporting wording in the ranking (§4.3).
    contradiction_penalty: float = 0.30
    uncertainty_penalty: float = 0.12
    reporting_factor: float = 0.65

    def __post_init__(self) -> None:
        check_shares(self)


DEFAULT = EvidenceQualityPolicy()


@dataclass(frozen=True, slots=True)
class SegmentSupport:
    """The passage that supports a part best, and how much that support is worth."""

    segment: str
    evidence_id: str
    derivation: Derivation


@dataclass(frozen=True, slots=True)
class EvidenceQuality:
    """The global number with its derivation, and the support of each part."""

    derivation: Derivation
    supports: tuple[SegmentSupport, ...]

    @property
    def value(self) -> float:
        return self.derivation.value


def evidence_quality(
    segments: Sequence[Segment],
    evidence: Iterable[Evidence],
    diversity: float,
    policy: EvidenceQualityPolicy = DEFAULT,
    *,
    assertive: bool = True,
    belief: bool = False,
) -> EvidenceQuality:
    """`avg_segment_support * (0.85 + 0.15 * diversity)`, at most `0.85 + 0.10 * diversity`.

    Uncertain wording costs only where the claim is `assertive`, reporting wording only where it is no `belief`.
    """
    by_id = {item.id: item for item in evidence}
    supports = tuple(_best_support(segment, by_id, policy, assertive, belief) for segment in segments)
    inputs: Inputs = {
        "segment_supports": tuple(support.derivation.value for support in supports),
        "diversity": diversity,
        "policy": constants(policy),
    }
    return EvidenceQuality(recompute_evidence_quality(inputs), supports)


def recompute_evidence_quality(inputs: Inputs) -> Derivation:
    """The global number from its inputs alone."""
    policy = policy_from(EvidenceQualityPolicy, inputs)
    supports = [unit("segment_supports", one) for one in numbers(inputs, "segment_supports")]
    diversity = unit("diversity", number(inputs, "diversity"))
    average = sum(supports) / len(supports) if supports else 0.0
    recorder = Recorder(**{**inputs, "avg_segment_support": average})
    recorder.set("avg_segment_support", average)
    recorder.multiply("diversity_factor", policy.factor_base + policy.factor_diversity * diversity)
    ceiling = policy.ceiling_base + policy.ceiling_diversity * diversity
    if recorder.value > ceiling:
        recorder.cap("diversity_ceiling", ceiling)
    recorder.clamp()
    return recorder.derivation()


def recompute_segment_support(inputs: Inputs) -> Derivation:
    """`0.70 * rel + 0.15 * anchor_overlap + 0.10 * overlap_ratio + 0.05 * cred`, then the penalties that apply."""
    policy = policy_from(EvidenceQualityPolicy, inputs)
    signal = {
        name: unit(name, number(inputs, name)) for name in ("sem", "kg", "anchor_overlap", "overlap_ratio", "cred")
    }
    recorder = Recorder(**inputs)
    recorder.set("rel", policy.w_rel * (policy.rel_semantic * signal["sem"] + policy.rel_kg * signal["kg"]))
    recorder.add("anchor_overlap", policy.w_anchor * signal["anchor_overlap"])
    recorder.add("overlap_ratio", policy.w_overlap * signal["overlap_ratio"])
    recorder.add("cred", policy.w_credibility * signal["cred"])
    if flag(inputs, "reporting"):
        recorder.multiply("reporting", policy.reporting_factor)
    if flag(inputs, "uncertain"):
        recorder.subtract("uncertainty", policy.uncertainty_penalty)
    if flag(inputs, "contradicts"):
        recorder.subtract("contradiction", policy.contradiction_penalty)
    recorder.clamp()
    return recorder.derivation()


def _best_support(
    segment: Segment,
    by_id: Mapping[str, Evidence],
    policy: EvidenceQualityPolicy,
    assertive: bool,
    belief: bool,
) -> SegmentSupport:
    """A part that no passage speaks about has no support."""
    silent: Inputs = {"sem": 0.0, "kg": 0.0, "anchor_overlap": 0.0, "overlap_ratio": 0.0, "cred": 0.0,
                      "contradicts": False, "uncertain": False, "reporting": False,
                      "policy": constants(policy)}  # fmt: skip
    best = SegmentSupport(segment.text, "", recompute_segment_support(silent))
    for link in segment.links:
        item = by_id.get(link.evidence_id)
        if item is None:
            continue
        support = recompute_segment_support(_inputs(link, item, policy, assertive, belief))
        if support.value > best.derivation.value:
            best = SegmentSupport(segment.text, item.id, support)
    return best


def _inputs(link: Link, item: Evidence, policy: EvidenceQualityPolicy, assertive: bool, belief: bool) -> Inputs:
    return {
        "sem": item.semantic,
        "kg": item.kg,
        "anchor_overlap": link.anchor_overlap,
        "overlap_ratio": link.overlap_ratio,
        "cred": item.credibility,
        "contradicts": link.relation is Relation.CONTRADICTS,
        "uncertain": assertive and is_hedged(item.text),
        "reporting": not belief and is_reporting(item.text),
        "policy": constants(policy),
    }
