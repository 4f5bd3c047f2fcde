"""One candidate's score (000 §4): the facts about it in, the derivation out."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import chain
from typing import NamedTuple

from scoring.checks import clamp
from scoring.claim_types import ClaimKind
from scoring.derivation import Derivation, Input, Recorder
from scoring.inputs import constants
from scoring.ranking_policy import ScorePolicy, Weights

# A smaller spread than this is rounding, not a difference between candidates.
MIN_SPREAD = 1e-9


class TextFacts(NamedTuple):
    """What was read from the candidate's text, under the names it has among the derivation's inputs."""

    word_count: int
    entity_overlap: float
    claim_overlap: float
    anchor_match_score: float
    object_mismatch: bool
    claim_focus_mismatch: bool
    subject_mismatch: bool
    relation_object_mismatch: bool
    relation_direction_mismatch: bool
    reporting_style: bool
    uncertain_wording: bool
    low_signal: bool
    negation_differs: bool
    """A hint at the stance for whoever reads the inputs; the score does not use it."""


class SourceFacts(NamedTuple):
    """What came with the candidate, likewise."""

    semantic_raw: float
    semantic: float
    kg_raw: float
    credibility: float
    is_kg: bool
    backfill: bool
    contradicts: bool
    published: date | None


@dataclass(frozen=True, slots=True)
class SetFacts:
    """What all candidates of one ranking share: the claim's properties, the day, the extremes of the set."""

    claim_type: ClaimKind
    claim_assertive: bool
    claim_about_belief: bool
    as_of: date
    semantic_min: float
    semantic_max: float
    kg_min: float
    kg_max: float


_OWN_INPUTS = (*TextFacts._fields, *SourceFacts._fields, "sem_norm", "kg_norm", "recency_boost")


@dataclass(frozen=True, slots=True)
class Setting:
    """The facts that are shared, the weights in force and the constants."""

    shared: SetFacts
    weights: Weights
    policy: ScorePolicy
    template: dict[str, Input]
    """All inputs of a derivation, those of the single candidate still empty: filling in is quicker than merging."""

    @classmethod
    def of(cls, shared: SetFacts, weights: Weights, policy: ScorePolicy) -> "Setting":
        own: dict[str, Input] = dict.fromkeys(_OWN_INPUTS)
        common = constants(shared) | {"as_of": shared.as_of.isoformat()} | constants(weights)
        return cls(shared, weights, policy, own | common | {"policy": constants(policy)})

    def inputs(
        self, text: TextFacts, source: SourceFacts, sem_norm: float, kg_norm: float, recency_boost: float
    ) -> dict[str, Input]:
        """The inputs of one candidate's derivation; the day of publication, which comes last, as text."""
        day = source.published.isoformat() if source.published is not None else None
        filled = self.template.copy()
        filled.update(zip(_OWN_INPUTS, (*text, *source[:-1], day, sem_norm, kg_norm, recency_boost), strict=True))
        return filled


def min_max(value: float, low: float, high: float) -> float:
    """Where `value` lies between the candidate set's minimum and maximum.

    Without a spread (one candidate, or all equal) its place says nothing: the value itself stands in, within [0, 1].
    """
    if high - low <= MIN_SPREAD:
        return clamp(value)
    return clamp((value / 2 - low / 2) / (high / 2 - low / 2))  # halves: the spread of two huge numbers overflows


def recency(published: date | None, as_of: date, policy: ScorePolicy) -> float:
    """Half for every half-life since publication; a date in the future counts as today."""
    if published is None:
        return policy.missing_date_recency
    days = max(0, (as_of - published).days)
    return float(0.5 ** (days / policy.recency_half_life_days))


def score(text: TextFacts, source: SourceFacts, setting: Setting) -> Derivation:
    """Base, boosts, penalties, floor and clamp, in the order of 000 §4.1 to §4.4."""
    w, policy, shared = setting.weights, setting.policy, setting.shared
    sem_norm = min_max(source.semantic, shared.semantic_min, shared.semantic_max)
    kg_norm = min_max(source.kg_raw, shared.kg_min, shared.kg_max)
    recency_boost = recency(source.published, shared.as_of, policy)
    record = Recorder()
    record.set(
        "final_score_base",
        w.w_semantic * sem_norm
        + w.w_kg * kg_norm
        + w.w_entity * text.entity_overlap
        + w.w_claim_overlap * text.claim_overlap
        + w.w_recency * recency_boost
        + w.w_credibility * source.credibility,
    )
    anchors_pass = text.anchor_match_score >= policy.anchor_min_match
    for name, amount in _boosts(text, source, kg_norm, anchors_pass, policy):
        record.add(name, amount)
    if not anchors_pass:
        record.multiply("anchor_weak", policy.anchor_weak_kg_factor if source.is_kg else policy.anchor_weak_factor)
    if source.backfill:
        record.multiply("backfill", policy.backfill_factor)
    for name, factor in chain(_mismatches(text, policy), _wording(text, source, shared, policy)):
        record.multiply(name, factor)
    if text.uncertain_wording and shared.claim_assertive:
        record.subtract("uncertainty_penalty", policy.uncertainty_penalty)
    if sem_norm == 0.0 and kg_norm == 0.0 and source.credibility >= policy.floor_min_credibility:
        record.floor("credible_floor", policy.credible_floor)
    record.clamp()
    steps = record.derivation()
    return Derivation(setting.inputs(text, source, sem_norm, kg_norm, recency_boost), steps.steps, steps.value)


def _boosts(
    text: TextFacts, source: SourceFacts, kg_norm: float, anchors_pass: bool, policy: ScorePolicy
) -> Iterator[tuple[str, float]]:
    if source.kg_raw > 0.0 and text.claim_overlap >= policy.kg_signal_min_claim_overlap:
        yield "kg_signal_boost", policy.kg_signal_boost * min(1.0, source.kg_raw)
    if (
        kg_norm > 0.0
        and text.entity_overlap >= policy.kg_entity_min_entity_overlap
        and text.claim_overlap >= policy.kg_entity_min_claim_overlap
    ):
        yield "kg_entity_boost", policy.kg_entity_boost
    if source.is_kg and source.kg_raw >= policy.kg_anchor_min_kg_raw and anchors_pass:
        yield "kg_anchor_boost", policy.kg_anchor_boost


def _mismatches(text: TextFacts, policy: ScorePolicy) -> Iterator[tuple[str, float]]:
    if text.object_mismatch:
        yield "object_mismatch", policy.object_mismatch_factor
    if text.claim_focus_mismatch:
        yield "claim_focus_mismatch", policy.claim_focus_factor
    if text.subject_mismatch:
        yield "subject_mismatch", policy.subject_mismatch_factor
    if text.relation_object_mismatch:
        yield "relation_object_mismatch", policy.relation_object_factor
    if text.relation_direction_mismatch:
        yield "relation_direction_mismatch", policy.relation_direction_factor


def _wording(
    text: TextFacts, source: SourceFacts, shared: SetFacts, policy: ScorePolicy
) -> Iterator[tuple[str, float]]:
    if text.reporting_style and not shared.claim_about_belief:
        yield "claim_mention", policy.claim_mention_factor
    if text.low_signal:
        yield "low_signal", policy.low_signal_factor
    if source.contradicts:
        yield "contradiction", policy.contradiction_factor
