"""Citations as a reader sees them: the sentence that decides, from the rows that the verdict rests on."""

from collections.abc import Sequence
from typing import NamedTuple

from agents.claims.job import ClaimJob
from agents.claims.package.model import Citation
from agents.language.rules.rationale import telling_sentence
from scoring import news
from scoring.adaptive_trust import AdaptiveTrust
from scoring.polarity import Relation
from scoring.values import StanceLabel

QUOTE_CHARACTERS = 300

STANCE_OF_RELATION: dict[Relation, StanceLabel] = {Relation.SUPPORTS: "supports", Relation.CONTRADICTS: "refutes"}


class _Side(NamedTuple):
    """What a passage says most strongly: which side it takes, of which part of the claim."""

    stance: StanceLabel
    part: str


def citations(validated: Sequence[news.Citation], job: ClaimJob, trust: AdaptiveTrust) -> tuple[Citation, ...]:
    """Every validated citation with a quote; what is not in the evidence was dropped before."""
    rows = {row.id: row for row in job.evidence}
    sides = _sides(trust)
    made = []
    for row in (rows[one.evidence_id] for one in validated):
        side = sides.get(row.id, _Side("neutral", job.claim))
        quote = (telling_sentence(side.part, row.text) or row.text)[:QUOTE_CHARACTERS]
        start = row.text.find(quote)
        made.append(
            Citation(
                evidence_id=row.id,
                url=row.url,
                title=row.title,
                domain=row.domain,
                quote=quote,
                quote_start=start if start >= 0 else None,
                stance=side.stance,
                published=row.published,
            )
        )
    return tuple(made)


def _sides(trust: AdaptiveTrust) -> dict[str, _Side]:
    """By evidence id; the strongest link of a passage speaks for it."""
    links = [(link, segment.text) for segment in trust.segments for link in segment.links]
    links.sort(key=lambda pair: pair[0].strength)
    return {link.evidence_id: _Side(STANCE_OF_RELATION.get(link.relation, "neutral"), part) for link, part in links}
