"""The rows of evidence that travel with a job: what retrieval found, and what ranking and trust made of it."""

from datetime import date, datetime
from typing import Annotated

from pydantic import Field

from agents.claims.wire import Wire
from scoring.derivation import Derivation
from scoring.values import NEUTRAL, Candidate, Evidence, Origin, Stance, Triple

ROW_LIMIT = 40  # state travels in the event, so it is bounded (architecture)
TEXT_LIMIT = 1200


class CandidateRow(Wire):
    """A passage or a graph relation as retrieval found it, with the reasons it was found."""

    id: str
    text: Annotated[str, Field(max_length=TEXT_LIMIT)]
    origin: Origin
    title: str = ""
    url: str = ""
    domain: str = ""
    collection: str = ""
    semantic_raw: float = 0.0
    semantic: float = 0.0
    kg: float = 0.0
    credibility: float = 0.5
    published: date | None = None
    fetched: datetime | None = None
    content_hash: str = ""
    extraction: str = ""
    language: str = ""
    """Empty for English and where it is not known."""
    backfill: bool = False
    same_as: str = ""
    """The row that this one copies: the same story on another site. Such rows count once."""
    triple: Triple | None = None
    passage_id: str = ""
    """Of a relation from the graph: the passage that states it, whose sentence `text` is."""
    found_by: tuple[str, ...] = ()

    def candidate(self) -> Candidate:
        """The value that the ranking formulas read."""
        return Candidate(
            id=self.id,
            text=self.text,
            origin=self.origin,
            title=self.title,
            url=self.url,
            domain=self.domain,
            semantic_raw=self.semantic_raw,
            semantic=self.semantic,
            kg=self.kg,
            credibility=self.credibility,
            published=self.published,
            backfill=self.backfill,
            triple=self.triple,
        )


class EvidenceRow(CandidateRow):
    """A candidate with its score as a derivation, its standing with the gatekeeper, and its stance."""

    score: Derivation
    claim_overlap: float
    entity_overlap: float
    anchor_match_score: float
    admissible: bool = True
    notes: tuple[str, ...] = ()
    recency: float = 0.5
    stance: Stance = NEUTRAL

    def evidence(self) -> Evidence:
        """The value that the trust and verdict formulas read."""
        return Evidence(
            id=self.id,
            text=self.text,
            origin=self.origin,
            relevance=self.score.value,
            stance=self.stance,
            url=self.url,
            domain=self.domain,
            semantic=self.semantic,
            kg=self.kg,
            credibility=self.credibility,
            recency=self.recency,
            claim_overlap=self.claim_overlap,
            anchor_match_score=self.anchor_match_score,
            admissible=self.admissible,
            published=self.published,
            same_as=self.same_as,
        )
