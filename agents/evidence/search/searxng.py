"""SearXNG: one's own metasearch, asked for JSON (`search.formats` in its settings must list json)."""

from datetime import date

import httpx
from pydantic import BaseModel

from agents.evidence.ports import SearchResult
from agents.evidence.search.wire import Now, Params, checked_query, date_of, get_json, items_of, utc_now


class _Entry(BaseModel):
    url: str
    title: str = ""
    content: str | None = ""
    score: float | None = None
    publishedDate: str | None = None  # noqa: N815 - SearXNG's name


class SearxngSearch:
    """`Provider` on a SearXNG server."""

    name = "searxng"

    def __init__(
        self,
        client: httpx.AsyncClient,
        base_url: str,
        *,
        timeout_s: float = 8.0,
        language: str = "en",
        now: Now = utc_now,
    ) -> None:
        self._client = client
        self._url = f"{base_url.rstrip('/')}/search"
        self._timeout_s = timeout_s
        self._language = language
        self._now = now

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        """Its first page. It can only narrow to the last day or year: with `as_of` the whole page comes back."""
        params: Params = {
            "q": checked_query(query, limit),
            "format": "json",
            "language": self._language,
            "safesearch": 0,
        }
        answer = await get_json(self._client, self._url, params, timeout_s=self._timeout_s, now=self._now)
        entries = items_of(answer, "results", _Entry)
        return [
            SearchResult(entry.title, entry.url, entry.content or "", date_of(entry.publishedDate), entry.score or 0.0)
            for entry in entries[: limit if as_of is None else None]
        ]
