"""One candidate's score (000 §4): the facts about it in, the derivation out."""

from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from scoring.checks import clamp, finite
from scoring.claim_types import ClaimKind
from scoring.derivation import Derivation, Input, Op, Step, apply
from scoring.inputs import constants
from scoring.ranking_policy import ScorePolicy, Weights

Change = tuple[str, Op, float]
"""A step that is about to be taken: its name, what it does, and by how much."""

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
    place = (value / 2 - low / 2) / (high / 2 - low / 2)  # halves: the spread of two huge numbers overflows
    return place if 0.0 <= place <= 1.0 else clamp(place)


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
    running = (
        w.w_semantic * sem_norm
        + w.w_kg * kg_norm
        + w.w_entity * text.entity_overlap
        + w.w_claim_overlap * text.claim_overlap
        + w.w_recency * recency_boost
        + w.w_credibility * source.credibility
    )
    steps = [Step("final_score_base", "set", running, running)]
    for name, op, value in _changes(text, source, kg_norm, shared, policy):
        running = apply(op, running, value)
        steps.append(Step(name, op, value, running))
    if sem_norm == 0.0 and kg_norm == 0.0 and source.credibility >= policy.floor_min_credibility:
        running = apply("floor", running, policy.credible_floor)
        steps.append(Step("credible_floor", "floor", policy.credible_floor, running))
    if not 0.0 <= running <= 1.0:
        running = finite("final_score", apply("clamp", running, (0.0, 1.0)))
        steps.append(Step("clamp", "clamp", (0.0, 1.0), running))
    inputs = setting.inputs(text, source, sem_norm, kg_norm, recency_boost)
    return Derivation(inputs, tuple(steps), running)


def _changes(
    text: TextFacts, source: SourceFacts, kg_norm: float, shared: SetFacts, policy: ScorePolicy
) -> list[Change]:
    """The boosts and penalties that apply, in order."""
    anchors_pass = text.anchor_match_score >= policy.anchor_min_match
    found = _boosts(text, source, kg_norm, anchors_pass, policy)
    if not anchors_pass:
        factor = policy.anchor_weak_kg_factor if source.is_kg else policy.anchor_weak_factor
        found.append(("anchor_weak", "multiply", factor))
    found += [(name, "multiply", factor) for fires, name, factor in _faults(text, source, shared, policy) if fires]
    if text.uncertain_wording and shared.claim_assertive:
        found.append(("uncertainty_penalty", "subtract", policy.uncertainty_penalty))
    return found


def _boosts(
    text: TextFacts, source: SourceFacts, kg_norm: float, anchors_pass: bool, policy: ScorePolicy
) -> list[Change]:
    found: list[Change] = []
    if source.kg_raw > 0.0 and text.claim_overlap >= policy.kg_signal_min_claim_overlap:
        found.append(("kg_signal_boost", "add", policy.kg_signal_boost * min(1.0, source.kg_raw)))
    if (
        kg_norm > 0.0
        and text.entity_overlap >= policy.kg_entity_min_entity_overlap
        and text.claim_overlap >= policy.kg_entity_min_claim_overlap
    ):
        found.append(("kg_entity_boost", "add", policy.kg_entity_boost))
    if source.is_kg and source.kg_raw >= policy.kg_anchor_min_kg_raw and anchors_pass:
        found.append(("kg_anchor_boost", "add", policy.kg_anchor_boost))
    return found


def _faults(
    text: TextFacts, source: SourceFacts, shared: SetFacts, policy: ScorePolicy
) -> tuple[tuple[bool, str, float], ...]:
    """Whether each fault is there, its step and its factor."""
    return (
        (source.backfill, "backfill", policy.backfill_factor),
        (text.object_mismatch, "object_mismatch", policy.object_mismatch_factor),
        (text.claim_focus_mismatch, "claim_focus_mismatch", policy.claim_focus_factor),
        (text.subject_mismatch, "subject_mismatch", policy.subject_mismatch_factor),
        (text.relation_object_mismatch, "relation_object_mismatch", policy.relation_object_factor),
        (text.relation_direction_mismatch, "relation_direction_mismatch", policy.relation_direction_factor),
        (text.reporting_style and not shared.claim_about_belief, "claim_mention", policy.claim_mention_factor),
        (text.low_signal, "low_signal", policy.low_signal_factor),
        (source.contradicts, "contradiction", policy.contradiction_factor),
    )
