"""Citations as a reader sees them: the passage's own words, from the rows that the verdict rests on."""

from collections.abc import Sequence

from agents.claims.job import ClaimJob
from agents.claims.package import Citation
from scoring import news

QUOTE_CHARACTERS = 300


def citations(validated: Sequence[news.Citation], job: ClaimJob) -> tuple[Citation, ...]:
    """Every validated citation with a quote; what is not in the evidence was dropped before."""
    rows = {row.id: row for row in job.evidence}
    return tuple(
        Citation(
            evidence_id=row.id,
            url=row.url,
            title=row.title,
            domain=row.domain,
            quote=row.text[:QUOTE_CHARACTERS],
            stance=row.stance.label,
            published=row.published,
        )
        for row in (rows[one.evidence_id] for one in validated)
    )
