"""Search and fetching on the bundled sample web: the adapters that embedded mode uses.

Pages keep their canonical address (https://<host>.example/…) everywhere; only these adapters know where it is served.
"""

from datetime import date
from urllib.parse import urlencode, urlsplit

import httpx
from pydantic import TypeAdapter, ValidationError

from agents.errors import Permanent
from agents.evidence.http import HTML_TYPES, BoundedHttp, FetchPolicy
from agents.evidence.ports import FetchedPage, PageUnavailable, SearchResult

SERVICE = "sample web"
# The reserved top-level domain that all sample hosts lie under; it never resolves on the internet.
RESERVED_TLD = ".example"
# What the engine accepts: longer queries add common words only, and nobody reads past the twentieth result.
MAX_QUERY_CHARS = 400
MAX_RESULTS = 20

_RESULTS = TypeAdapter(list[SearchResult])


class SampleWebSearch:
    """`Provider` on the sample web's own engine."""

    name = "sample"

    def __init__(self, client: httpx.AsyncClient, origin: str, policy: FetchPolicy | None = None) -> None:
        self._http = BoundedHttp(client, SERVICE, policy)
        self._origin = origin.rstrip("/")

    async def search(self, query: str, limit: int, as_of: date | None = None) -> list[SearchResult]:
        """At most `limit` results, best first; a blank query has none."""
        if limit < 1:
            raise ValueError(f"limit must be at least 1, got {limit}")
        if not query.strip():
            return []
        asked: dict[str, str | int] = {"q": query.strip()[:MAX_QUERY_CHARS], "limit": min(limit, MAX_RESULTS)}
        if as_of is not None:
            asked["until"] = as_of.isoformat()
        parameters = urlencode(asked)
        url = f"{self._origin}/search?{parameters}"
        answer = await self._http.get(url, self._only_here, ("application/json",))
        try:
            results = _RESULTS.validate_json(answer.body)
        except ValidationError as error:
            count = error.error_count()
            raise Permanent(f"{SERVICE} answered a search in a form that cannot be read ({count} errors)") from error
        return results[:limit]

    def _only_here(self, url: str) -> str:
        if not url.startswith(f"{self._origin}/"):
            raise PageUnavailable("refused", url, "a search is not redirected to other servers")
        return url


class SamplePageFetcher:
    """`PageFetcher` for canonical addresses of the sample web; every other address is refused."""

    def __init__(self, client: httpx.AsyncClient, origin: str, policy: FetchPolicy | None = None) -> None:
        self._http = BoundedHttp(client, SERVICE, policy)
        self._origin = origin.rstrip("/")

    async def fetch(self, url: str) -> FetchedPage:
        """The page behind a canonical address."""
        return await self._http.get(url, self._address, HTML_TYPES)

    def _address(self, url: str) -> str:
        """Where the sample web serves a canonical address."""
        parts = urlsplit(url)
        host = (parts.hostname or "").rstrip(".")
        if parts.scheme not in {"http", "https"} or not host:
            raise PageUnavailable("refused", url, "only http and https addresses can be fetched")
        if not host.endswith(RESERVED_TLD):
            message = f"only the sample web ({RESERVED_TLD} hosts) can be fetched without a web search provider"
            raise PageUnavailable("refused", url, message)
        if parts.port is not None or parts.username is not None:
            raise PageUnavailable("refused", url, "addresses with a port or a user name are not fetched")
        query = f"?{parts.query}" if parts.query else ""
        return f"{self._origin}/{host}{parts.path or '/'}{query}"
