"""Sources that a text names itself by their addresses (002's inline sources)."""

import re

from agents.evidence.ports import SearchResult
from storage.ports import normal_urls

MOST = 10
"""A text that names more addresses is a list of links."""
_ADDRESS = re.compile(r"https?://[^\s<>\"'()\[\]{}]+", re.IGNORECASE)


def inline_sources(text: str) -> tuple[SearchResult, ...]:
    """The addresses in a text, each once, as if a search had found them."""
    found = (match.rstrip(".,;:!?") for match in _ADDRESS.findall(text))
    return tuple(SearchResult("", url, "", None, 1.0) for url in normal_urls(found)[:MOST])
