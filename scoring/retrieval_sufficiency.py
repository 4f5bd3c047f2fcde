"""Whether a claim of an article has been searched enough: S against S_min, and no other rule (002)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scoring.checks import clamp, finite, unit
from scoring.derivation import Derivation, Recorder
from scoring.inputs import Inputs, constants, number, policy_from
from scoring.polarity import Relation, admissible, relation, story
from scoring.text import content_stems, quantities
from scoring.values import Evidence


@dataclass(frozen=True, slots=True)
class SufficiencyPolicy:
    """002 fixes the formula and leaves its numbers open. With these:

    - two independent sources that clearly support (0.5 + 2 * 0.5 * 0.8 = 1.3) are enough;
    - one source, however clear (0.25 + 0.5 = 0.75), is not: nothing corroborates it;
    - conflict weighs what support weighs, so a claim whose sources disagree is searched again;
    - a constraint that no source mentions (a date, a figure, a place) costs what a second cluster brings.
    """

    w1: float = 0.25
    w2: float = 0.5
    w3: float = 0.5
    w4: float = 0.25
    s_min: float = 1.0

    def __post_init__(self) -> None:
        for name in ("w1", "w2", "w3", "w4"):
            if finite(name, getattr(self, name)) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")
        if finite("s_min", self.s_min) <= 0:
            raise ValueError(f"s_min must be positive, got {self.s_min!r}")


DEFAULT = SufficiencyPolicy()


@dataclass(frozen=True, slots=True)
class RetrievalSignals:
    """What retrieval found for one claim.

    A cluster is one independent origin: copies of a wire story count once. Masses add up relevance times stance
    probability; a missing constraint is something the claim states and no passage mentions.
    """

    ce_cluster_count: int
    se_support_mass: float
    conflict_mass: float
    missing_constraints: int

    def __post_init__(self) -> None:
        for name in ("ce_cluster_count", "se_support_mass", "conflict_mass", "missing_constraints"):
            if finite(name, getattr(self, name)) < 0:
                raise ValueError(f"{name} must not be negative, got {getattr(self, name)!r}")


@dataclass(frozen=True, slots=True)
class RetrievalSufficiency:
    """S with its derivation, whether the next stage must search again, and S as a share of what is needed."""

    s: Derivation
    escalate: bool
    share: float


def compute_sufficiency(signals: RetrievalSignals, policy: SufficiencyPolicy = DEFAULT) -> RetrievalSufficiency:
    """S = w1 * CE_cluster_count + w2 * SE_support_mass - w3 * conflict_mass - w4 * missing_constraints."""
    s = recompute_sufficiency(
        {
            "CE_cluster_count": signals.ce_cluster_count,
            "SE_support_mass": signals.se_support_mass,
            "conflict_mass": signals.conflict_mass,
            "missing_constraints": signals.missing_constraints,
            "policy": constants(policy),
        }
    )
    return RetrievalSufficiency(s=s, escalate=s.value < policy.s_min, share=clamp(s.value / policy.s_min))


def recompute_sufficiency(inputs: Inputs) -> Derivation:
    """S from its inputs alone."""
    policy = policy_from(SufficiencyPolicy, inputs)
    record = Recorder(**inputs)
    record.set("CE_cluster_count", policy.w1 * number(inputs, "CE_cluster_count"))
    record.add("SE_support_mass", policy.w2 * number(inputs, "SE_support_mass"))
    record.subtract("conflict_mass", policy.w3 * number(inputs, "conflict_mass"))
    record.subtract("missing_constraints", policy.w4 * number(inputs, "missing_constraints"))
    return record.derivation()


def retrieval_signals(evidence: Iterable[Evidence], missing: int) -> RetrievalSignals:
    """The signals of one claim from its judged passages: a cluster counts by its most telling passage, once."""
    support: dict[str, float] = {}
    conflict: dict[str, float] = {}
    corroborating: set[str] = set()
    for item in admissible(evidence):
        cluster, relevance = story(item), unit(f"relevance of {item.id}", item.relevance)
        if relation(item.stance) is Relation.SUPPORTS:
            corroborating.add(cluster)
        support[cluster] = max(support.get(cluster, 0.0), relevance * item.stance.supports)
        conflict[cluster] = max(conflict.get(cluster, 0.0), relevance * item.stance.refutes)
    return RetrievalSignals(
        ce_cluster_count=len(corroborating),
        se_support_mass=sum(support.values()),
        conflict_mass=sum(conflict.values()),
        missing_constraints=missing,
    )


def count_missing_constraints(constraints: Sequence[str], texts: Iterable[str]) -> int:
    """How many of the claim's constraints no single passage mentions in full, by stems and by numbers."""
    read = [(content_stems(text), {quantity.value for quantity in quantities(text)}) for text in texts]
    missing = 0
    for constraint in constraints:
        stems, numbers = content_stems(constraint), {quantity.value for quantity in quantities(constraint)}
        if not any(numbers <= seen_numbers and stems <= seen_stems for seen_stems, seen_numbers in read):
            missing += 1
    return missing
