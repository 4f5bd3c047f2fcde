"""A verdict as ClaimReview (schema.org JSON-LD): what newsrooms publish and search engines read."""

from dataclasses import dataclass
from typing import Any

from agents.claims.package.model import VerdictPackage
from scoring.values import Verdict

# Google's scale for fact checks: 1 is false, 5 is true. An abstention has words but no number.
RATING = {Verdict.FALSE: 1, Verdict.PARTIALLY_TRUE: 3, Verdict.TRUE: 5}


@dataclass(frozen=True, slots=True)
class Publisher:
    """Who publishes the review; `url` is the site it appears on."""

    name: str = "Veristream"
    url: str = ""


def claim_review(package: VerdictPackage, publisher: Publisher) -> dict[str, Any]:
    """The JSON-LD document of one package."""
    review: dict[str, Any] = {
        "@context": "https://schema.org",
        "@type": "ClaimReview",
        "identifier": package.job_id,
        "datePublished": package.decided_at.date().isoformat(),
        "claimReviewed": package.claim,
        "reviewBody": package.rationale,
        "author": _without_blanks({"@type": "Organization", "name": publisher.name, "url": publisher.url}),
        "reviewRating": _rating(package),
        "itemReviewed": _claim(package),
        "citation": [
            _without_blanks(
                {
                    "@type": "CreativeWork",
                    "name": citation.title,
                    "url": citation.url,
                    "datePublished": citation.published.isoformat() if citation.published else "",
                }
            )
            for citation in package.citations
        ],
    }
    if publisher.url:
        review["url"] = f"{publisher.url.rstrip('/')}/{package.job_id}"
    return review


def _rating(package: VerdictPackage) -> dict[str, Any]:
    rating: dict[str, Any] = {"@type": "Rating", "alternateName": package.label.value}
    if package.verdict in RATING:
        rating |= {"ratingValue": RATING[package.verdict], "worstRating": 1, "bestRating": 5}
    return rating


def _claim(package: VerdictPackage) -> dict[str, Any]:
    claim: dict[str, Any] = {"@type": "Claim", "text": package.claim}
    if package.source and package.source.startswith(("http://", "https://")):
        claim["appearance"] = {"@type": "CreativeWork", "url": package.source}
    return claim


def _without_blanks(document: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value}
