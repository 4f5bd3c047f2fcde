"""What readers yield: documents, and what was passed over with the reason. Shared by every kind of source."""

from dataclasses import dataclass, field
from datetime import date
from typing import Literal, NamedTuple

from agents.evidence.extraction import ExtractedPage

SkipReason = Literal[
    "bad_line",
    "empty",
    "encrypted",
    "no_text",
    "not_text",
    "read_today",
    "refused",
    "timeout",
    "too_large",
    "unknown_type",
    "unreachable",
    "unreadable",
]


@dataclass(frozen=True, slots=True)
class Document:
    """A readable document, and which reader made it readable."""

    page: ExtractedPage
    method: str


@dataclass(frozen=True, slots=True)
class Skip:
    """Why something was passed over: a closed word to count by, and a sentence for people."""

    where: str
    reason: SkipReason
    detail: str


class Piece(NamedTuple):
    """The next thing of a source, and how much of the source (in its own measure) has been used up with it."""

    item: Document | Skip
    consumed: int


@dataclass(frozen=True, slots=True)
class ReadingPolicy:
    """What one document may be. No specification gives these: they keep one bad file from holding up the others."""

    max_text_bytes: int = 20_000_000
    """A long book is two million characters; ten times that is a log file or a dump."""
    max_pdf_bytes: int = 100_000_000
    """Scanned reports reach tens of megabytes; the reader holds the file in memory."""
    max_pdf_pages: int = 5_000
    """More than any report has; a broken page tree can claim millions."""
    pdf_seconds: float = 60.0
    """Reading stops after this and keeps the pages read so far out: half a document would look like a whole one."""
    max_line_bytes: int = 10_000_000
    """One JSON line is one document."""
    max_json_bytes: int = 50_000_000
    """A JSON file that is not lines has to be parsed as a whole."""
    max_title_chars: int = 500
    """Titles are shown in one line and embedded with every passage of their document."""


@dataclass(frozen=True, slots=True)
class Reading:
    """How documents are read in one run: within which limits, and up to which day a date is believed."""

    latest: date | None = None
    policy: ReadingPolicy = field(default_factory=ReadingPolicy)
