"""The frozen values that the formulas share: stances, verdict words, candidates and judged evidence."""

from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from typing import Literal

from scoring.derivation import Derivation

StanceLabel = Literal["supports", "refutes", "neutral"]
Origin = Literal["vector", "kg", "web"]


class Verdict(StrEnum):
    """The four verdicts of 000."""

    TRUE = "TRUE"
    FALSE = "FALSE"
    PARTIALLY_TRUE = "PARTIALLY_TRUE"
    UNVERIFIABLE = "UNVERIFIABLE"


class Label(StrEnum):
    """The four labels of 004: another view of the same verdict."""

    SUPPORTED = "Supported"
    REFUTED = "Refuted"
    MIXED = "Mixed/Disputed"
    NOT_ENOUGH = "Not Enough Evidence"


class SegmentStatus(StrEnum):
    """What the evidence says of one subclaim (000 §6.1)."""

    STRONGLY_VALID = "STRONGLY_VALID"
    VALID = "VALID"
    PARTIALLY_VALID = "PARTIALLY_VALID"
    UNKNOWN = "UNKNOWN"
    PARTIALLY_INVALID = "PARTIALLY_INVALID"
    INVALID = "INVALID"


@dataclass(frozen=True, slots=True)
class Stance:
    """P(supports), P(refutes), P(neutral) of one passage towards the claim."""

    supports: float
    refutes: float
    neutral: float

    @property
    def label(self) -> StanceLabel:
        """The likeliest of the three; a tie with neutral is neutral, a tie between the poles too."""
        if self.supports > max(self.refutes, self.neutral):
            return "supports"
        if self.refutes > max(self.supports, self.neutral):
            return "refutes"
        return "neutral"


NEUTRAL = Stance(supports=0.0, refutes=0.0, neutral=1.0)


@dataclass(frozen=True, slots=True)
class Triple:
    """A relation in the knowledge graph."""

    subject: str
    relation: str
    object: str


@dataclass(frozen=True, slots=True)
class Candidate:
    """What retrieval found, before ranking: `semantic` is the calibrated similarity, `kg` the graph's score."""

    id: str
    text: str
    origin: Origin
    title: str = ""
    url: str = ""
    domain: str = ""
    semantic_raw: float = 0.0
    semantic: float = 0.0
    kg: float = 0.0
    credibility: float = 0.5
    published: date | None = None
    backfill: bool = False
    triple: Triple | None = None


@dataclass(frozen=True, slots=True)
class Ranked:
    """A candidate with its score as a derivation, and what the gatekeeper decided about it."""

    candidate: Candidate
    score: Derivation
    claim_overlap: float
    entity_overlap: float
    anchor_match_score: float
    sem_norm: float
    kg_norm: float
    admissible_for_trust: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A ranked passage with its stance: what trust, truthfulness, confidence and reconciliation read."""

    id: str
    text: str
    origin: Origin
    relevance: float
    stance: Stance
    url: str = ""
    domain: str = ""
    semantic: float = 0.0
    kg: float = 0.0
    credibility: float = 0.5
    recency: float = 0.5
    claim_overlap: float = 0.0
    anchor_match_score: float = 0.0
    admissible: bool = True
    published: date | None = None
    same_as: str = ""
    """Id of the passage that this one copies (a wire story on another site); such copies count once."""
