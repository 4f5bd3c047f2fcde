"""Gets the article out of a page: its text without menus and footers, its title, date, language and domain.

Called by search expansion and by ingestion. Whatever a page holds, `extract` returns a value and never raises.
"""

import asyncio
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Literal
from urllib.parse import urlsplit

from agents.evidence.language import language_of
from agents.evidence.readers import read_article
from agents.evidence.structure import StructureLimits, excess

FailureReason = Literal["empty", "too_large", "no_text", "unreadable", "timeout"]


@dataclass(frozen=True, slots=True)
class ExtractedPage:
    """The readable part of a page, and which reader read it. `published` and `language` are None when unknown."""

    url: str
    title: str
    text: str
    published: date | None
    domain: str
    language: str | None
    reader: str = "trafilatura"


@dataclass(frozen=True, slots=True)
class ExtractionFailure:
    """Why nothing could be read from a page: a closed word for metrics, and a sentence for people."""

    url: str
    reason: FailureReason
    detail: str


@dataclass(frozen=True, slots=True)
class ExtractionPolicy:
    """Bounds of an extraction."""

    # The fetcher's limit again, because pages also come from files and from the knowledge base's own refresh.
    max_bytes: int = 5_000_000
    structure: StructureLimits = field(default_factory=StructureLimits)
    # Ten times what the slowest page within the other two limits took; the loop moves on, the thread ends by itself.
    timeout_s: float = 30.0
    # Below this there is a headline or a picture caption at most: nothing that could be quoted as evidence.
    min_text_chars: int = 40


async def extract(
    html: str | bytes, url: str, *, latest: date | None = None, policy: ExtractionPolicy | None = None
) -> ExtractedPage | ExtractionFailure:
    """Extract in a worker thread, so that a slow page does not hold up the event loop.

    A date after `latest` (today, as the caller's clock has it) is not believed; without it any date is.
    """
    policy = policy or ExtractionPolicy()
    try:
        async with asyncio.timeout(policy.timeout_s):
            return await asyncio.to_thread(extract_now, html, url, latest=latest, policy=policy)
    except TimeoutError:
        return ExtractionFailure(url, "timeout", f"the page could not be read within {policy.timeout_s:g} seconds")


def extract_now(
    html: str | bytes, url: str, *, latest: date | None = None, policy: ExtractionPolicy | None = None
) -> ExtractedPage | ExtractionFailure:
    """The same in the calling thread, for programs without a loop."""
    policy = policy or ExtractionPolicy()
    if not html.strip():
        return ExtractionFailure(url, "empty", "the page is empty")
    if len(html) > policy.max_bytes:
        return ExtractionFailure(url, "too_large", f"the page is larger than {policy.max_bytes} bytes")
    try:
        return _extract(html, url, latest, policy)
    except Exception as error:  # noqa: BLE001 - parsers fail in ways nobody can list; one bad page must not stop a job
        return ExtractionFailure(url, "unreadable", f"{type(error).__name__}: {error}")


def _extract(
    html: str | bytes, url: str, latest: date | None, policy: ExtractionPolicy
) -> ExtractedPage | ExtractionFailure:
    from trafilatura import load_html
    from trafilatura.utils import decode_file

    if problem := excess(decode_file(html), policy.structure):
        return ExtractionFailure(url, "too_large", problem)
    tree = load_html(html)
    if tree is None:
        return ExtractionFailure(url, "unreadable", "this is not HTML")
    article = read_article(html, url, policy.min_text_chars)
    if article is None:
        return ExtractionFailure(url, "no_text", "the page holds no article text")
    language = language_of(article.text, _declared_language(tree))
    published = _published(html, latest)
    return ExtractedPage(url, article.title, article.text, published, domain_of(url), language, article.reader)


def domain_of(url: str) -> str:
    """The host of an address, lower case and without www."""
    return (urlsplit(url).hostname or "").removeprefix("www.")


def _published(html: str | bytes, latest: date | None) -> date | None:
    """The date a page says it was published on; only explicit markup counts, never a date found in its text."""
    from htmldate import find_date

    # Without an upper bound the library would take the machine's clock, and the same page would date differently.
    newest = (latest or date.max).isoformat()
    found = find_date(html, original_date=True, extensive_search=False, max_date=newest)
    return date.fromisoformat(found) if found else None


def _declared_language(tree: Any) -> str | None:
    """The primary language subtag that the page declares for itself."""
    declared = (tree.get("lang") or "").split("-")[0].strip().lower()
    return declared or None
