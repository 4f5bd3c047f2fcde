"""Sources that a text names itself by their addresses (002's inline sources), and the text without them."""

import re

from agents.evidence.ports import SearchResult
from storage.ports import normal_urls

MOST = 10
"""A text that names more addresses is a list of links."""
_ADDRESS = r"https?://[^\s<>\"'()\[\]{}]+"
_FOUND = re.compile(_ADDRESS, re.IGNORECASE)
# With the words and brackets that only introduce it: what is left must still read as a statement.
_NAMED = re.compile(
    rf"\s*[(\[<]*\s*(?:\b(?:and|or)\b\s*)?(?:\b(?:see|sources?|via|according to)\b:?\s*)?{_ADDRESS}[)\]>]*,?",
    re.IGNORECASE,
)
_ENDS = re.compile(r"([.!?])(?:\s*[.!?])+")


def inline_sources(text: str) -> tuple[str, ...]:
    """The addresses in a text, each once, normalised."""
    return tuple(normal_urls(match.rstrip(".,;:!?") for match in _FOUND.findall(text))[:MOST])


def without_sources(text: str) -> str:
    """The text as a statement; one that is nothing but addresses stays as it is."""
    rest = _NAMED.sub(lambda match: match[0][-1] if match[0][-1] in ".!?" else "", text)
    plain = _ENDS.sub(r"\1", " ".join(rest.split())).strip(" ,;")
    return plain if re.search(r"\w", plain) else text


def as_results(sources: tuple[str, ...]) -> tuple[SearchResult, ...]:
    """As if a search had found them."""
    return tuple(SearchResult("", url, "", None, 1.0) for url in sources)
