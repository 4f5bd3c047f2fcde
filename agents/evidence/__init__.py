"""Evidence acquisition: searching, fetching, extracting and chunking pages."""

from agents.evidence.ports import (
    FetchedPage,
    PageFetcher,
    PageUnavailable,
    SearchResult,
    UnavailableReason,
    WebSearch,
)

__all__ = ["FetchedPage", "PageFetcher", "PageUnavailable", "SearchResult", "UnavailableReason", "WebSearch"]
