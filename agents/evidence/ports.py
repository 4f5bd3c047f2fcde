"""What the stages ask of the outside world: search it, and fetch a page of it. Values are frozen.

A search never fails: an outcome says who was asked and whether anybody answered. Fetching raises the errors of
`agents.errors`: Transient when trying again may help, DependencyDown when the service behind the port is gone, and
`PageUnavailable` when this one page will not come (a stage skips it).
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from agents.errors import Permanent

UnavailableReason = Literal[
    "bad_url", "scheme", "port", "credentials", "address_form", "reserved_name", "forbidden_address", "dns",
    "connect", "tls", "robots", "politeness", "queue", "redirect_loop", "too_many_redirects", "bad_redirect", "refused",
    "not_found", "busy", "bad_status", "content_type", "encoding", "headers_too_large", "too_large", "bomb",
    "first_byte_timeout", "idle_timeout", "total_timeout", "slow_drip", "protocol",
]  # fmt: skip
"""Why a page did not come: closed words, for counts and metrics."""


class PageUnavailable(Permanent):
    """One page that will not come. `reason` is the closed word for metrics, the message says it to people."""

    def __init__(self, reason: UnavailableReason, url: str, message: str) -> None:
        super().__init__(f"{url}: {message}")
        self.reason = reason
        self.url = url


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit of a search: where it is and what the engine says about it. Higher scores are better."""

    title: str
    url: str
    snippet: str
    published: date | None
    score: float


SearchFailure = Literal[
    "timeout", "rate_limited", "unauthorized", "unavailable", "bad_answer", "refused", "circuit_open"
]
"""Why a provider did not answer."""
AttemptOutcome = Literal["results", "empty"] | SearchFailure


@dataclass(frozen=True, slots=True)
class SearchAttempt:
    """What asking one provider came to. `cost` in US dollars; failed requests cost nothing."""

    provider: str
    outcome: AttemptOutcome
    detail: str = ""
    cost: float = 0.0


@dataclass(frozen=True, slots=True)
class SearchOutcome:
    """What a search came to. No results is an answer too; nobody answering is a reason for the loop to stop."""

    results: tuple[SearchResult, ...] = ()
    attempts: tuple[SearchAttempt, ...] = ()
    """The providers in the order in which they were asked."""
    dropped: int = 0
    """Results that were published after the as-of date."""

    @property
    def cost(self) -> float:
        """US dollars, of all attempts together."""
        return sum(attempt.cost for attempt in self.attempts)

    @property
    def answered(self) -> bool:
        """Whether any provider did."""
        return any(attempt.outcome in {"results", "empty"} for attempt in self.attempts)

    @property
    def provider(self) -> str:
        """Who the results come from; empty when there are none."""
        return self.attempts[-1].provider if self.results and self.attempts else ""

    @property
    def message(self) -> str:
        """What became of each attempt, for people."""
        told = "; ".join(f"{attempt.provider}: {attempt.detail or attempt.outcome}" for attempt in self.attempts)
        return told or "no search provider is configured"


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The bytes of one page as they came. `url` was asked for; `final_url` is where redirects ended."""

    url: str
    final_url: str
    content_type: str
    charset: str | None
    body: bytes
    cost: float = 0.0
    """US dollars, where a service was paid for it."""

    @property
    def html(self) -> str | bytes:
        """The text if the server named a charset that fits, else the bytes, whose encoding extraction detects."""
        try:
            return self.body.decode(self.charset) if self.charset else self.body
        except (LookupError, UnicodeDecodeError):
            return self.body


class WebSearch(Protocol):
    """Search engines, asked in turn until one has something."""

    async def search(self, query: str, limit: int, as_of: date | None = None) -> SearchOutcome:
        """At most `limit` results, best first, none of them known to be published after `as_of`."""
        ...


class PageFetcher(Protocol):
    """Fetches one page, within the limits of its policy."""

    async def fetch(self, url: str) -> FetchedPage:
        """The page, or one of the errors named above."""
        ...
