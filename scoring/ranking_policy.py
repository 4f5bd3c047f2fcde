"""The numbers of the hybrid ranker: 000 §4 as defaults, and ours where 000 and 001 name a rule without a number."""

from dataclasses import dataclass, field, fields

from scoring.checks import finite, unit
from scoring.claim_types import ClaimKind


@dataclass(frozen=True, slots=True)
class Weights:
    """The share of each signal in the base score (000 §4). They add up to 1, so that the base lies in [0, 1]."""

    w_semantic: float = 0.31
    w_kg: float = 0.12
    w_entity: float = 0.20
    w_claim_overlap: float = 0.15
    w_recency: float = 0.05
    w_credibility: float = 0.17

    def __post_init__(self) -> None:
        values = [unit(one.name, getattr(self, one.name)) for one in fields(self)]
        if abs(sum(values) - 1.0) > 1e-9:
            raise ValueError(f"the six ranking weights must add up to 1, got {sum(values)!r}")


# 001 asks for weights by claim type and gives none. Ours move a few hundredths from the general weights, so that a
# wrong guess of the type costs little.
# Medicine: who says it counts most, and newer trials overrule older ones.
THERAPEUTIC = Weights(0.28, 0.10, 0.18, 0.15, 0.07, 0.22)
# Cause and effect is a relation, which is what the graph stores; causes do not age.
CAUSAL = Weights(0.29, 0.17, 0.18, 0.16, 0.04, 0.16)
# How something works: relations between named things, which stay true for decades.
MECHANISTIC = Weights(0.28, 0.20, 0.20, 0.14, 0.02, 0.16)


@dataclass(frozen=True, slots=True)
class ScorePolicy:
    """The constants of one score: recency, boosts, penalties and floor (000 §4.1 to §4.4)."""

    recency_half_life_days: float = 365.0
    # A passage without a date counts as one half-life old: unknown is neither fresh nor stale.
    missing_date_recency: float = 0.5

    kg_signal_boost: float = 0.05
    kg_signal_min_claim_overlap: float = 0.08
    kg_entity_boost: float = 0.10
    kg_entity_min_entity_overlap: float = 0.34
    kg_entity_min_claim_overlap: float = 0.10
    kg_anchor_boost: float = 0.08
    kg_anchor_min_kg_raw: float = 0.40

    anchor_min_match: float = 0.20
    anchor_weak_kg_factor: float = 0.30
    anchor_weak_factor: float = 0.70
    backfill_factor: float = 0.85
    object_mismatch_factor: float = 0.55
    claim_focus_factor: float = 0.75
    subject_mismatch_factor: float = 0.60
    relation_object_factor: float = 0.70
    claim_mention_factor: float = 0.65
    # 001 names the next two without a number. A reversed relation is about the wrong subject, so it weighs the same.
    relation_direction_factor: float = 0.60
    # Boilerplate around a text is a mild fault of the extraction: between backfill (0.85) and lost focus (0.75).
    low_signal_factor: float = 0.80
    # 001's penalty for contradicting evidence, used by the gatekeeper; mild, because a refutation is evidence too.
    contradiction_factor: float = 0.90
    uncertainty_penalty: float = 0.12

    floor_min_credibility: float = 0.90
    credible_floor: float = 0.20

    def __post_init__(self) -> None:
        for one in fields(self):
            if one.name == "recency_half_life_days":
                if finite(one.name, self.recency_half_life_days) <= 0:
                    raise ValueError(f"recency_half_life_days must be positive, got {self.recency_half_life_days!r}")
            else:
                unit(one.name, getattr(self, one.name))


@dataclass(frozen=True, slots=True)
class FilterPolicy:
    """Strict filters (000 §4.4 asks for them without numbers): what is removed before ranking."""

    strict: bool = True
    # The smallest overlaps that 000 rewards; below all of them a passage shares nothing with the claim. A calibrated
    # similarity of 0.5 is the point that best separates related from random pairs: above it a paraphrase stays.
    min_claim_overlap: float = 0.08
    min_entity_overlap: float = 0.34
    min_semantic: float = 0.50
    # Boilerplate needs the larger of 000's two overlap thresholds to stay.
    low_signal_min_claim_overlap: float = 0.10
    # Fewer words than a subject, a verb and an object with its article state nothing. Triples are short by nature.
    min_words: int = 4

    def __post_init__(self) -> None:
        for name in ("min_claim_overlap", "min_entity_overlap", "min_semantic", "low_signal_min_claim_overlap"):
            unit(name, getattr(self, name))
        if self.min_words < 0:
            raise ValueError(f"min_words must not be negative, got {self.min_words!r}")


@dataclass(frozen=True, slots=True)
class RankingPolicy:
    """Everything the ranker is set by. `RankingPolicy()` is the specification."""

    general: Weights = field(default_factory=Weights)
    therapeutic: Weights = THERAPEUTIC
    causal: Weights = CAUSAL
    mechanistic: Weights = MECHANISTIC
    score: ScorePolicy = field(default_factory=ScorePolicy)
    filters: FilterPolicy = field(default_factory=FilterPolicy)
    # Subject and object further apart than one long sentence are two statements.
    focus_window_words: int = 30

    def weights(self, kind: ClaimKind) -> Weights:
        """The weights in force for a kind of claim."""
        by_kind: dict[ClaimKind, Weights] = {
            "general": self.general,
            "therapeutic": self.therapeutic,
            "causal": self.causal,
            "mechanistic": self.mechanistic,
        }
        return by_kind[kind]
