"""What one provider brings: results, published fact-checks among them, or the reason why there is none."""

from dataclasses import dataclass
from datetime import date
from typing import Protocol

from agents.evidence.ports import SearchFailure, SearchResult


class SearchFailed(Exception):  # noqa: N818 - reads as what happened
    """One provider did not answer. `retry_after` is how many seconds it asked to be left alone, if it did."""

    def __init__(self, reason: SearchFailure, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.reason: SearchFailure = reason
        self.retry_after = retry_after


@dataclass(frozen=True, slots=True)
class ClaimReview:
    """A published fact-check: who rated whose claim how."""

    claim: str
    claimant: str
    rating: str
    publisher: str
    publisher_site: str


@dataclass(frozen=True, slots=True)
class ReviewedResult(SearchResult):
    """A result that is a fact-check."""

    review: ClaimReview


class Provider(Protocol):
    """A search engine as the chain asks it. `name` is the word of the settings."""

    @property
    def name(self) -> str:
        """For metrics, records and settings."""
        ...

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        """Best first, or SearchFailed. `as_of` narrows where the engine can; where it cannot, more than `limit` may
        come, because the chain drops what is too late before it cuts.
        """
        ...
