"""Evidence acquisition: searching, fetching, extracting and chunking pages."""

from agents.evidence.chunking import ChunkPolicy, chunk
from agents.evidence.extraction import (
    ExtractedPage,
    ExtractionFailure,
    ExtractionPolicy,
    domain_of,
    extract,
    extract_now,
)
from agents.evidence.http import FetchPolicy, open_client
from agents.evidence.ports import (
    FetchedPage,
    PageFetcher,
    PageUnavailable,
    SearchResult,
    UnavailableReason,
    WebSearch,
)
from agents.evidence.sample_web import SamplePageFetcher, SampleWebSearch

__all__ = [
    "ChunkPolicy",
    "ExtractedPage",
    "ExtractionFailure",
    "ExtractionPolicy",
    "FetchPolicy",
    "FetchedPage",
    "PageFetcher",
    "PageUnavailable",
    "SamplePageFetcher",
    "SampleWebSearch",
    "SearchResult",
    "UnavailableReason",
    "WebSearch",
    "chunk",
    "domain_of",
    "extract",
    "extract_now",
    "open_client",
]
