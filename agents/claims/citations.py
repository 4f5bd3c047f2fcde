"""Citations as a reader sees them: the sentence that decides, from the rows that the verdict rests on."""

from collections.abc import Sequence

from agents.claims.job import ClaimJob
from agents.claims.package import Citation
from agents.language.rules.rationale import telling_sentence
from scoring import news
from scoring.adaptive_trust import AdaptiveTrust
from scoring.polarity import Relation
from scoring.values import StanceLabel

QUOTE_CHARACTERS = 300

STANCE_OF_RELATION: dict[Relation, StanceLabel] = {Relation.SUPPORTS: "supports", Relation.CONTRADICTS: "refutes"}


def citations(validated: Sequence[news.Citation], job: ClaimJob, trust: AdaptiveTrust) -> tuple[Citation, ...]:
    """Every validated citation with a quote; what is not in the evidence was dropped before."""
    rows = {row.id: row for row in job.evidence}
    sides = _sides(trust)
    return tuple(
        Citation(
            evidence_id=row.id,
            url=row.url,
            title=row.title,
            domain=row.domain,
            quote=(telling_sentence(job.claim, row.text) or row.text)[:QUOTE_CHARACTERS],
            stance=sides.get(row.id, "neutral"),
            published=row.published,
        )
        for row in (rows[one.evidence_id] for one in validated)
    )


def _sides(trust: AdaptiveTrust) -> dict[str, StanceLabel]:
    """The side that each passage takes most strongly, over all parts of the claim."""
    links = sorted((link for segment in trust.segments for link in segment.links), key=lambda link: link.strength)
    return {link.evidence_id: STANCE_OF_RELATION.get(link.relation, "neutral") for link in links}
