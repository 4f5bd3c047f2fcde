"""Citation anchors of the form `[cite:X]`, where X is the hash of a retrieved chunk (003 §3)."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

Importance = Literal["critical", "material", "minor"]
CitationFinding = Literal["cited", "missing_required", "missing_recommended", "optional"]

ANCHOR = r"\[cite:[ ]{0,4}([^\[\]\s]{1,200}+)[ ]{0,4}\]"
_ANCHOR = re.compile(ANCHOR, re.IGNORECASE)
_SPACE_BEFORE_STOP = re.compile(r"(?<=\S) ([.,;:!?])")
_RUN_OF_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class CitedText:
    """A sentence without its anchors, and the chunks they name, each once, in order."""

    text: str
    citations: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CitationLinks:
    """Which of the cited chunks were really retrieved."""

    valid: tuple[str, ...]
    invalid: tuple[str, ...]


def split_citations(sentence: str) -> CitedText:
    """Takes the anchors out and closes the gap they leave."""
    citations = tuple(dict.fromkeys(_ANCHOR.findall(sentence)))
    bare = _RUN_OF_SPACES.sub(" ", _ANCHOR.sub(" ", sentence)).strip()
    return CitedText(text=_SPACE_BEFORE_STOP.sub(r"\1", bare), citations=citations)


def link_citations(citations: Collection[str], retrieved: Collection[str]) -> CitationLinks:
    """An anchor counts only if it names a chunk that was retrieved; anything else was made up."""
    known = frozenset(retrieved)
    return CitationLinks(
        valid=tuple(citation for citation in citations if citation in known),
        invalid=tuple(citation for citation in citations if citation not in known),
    )


def citation_finding(importance: Importance, citations: Collection[str]) -> CitationFinding:
    """Critical claims must be cited, material ones should be, minor ones may be."""
    if citations:
        return "cited"
    findings: dict[Importance, CitationFinding] = {
        "critical": "missing_required",
        "material": "missing_recommended",
        "minor": "optional",
    }
    return findings[importance]
