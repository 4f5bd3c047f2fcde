"""The verdict and the confidence of one claim of a draft (003 §5, §8.2)."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from scoring.checks import finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.drafts.matching import Match, SupportLevel
from scoring.drafts.risks import Conflict, RiskFlag, conflict_flag, find_conflicts
from scoring.inputs import Inputs, constants, count, flag, number, policy_from, word


class DraftVerdict(StrEnum):
    """The four verdicts of 003."""

    SUPPORTED = "supported"
    WEAK = "weak"
    CONTRADICTED = "contradicted"
    NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class DraftConfidencePolicy:
    """003 §5.2, number by number."""

    full: float = 0.85
    partial: float = 0.6
    per_further_source: float = 0.05
    max_further_sources: int = 3
    high_similarity: float = 0.85
    similarity_boost: float = 0.05
    inference_penalty: float = 0.1
    supported_above: float = 0.8

    def __post_init__(self) -> None:
        for name in ("full", "partial", "per_further_source", "similarity_boost", "inference_penalty"):
            unit(name, getattr(self, name))
        unit("high_similarity", self.high_similarity)
        unit("supported_above", self.supported_above)


DEFAULT = DraftConfidencePolicy()


@dataclass(frozen=True, slots=True)
class JudgedMatch:
    """A matched chunk and what it says about the claim."""

    match: Match
    level: SupportLevel


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict with everything it rests on."""

    verdict: DraftVerdict
    level: SupportLevel
    confidence: Derivation
    conflicts: tuple[Conflict, ...] = ()
    risk_flags: tuple[RiskFlag, ...] = ()

    @property
    def notes(self) -> str:
        """One line for the ledger; empty if the sources agree."""
        if not self.conflicts:
            return ""
        return "Conflicting evidence found: " + "; ".join(conflict.summary for conflict in self.conflicts)


def calculate_confidence(
    level: SupportLevel, similarities: Sequence[float], *, inference: bool, policy: DraftConfidencePolicy = DEFAULT
) -> Derivation:
    """The level's base, boosts for further sources and high similarity, a penalty for inference.

    Without support there is nothing to be confident of: 003's table gives such a verdict no confidence, so no boost
    can lend it any.
    """
    for similarity in similarities:
        finite("similarity", similarity)
    return recompute_draft_confidence(
        {
            "support_level": level.value,
            "sources": len(similarities),
            # In decimals the mean of 0.9 and 0.8 is 0.85 and not above it; in binary its last bit says otherwise.
            "avg_similarity": round(sum(similarities) / len(similarities), 12) if similarities else 0.0,
            "requires_inference": inference,
            "policy": constants(policy),
        }
    )


def recompute_draft_confidence(inputs: Inputs) -> Derivation:
    """The confidence from its inputs alone."""
    policy = policy_from(DraftConfidencePolicy, inputs)
    level, sources = SupportLevel(word(inputs, "support_level")), count(inputs, "sources")
    record = Recorder(**inputs)
    record.set("support_level", {SupportLevel.FULL: policy.full, SupportLevel.PARTIAL: policy.partial}.get(level, 0.0))
    if sources > 1:
        record.add("multiple_sources", policy.per_further_source * min(sources - 1, policy.max_further_sources))
    if number(inputs, "avg_similarity") > policy.high_similarity:
        record.add("high_similarity", policy.similarity_boost)
    if flag(inputs, "requires_inference"):
        record.subtract("indirect_evidence", policy.inference_penalty)
    if level in (SupportLevel.NONE, SupportLevel.CONTRADICTED):
        record.cap("no_support", 0.0)
    record.clamp()
    return record.derivation()


def decide_verdict(
    level: SupportLevel | None, confidence: float, policy: DraftConfidencePolicy = DEFAULT
) -> DraftVerdict:
    """The decision tree; None means that no evidence was found."""
    unit("confidence", confidence)
    if level is None or level is SupportLevel.NONE:
        return DraftVerdict.NOT_FOUND
    if level is SupportLevel.CONTRADICTED:
        return DraftVerdict.CONTRADICTED
    if level is SupportLevel.FULL and confidence > policy.supported_above:
        return DraftVerdict.SUPPORTED
    return DraftVerdict.WEAK


def judge_claim(
    matches: Sequence[JudgedMatch], *, inference: bool = False, policy: DraftConfidencePolicy = DEFAULT
) -> Judgement:
    """One contradicting chunk contradicts the claim, whatever the others say; otherwise the best support counts."""
    levels = {judged.level for judged in matches}
    order = (SupportLevel.CONTRADICTED, SupportLevel.FULL, SupportLevel.PARTIAL)
    level = next((candidate for candidate in order if candidate in levels), SupportLevel.NONE)
    supporting = [judged for judged in matches if judged.level in (SupportLevel.FULL, SupportLevel.PARTIAL)]
    against = [judged for judged in matches if judged.level is SupportLevel.CONTRADICTED]
    confidence = calculate_confidence(
        level, [judged.match.similarity for judged in supporting], inference=inference, policy=policy
    )
    conflicts = find_conflicts(
        [judged.match.chunk_id for judged in supporting], [judged.match.chunk_id for judged in against]
    )
    return Judgement(
        verdict=decide_verdict(level, confidence.value, policy),
        level=level,
        confidence=confidence,
        conflicts=conflicts,
        risk_flags=(conflict_flag(conflicts),) if conflicts else (),
    )
