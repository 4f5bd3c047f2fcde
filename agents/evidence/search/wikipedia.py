"""Wikipedia's own search (MediaWiki's action API)."""

import html
import re
from datetime import date
from urllib.parse import quote

import httpx
from pydantic import BaseModel

from agents.evidence.ports import SearchResult
from agents.evidence.search.values import SearchFailed
from agents.evidence.search.wire import Now, Params, checked_query, date_of, get_json, items_of, utc_now

_MARKUP = re.compile(r"<[^>]*>")


class _Entry(BaseModel):
    title: str
    snippet: str = ""
    timestamp: str | None = None


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

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:  # noqa: ARG002
        """Articles. `published` is the day of the last edit: that is when what can be read there was published."""
        params: Params = {
            "action": "query",
            "list": "search",
            "srsearch": checked_query(query, limit),
            "srlimit": min(limit, 50),
            "srprop": "snippet|timestamp",
            "format": "json",
            "formatversion": 2,
            # Wikipedia's servers ask robots to stand back while their copies lag by more than so many seconds.
            "maxlag": 5,
        }
        url = f"{self._base_url}/w/api.php"
        answer = await get_json(self._client, url, params, timeout_s=self._timeout_s, now=self._now)
        if "error" in answer:
            code = answer["error"].get("code", "?") if isinstance(answer["error"], dict) else "?"
            raise SearchFailed("unavailable" if code == "maxlag" else "refused", f"MediaWiki says {code!s:.80}")
        inner = answer.get("query")
        entries = items_of(inner if isinstance(inner, dict) else {}, "search", _Entry)
        # The engine gives an order without numbers.
        return [self._result(entry, 1.0 / (rank + 1)) for rank, entry in enumerate(entries[:limit])]

    def _result(self, entry: _Entry, score: float) -> SearchResult:
        url = f"{self._base_url}/wiki/{quote(entry.title.replace(' ', '_'), safe='/:(),')}"
        snippet = html.unescape(_MARKUP.sub("", entry.snippet))
        return SearchResult(entry.title, url, snippet, date_of(entry.timestamp), score)
