"""Wikipedia's own search (MediaWiki's action API)."""

import html
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any
from urllib.parse import quote

import httpx
from pydantic import BaseModel, Field

from agents.evidence.ports import SearchResult
from agents.evidence.search.values import SearchFailed
from agents.evidence.search.wire import Now, Params, checked_query, date_of, get_json, items_of, utc_now

_MARKUP = re.compile(r"<[^>]*>")
OLD_VERSIONS = 5
"""Articles whose version of a day is looked up, one request each: as many as a loop reads."""


class _Entry(BaseModel):
    title: str
    snippet: str = ""
    timestamp: str | None = None


class _Version(BaseModel):
    revid: int
    timestamp: str | None = None


class _Page(BaseModel):
    revisions: list[_Version] = Field(default_factory=list)


class WikipediaSearch:
    """`Provider` on a MediaWiki server; `base_url` is its site, `https://en.wikipedia.org` by default."""

    name = "wikipedia"

    def __init__(
        self,
        client: httpx.AsyncClient,
        base_url: str = "https://en.wikipedia.org",
        *,
        timeout_s: float = 8.0,
        now: Now = utc_now,
    ) -> None:
        self._client = client
        self._base_url = base_url.rstrip("/")
        self._timeout_s = timeout_s
        self._now = now

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        """Articles. `published` is the day of the last edit: that is when what can be read there was published.

        Of an article that was edited after `as_of` the version of that day is returned, for the first few of them.
        """
        params: Params = {
            "list": "search",
            "srsearch": checked_query(query, limit),
            "srlimit": min(limit, 50),
            "srprop": "snippet|timestamp",
        }
        entries = items_of(await self._query(params), "search", _Entry)[:limit]
        # The engine gives an order without numbers.
        found = [self._result(entry, 1.0 / (rank + 1)) for rank, entry in enumerate(entries)]
        return found if as_of is None else await self._as_of(found, as_of)

    async def _query(self, params: Params) -> dict[str, Any]:
        common: Params = {"action": "query", "format": "json", "formatversion": 2}
        # Wikipedia's servers ask robots to stand back while their copies lag by more than so many seconds.
        sent = {**common, **params, "maxlag": 5}
        url = f"{self._base_url}/w/api.php"
        answer = await get_json(self._client, url, sent, timeout_s=self._timeout_s, now=self._now)
        if "error" in answer:
            code = answer["error"].get("code", "?") if isinstance(answer["error"], dict) else "?"
            raise SearchFailed("unavailable" if code == "maxlag" else "refused", f"MediaWiki says {code!s:.80}")
        inner = answer.get("query")
        return inner if isinstance(inner, dict) else {}

    def _result(self, entry: _Entry, score: float) -> SearchResult:
        url = f"{self._base_url}/wiki/{quote(entry.title.replace(' ', '_'), safe='/:(),')}"
        snippet = html.unescape(_MARKUP.sub("", entry.snippet))
        return SearchResult(entry.title, url, snippet, date_of(entry.timestamp), score)

    async def _as_of(self, found: Sequence[SearchResult], as_of: date) -> list[SearchResult]:
        """One request after the other, as MediaWiki's etiquette asks; an article that is younger is left out."""
        late = [result for result in found if result.published is not None and result.published > as_of]
        versions = {result.url: await self._version(result, as_of) for result in late[:OLD_VERSIONS]}
        shown = (versions.get(result.url, result) for result in found)
        return [result for result in shown if result is not None]

    async def _version(self, result: SearchResult, as_of: date) -> SearchResult | None:
        params: Params = {
            "prop": "revisions",
            "titles": result.title,
            "rvlimit": 1,
            "rvprop": "ids|timestamp",
            "rvstart": f"{as_of.isoformat()}T23:59:59Z",
        }
        pages = items_of(await self._query(params), "pages", _Page, required=False)
        version = next((version for page in pages for version in page.revisions), None)
        if version is None:
            return None
        return replace(result, url=f"{result.url}?oldid={version.revid}", published=date_of(version.timestamp))
