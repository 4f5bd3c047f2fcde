"""Tavily, through its own client: search, and extraction of pages that we could not fetch ourselves."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal

import httpx
from pydantic import BaseModel
from tavily import AsyncTavilyClient
from tavily.errors import BadRequestError, ForbiddenError, InvalidAPIKeyError, UsageLimitExceededError
from tavily.errors import TimeoutError as TavilyTimeoutError

from agents.evidence.ports import SearchFailure, SearchResult
from agents.evidence.search.values import SearchFailed
from agents.evidence.search.wire import Now, check_status, checked_query, date_of, items_of, utc_now

# What the API takes in one call.
MAX_RESULTS = 20
MAX_EXTRACTED = 20

_REASONS: dict[type[Exception], SearchFailure] = {
    UsageLimitExceededError: "rate_limited",
    ForbiddenError: "unauthorized",
    InvalidAPIKeyError: "unauthorized",
    BadRequestError: "refused",
    TavilyTimeoutError: "timeout",
    httpx.TimeoutException: "timeout",
    httpx.HTTPError: "unavailable",
    TimeoutError: "timeout",
    # What the client lets through when an answer is not JSON, or JSON of another shape.
    ValueError: "bad_answer",
    AttributeError: "bad_answer",
    TypeError: "bad_answer",
}


class _Entry(BaseModel):
    url: str
    title: str | None = ""
    content: str | None = ""
    score: float = 0.0
    published_date: str | None = None


class _Extracted(BaseModel):
    url: str
    raw_content: str


@dataclass(frozen=True, slots=True)
class ExtractedText:
    """The text of one page as Tavily read it."""

    url: str
    text: str


class TavilySearch:
    """`Provider` on Tavily. Close it at the end."""

    name = "tavily"

    def __init__(
        self,
        api_key: str,
        base_url: str = "https://api.tavily.com",
        *,
        timeout_s: float = 15.0,
        depth: Literal["basic", "advanced"] = "basic",
        now: Now = utc_now,
    ) -> None:
        if not api_key.strip():
            raise ValueError("Tavily needs a key: set TAVILY_API_KEY, or leave tavily out of the search providers")

        async def look_at_limits(response: httpx.Response) -> None:
            # Before the client reads the answer: it would forget how long we are asked to wait.
            if response.status_code in {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE}:
                check_status(response, now())

        self._http = httpx.AsyncClient(
            base_url=base_url,
            trust_env=False,
            headers={"Authorization": f"Bearer {api_key}", "Content-Type": "application/json"},
            event_hooks={"response": [look_at_limits]},
        )
        self._client = AsyncTavilyClient(api_key=api_key, client=self._http)
        self._timeout_s = timeout_s
        self._depth = depth

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        """Results with the engine's own scores."""
        asked = checked_query(query, limit)
        async with self._translated():
            answer = await self._client.search(
                asked,
                search_depth=self._depth,
                max_results=min(limit, MAX_RESULTS),
                end_date=as_of.isoformat() if as_of else None,
                timeout=self._timeout_s,
            )
        entries = items_of(_object(answer), "results", _Entry)
        return [
            SearchResult(entry.title or "", entry.url, entry.content or "", date_of(entry.published_date), entry.score)
            for entry in entries[:limit]
        ]

    async def extract(self, urls: Sequence[str]) -> list[ExtractedText]:
        """The texts of those pages that Tavily could read; the others are left out."""
        if not 1 <= len(urls) <= MAX_EXTRACTED:
            raise ValueError(f"between 1 and {MAX_EXTRACTED} addresses can be extracted at once, got {len(urls)}")
        async with self._translated():
            answer = await self._client.extract(list(urls), format="text", timeout=self._timeout_s)
        return [
            ExtractedText(entry.url, entry.raw_content) for entry in items_of(_object(answer), "results", _Extracted)
        ]

    async def aclose(self) -> None:
        """Hang up."""
        await self._http.aclose()

    @asynccontextmanager
    async def _translated(self) -> AsyncIterator[None]:
        """The client's many exceptions as SearchFailed, within the timeout whatever the client makes of it."""
        try:
            async with asyncio.timeout(self._timeout_s):
                yield
        except tuple(_REASONS) as error:
            reason = next(word for kind, word in _REASONS.items() if isinstance(error, kind))
            raise SearchFailed(reason, f"{type(error).__name__}: {error}"[:300]) from error


def _object(answer: Any) -> dict[str, Any]:
    if not isinstance(answer, dict):
        raise SearchFailed("bad_answer", "the answer is not a JSON object")
    return answer
