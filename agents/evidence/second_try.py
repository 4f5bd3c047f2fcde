"""Pages that a site did not deliver to us in time, asked for once more from a service that reads pages for others."""

import structlog

from agents.evidence.ports import FetchedPage, PageFetcher, PageUnavailable, UnavailableReason
from agents.evidence.search.guard import Guard
from agents.evidence.search.tavily import TavilySearch
from agents.evidence.search.values import SearchFailed

log = structlog.get_logger("veristream.evidence")

UNDELIVERED: frozenset[UnavailableReason] = frozenset(
    ("connect", "protocol", "encoding", "first_byte_timeout", "idle_timeout", "total_timeout", "slow_drip")
)
"""Failures on the way. What a site forbids us, or we forbid ourselves, is not asked for by another door."""


class SecondTry:
    """`PageFetcher` with Tavily's extraction behind it. The address has passed every check when it is asked there."""

    def __init__(self, fetcher: PageFetcher, tavily: TavilySearch, guard: Guard) -> None:
        self._fetcher = fetcher
        self._tavily = tavily
        self._guard = guard

    async def fetch(self, url: str) -> FetchedPage:
        """The page, or its text as Tavily has read it, or the first failure."""
        try:
            return await self._fetcher.fetch(url)
        except PageUnavailable as failure:
            text = await self._text(url) if failure.reason in UNDELIVERED else ""
            if not text:
                raise
            return FetchedPage(url, url, "text/plain", "utf-8", text.encode(), cost=self._guard.cost)

    async def _text(self, url: str) -> str:
        try:
            found = await self._guard.through(lambda: self._tavily.extract([url]))
        except SearchFailed as failure:
            log.warning("tavily could not be asked for a page", url=url, reason=failure.reason)
            return ""
        return next((item.text for item in found if item.text.strip()), "")
