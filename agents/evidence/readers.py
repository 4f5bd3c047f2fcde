"""The readers of an article, tried in order until one finds enough: the first is precise, the last takes a summary.

The first has two methods of other programs behind it already and chooses among the three by itself.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

# Furniture that stands between the paragraphs of an article, as lines of their own.
_FURNITURE = re.compile(
    r"(?:advertisement|sponsored(?: content)?|read (?:more|also|next)\b|related (?:articles|stories|topics)|"
    r"(?:share|follow us|like us)\b|sign up (?:for|to)\b|subscribe\b|(?:log|sign) in\b|newsletter\b|"
    r"(?:we use|this (?:site|website) uses) cookies|accept (?:all )?cookies|cookie (?:settings|policy|notice)|"
    r"privacy policy|terms of (?:use|service)|all rights reserved|©|copyright \d{4}|skip to (?:main )?content|"
    r"(?:photo|image|picture)(?: credit)?:|getty images|click here|loading\b|back to top)",
    re.IGNORECASE,
)
FURNITURE_CHARS = 120
"""A longer line is a paragraph, whatever it begins with: "Subscribers to the scheme rose by 12 % …"."""


@dataclass(frozen=True, slots=True)
class Article:
    """What a reader found: the text in paragraphs, and the title if the page gives one."""

    title: str
    text: str
    reader: str


def read_article(page: str | bytes, url: str, least: int) -> Article | None:
    """The article, by the first reader that finds at least `least` characters of it."""
    for name, reader in READERS:
        title, text = reader(page, url)
        text = without_furniture(text)
        text = _without_headline(text, title)
        if len(text) >= least:
            return Article(title, text, name)
    return None


def without_furniture(text: str) -> str:
    """The text without lines that belong to the site, and without lines that it repeats."""
    kept: dict[str, None] = {}
    for line in text.splitlines():
        stripped = line.strip()
        if stripped and not (len(stripped) <= FURNITURE_CHARS and _FURNITURE.match(stripped)):
            kept.setdefault(stripped)
    return "\n".join(kept)


def _precise(page: str | bytes, url: str) -> tuple[str, str]:
    return _trafilatura(page, url)


def _generous(page: str | bytes, url: str) -> tuple[str, str]:
    return _trafilatura(page, url, favor_recall=True)


def _trafilatura(page: str | bytes, url: str, **options: Any) -> tuple[str, str]:
    from trafilatura import bare_extraction

    found: Any = bare_extraction(page, url=url, with_metadata=True, include_comments=False, **options)
    return ((found.title or "").strip(), (found.text or "").strip()) if found else ("", "")


def _description(page: str | bytes, url: str) -> tuple[str, str]:
    """What the publisher says the page is about: all there is where a program in the page would fetch the rest."""
    from trafilatura import extract_metadata

    found: Any = extract_metadata(page, default_url=url)
    return ((found.title or "").strip(), (found.description or "").strip()) if found else ("", "")


Reader = Callable[[str | bytes, str], tuple[str, str]]
READERS: tuple[tuple[str, Reader], ...] = (
    ("trafilatura", _precise),
    ("trafilatura-recall", _generous),
    ("description", _description),
)


def _without_headline(text: str, title: str) -> str:
    """The headline is kept as the title; as part of the text it would be a sentence without an end."""
    first, _, rest = text.partition("\n")
    return rest.strip() if title and first.strip() == title else text
