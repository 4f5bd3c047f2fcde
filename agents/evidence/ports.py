"""What the stages ask of the outside world: search it, and fetch a page of it. Values are frozen.

Both ports raise the errors of `agents.errors`: Transient when trying again may help, DependencyDown when the
service behind the port is gone, and `PageUnavailable` when this one page will not come (a stage skips it).
"""

from dataclasses import dataclass
from datetime import date
from typing import Literal, Protocol

from agents.errors import Permanent

UnavailableReason = Literal["refused", "not_found", "bad_status", "content_type", "too_large", "too_many_redirects"]


class PageUnavailable(Permanent):
    """One page that will not come. `reason` is the closed word for metrics, the message says it to people."""

    def __init__(self, reason: UnavailableReason, url: str, message: str) -> None:
        super().__init__(f"{url}: {message}")
        self.reason = reason
        self.url = url


class NobodyAnswered(Permanent):
    """Every search engine failed: a reason for the loop to stop, not a fault of the claim."""

    reason = "no_provider"


@dataclass(frozen=True, slots=True)
class SearchResult:
    """One hit of a search: where it is and what the engine says about it. Higher scores are better."""

    title: str
    url: str
    snippet: str
    published: date | None
    score: float


@dataclass(frozen=True, slots=True)
class FetchedPage:
    """The bytes of one page as they came. `url` was asked for; `final_url` is where redirects ended."""

    url: str
    final_url: str
    content_type: str
    charset: str | None
    body: bytes

    @property
    def html(self) -> str | bytes:
        """The text if the server named a charset that fits, else the bytes, whose encoding extraction detects."""
        try:
            return self.body.decode(self.charset) if self.charset else self.body
        except (LookupError, UnicodeDecodeError):
            return self.body


class WebSearch(Protocol):
    """A search engine."""

    async def search(self, query: str, limit: int) -> list[SearchResult]:
        """At most `limit` results, best first."""
        ...


class PageFetcher(Protocol):
    """Fetches one page, within the limits of its policy."""

    async def fetch(self, url: str) -> FetchedPage:
        """The page, or one of the errors named above."""
        ...
