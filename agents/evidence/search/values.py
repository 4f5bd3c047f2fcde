"""What a search brings: results, published fact-checks among them, or the reason why there is none."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from agents.evidence.ports import SearchResult

FailureReason = Literal[
    "timeout", "rate_limited", "unauthorized", "unavailable", "bad_answer", "refused", "circuit_open"
]
AttemptOutcome = Literal["results", "empty"] | FailureReason


class SearchFailed(Exception):  # noqa: N818 - reads as what happened
    """One provider did not answer. `retry_after` is how many seconds it asked to be left alone, if it did."""

    def __init__(self, reason: FailureReason, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.reason: FailureReason = reason
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
        """Best first, at most `limit`, or SearchFailed. `as_of` narrows where the engine can; the chain checks."""
        ...


@dataclass(frozen=True, slots=True)
class Attempt:
    """What one provider of the chain did. `cost` in US dollars; failed requests cost nothing."""

    provider: str
    outcome: AttemptOutcome
    detail: str = ""
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class Found:
    """An answered search; no results is an answer too. `dropped` counts those later than the as-of date."""

    results: Sequence[SearchResult]
    provider: str
    attempts: tuple[Attempt, ...]
    dropped: int = 0

    @property
    def cost(self) -> float:
        """Of all attempts together."""
        return sum(attempt.cost for attempt in self.attempts)


@dataclass(frozen=True, slots=True)
class NoProvider:
    """Nobody answered: a reason for the loop to stop, not an error."""

    attempts: tuple[Attempt, ...]
    reason: Literal["no_provider"] = "no_provider"
    cost: float = 0.0

    @property
    def message(self) -> str:
        """For people."""
        told = "; ".join(f"{attempt.provider}: {attempt.detail or attempt.outcome}" for attempt in self.attempts)
        return f"no search provider answered ({told or 'none is configured'})"
