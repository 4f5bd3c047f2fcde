"""ClaimReview: what newsrooms publish."""

import json
from pathlib import Path

import pytest

from agents.claims.package import VerdictPackage
from agents.claims.package.claimreview import Publisher, claim_review
from scoring.values import Label, Verdict

GOLDEN = Path(__file__).parents[2] / "data" / "golden" / "verdict_package.v1.json"


@pytest.fixture
def package() -> VerdictPackage:
    return VerdictPackage.model_validate_json(GOLDEN.read_bytes())


def test_it_states_claim_rating_author_and_sources(package: VerdictPackage) -> None:
    review = claim_review(package, Publisher("The Gazette", "https://gazette.example/checks/"))
    assert review["@type"] == "ClaimReview"
    assert review["claimReviewed"] == package.claim
    assert review["reviewRating"]["ratingValue"] == 5
    assert review["author"] == {
        "@type": "Organization",
        "name": "The Gazette",
        "url": "https://gazette.example/checks/",
    }
    assert review["url"] == f"https://gazette.example/checks/{package.job_id}"
    assert [source["url"] for source in review["citation"]] == [citation.url for citation in package.citations]
    assert json.loads(json.dumps(review)) == review


@pytest.mark.parametrize(
    ("verdict", "label", "value"),
    [(Verdict.FALSE, Label.REFUTED, 1), (Verdict.PARTIALLY_TRUE, Label.MIXED, 3), (Verdict.TRUE, Label.SUPPORTED, 5)],
)
def test_a_verdict_has_a_number_on_the_scale(
    package: VerdictPackage, verdict: Verdict, label: Label, value: int
) -> None:
    rating = claim_review(package.model_copy(update={"verdict": verdict, "label": label}), Publisher())["reviewRating"]
    assert (rating["ratingValue"], rating["alternateName"]) == (value, label.value)


def test_an_abstention_has_words_but_no_number(package: VerdictPackage) -> None:
    abstained = package.model_copy(update={"verdict": Verdict.UNVERIFIABLE, "label": Label.NOT_ENOUGH})
    rating = claim_review(abstained, Publisher())["reviewRating"]
    assert rating == {"@type": "Rating", "alternateName": "Not Enough Evidence"}


def test_a_source_that_is_no_address_is_not_published_as_one(package: VerdictPackage) -> None:
    told = package.model_copy(update={"source": "overheard"})
    assert "appearance" not in claim_review(told, Publisher())["itemReviewed"]
