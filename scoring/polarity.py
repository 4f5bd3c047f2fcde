"""What one passage says of the claim, and which passages are one story: what every verdict formula reads first."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from scoring.checks import finite, unit
from scoring.values import Evidence, Stance


class Relation(StrEnum):
    """Supports and contradicts decide; qualifies leans without deciding; neutral says nothing either way."""

    SUPPORTS = "supports"
    CONTRADICTS = "contradicts"
    QUALIFIES = "qualifies"
    NEUTRAL = "neutral"


DECISIVE = (Relation.SUPPORTS, Relation.CONTRADICTS)


@dataclass(frozen=True, slots=True)
class PolarityPolicy:
    """When a stance decides."""

    # More likely than everything else together. Below it, a passage that leans one way only qualifies the claim:
    # no specification gives a number, and a passage that is probably something else must not count as a vote.
    decisive_stance: float = 0.5
    # How much of P(neutral) a side must exceed. Below 1 a passage that leans clearly one way takes that side although
    # saying nothing is likelier still: right where passages are short and each says a part of the whole.
    neutral_share: float = 1.0
    # How common refuting passages are among those that a search finds, in units of how common they were among the
    # pairs that the stance model was calibrated on. Most passages found are about the same matter and say
    # another thing, so below 1 they must refute clearly to be heard as refuting.
    refuting_prior: float = 1.0

    def __post_init__(self) -> None:
        unit("decisive_stance", self.decisive_stance)
        unit("neutral_share", self.neutral_share)
        if not unit("refuting_prior", self.refuting_prior) > 0.0:
            raise ValueError("refuting_prior must be above 0: nothing could be refuted")


DEFAULT = PolarityPolicy()


def heard(stance: Stance, policy: PolarityPolicy = DEFAULT) -> Stance:
    """The stance among retrieved passages: Bayes' rule with the prior that refuting ones have there."""
    if policy.refuting_prior == 1.0:
        return stance
    refutes = stance.refutes * policy.refuting_prior
    whole = stance.supports + refutes + stance.neutral
    if whole <= 0.0:
        return stance
    return Stance(supports=stance.supports / whole, refutes=refutes / whole, neutral=stance.neutral / whole)


def relation(stance: Stance, policy: PolarityPolicy = DEFAULT) -> Relation:
    """Supports or contradicts only when that side alone is decisive; otherwise qualifies or neutral."""
    supports, refutes, neutral = stance.supports, stance.refutes, stance.neutral
    if not (0.0 <= supports <= 1.0 and 0.0 <= refutes <= 1.0 and 0.0 <= neutral <= 1.0):
        for name in ("supports", "refutes", "neutral"):
            unit(name, getattr(stance, name))
    told = heard(stance, policy)
    supports, refutes, neutral = told.supports, told.refutes, told.neutral
    silent = policy.neutral_share * neutral
    if supports >= policy.decisive_stance and supports > max(refutes, silent):
        return Relation.SUPPORTS
    if refutes >= policy.decisive_stance and refutes > max(supports, silent):
        return Relation.CONTRADICTS
    return Relation.QUALIFIES if supports + refutes > neutral else Relation.NEUTRAL


def probability(stance: Stance, of: Relation, policy: PolarityPolicy = DEFAULT) -> float:
    """How sure the stance is of the relation that was read from it."""
    stance = heard(stance, policy)
    if of is Relation.SUPPORTS:
        return stance.supports
    if of is Relation.CONTRADICTS:
        return stance.refutes
    return max(stance.supports, stance.refutes) if of is Relation.QUALIFIES else stance.neutral


def story(evidence: Evidence) -> str:
    """One id for a passage and all its copies on other sites."""
    return evidence.same_as or evidence.id


def admissible(evidence: Iterable[Evidence]) -> list[Evidence]:
    """What the gatekeeper let through: nothing else counts for trust or verdict."""
    return [item for item in evidence if item.admissible]


def one_per_story(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The passage of each story that the others copy; if it is not there, the most relevant (ties: the first id).

    The original speaks even where a copy scores higher: else two passages of one story could speak from two sites.
    """
    best: dict[str, Evidence] = {}
    for item in sorted(evidence, key=lambda e: (bool(e.same_as), -finite("relevance", e.relevance), e.id)):
        best.setdefault(story(item), item)
    return list(best.values())
