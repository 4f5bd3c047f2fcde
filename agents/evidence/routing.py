"""Fetching by where a page lives."""

from urllib.parse import urlsplit

from agents.evidence.ports import FetchedPage, PageFetcher
from agents.evidence.sample_web import RESERVED_TLD


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
