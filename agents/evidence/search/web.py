"""The chain of providers as the stages' `WebSearch`, and fetching by where a page lives."""

from urllib.parse import urlsplit

from agents.evidence.ports import FetchedPage, NobodyAnswered, PageFetcher, SearchResult
from agents.evidence.sample_web import RESERVED_TLD
from agents.evidence.search.chain import SearchChain
from agents.evidence.search.values import NoProvider


class ChainedSearch:
    """`WebSearch` over an ordered list of providers; nobody answering is NobodyAnswered."""

    def __init__(self, chain: SearchChain) -> None:
        self._chain = chain

    async def search(self, query: str, limit: int) -> list[SearchResult]:
        """At most `limit` results of the first provider that has any."""
        answer = await self._chain.search(query, limit)
        if isinstance(answer, NoProvider):
            raise NobodyAnswered(answer.message)
        return list(answer.results)


class RoutedFetcher:
    """`PageFetcher` that knows the sample web's reserved names from the open web."""

    def __init__(self, sample: PageFetcher, open_web: PageFetcher) -> None:
        self._sample = sample
        self._open_web = open_web

    async def fetch(self, url: str) -> FetchedPage:
        """From wherever the address leads."""
        host = (urlsplit(url).hostname or "").rstrip(".")
        fetcher = self._sample if host.endswith(RESERVED_TLD) else self._open_web
        return await fetcher.fetch(url)
