"""Google Fact Check Tools: what fact-checkers have published as ClaimReview, with rating and publisher."""

from datetime import date

import httpx
from pydantic import BaseModel, Field

from agents.evidence.ports import SearchResult
from agents.evidence.search.values import ClaimReview, ReviewedResult
from agents.evidence.search.wire import Now, Params, checked_query, date_of, get_json, items_of, utc_now

MOST = 50
"""Claims asked for at once, at most."""


class _Publisher(BaseModel):
    name: str = ""
    site: str = ""


class _Review(BaseModel):
    url: str
    publisher: _Publisher = Field(default_factory=_Publisher)
    title: str = ""
    review_date: str | None = Field(default=None, alias="reviewDate")
    rating: str = Field(default="", alias="textualRating")


class _Claim(BaseModel):
    text: str
    claimant: str = ""
    reviews: list[_Review] = Field(default_factory=list, alias="claimReview")


class FactCheckSearch:
    """`Provider` of published fact-checks. Its results are `ReviewedResult`s."""

    name = "factcheck"

    def __init__(
        self,
        client: httpx.AsyncClient,
        api_key: str,
        base_url: str = "https://factchecktools.googleapis.com",
        *,
        timeout_s: float = 8.0,
        language: str = "en",
        now: Now = utc_now,
    ) -> None:
        self._client = client
        # In a header and not in the address, which ends up in logs.
        self._headers = {"X-Goog-Api-Key": api_key}
        self._url = f"{base_url.rstrip('/')}/v1alpha1/claims:search"
        self._timeout_s = timeout_s
        self._language = language
        self._now = now

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        """One result per review, in the order of the claims. Nothing found is an object without a list.

        The API narrows by age from today only, so with `as_of` as much is asked for as it gives, and all is returned.
        """
        asked = checked_query(query, limit)
        params: Params = {
            "query": asked,
            "languageCode": self._language,
            "pageSize": min(limit, MOST) if as_of is None else MOST,
        }
        answer = await get_json(
            self._client, self._url, params, headers=self._headers, timeout_s=self._timeout_s, now=self._now
        )
        claims = items_of(answer, "claims", _Claim, required=False)
        pairs = [(claim, review) for claim in claims for review in claim.reviews]
        wanted = pairs[: limit if as_of is None else None]
        return [_result(claim, review, 1.0 / (rank + 1)) for rank, (claim, review) in enumerate(wanted)]


def _result(claim: _Claim, found: _Review, score: float) -> ReviewedResult:
    publisher = found.publisher.name or found.publisher.site
    said = f"{claim.claimant}: " if claim.claimant else ""
    review = ClaimReview(claim.text, claim.claimant, found.rating, publisher, found.publisher.site)
    return ReviewedResult(
        title=found.title or claim.text,
        url=found.url,
        snippet=f"{said}{claim.text} Rated by {publisher}: {found.rating}",
        published=date_of(found.review_date),
        score=score,
        review=review,
    )
