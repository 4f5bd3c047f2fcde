"""PDF files: the text of their pages, with the lines of a paragraph joined again."""

import io
import logging
import re
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from agents.evidence.documents.text import unwrapped
from agents.evidence.documents.values import ReadingPolicy, SkipReason

if TYPE_CHECKING:
    from pypdf import PdfReader

_HYPHENATED = re.compile(r"(?<=[^\W\d_])-\n(?=[^\W\d_])")
MIN_TEXT_CHARS = 40
"""As for web pages: less is a caption on a scanned page."""


class PdfText(NamedTuple):
    """What a PDF file says, and the title it gives itself (often none)."""

    title: str
    text: str


class _Unreadable(Exception):  # noqa: N818 - reads as what happened
    def __init__(self, reason: SkipReason, detail: str) -> None:
        super().__init__(detail)
        self.reason: SkipReason = reason


def read_pdf(
    raw: bytes, policy: ReadingPolicy, now: Callable[[], float] = time.monotonic
) -> PdfText | tuple[SkipReason, str]:
    """The text of a PDF, or why there is none."""
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it reports every flaw of a file; we report the outcome
    try:
        reader = PdfReader(io.BytesIO(raw), strict=False)
        pages = _pages(reader, policy, now)
        title = reader.metadata.title if reader.metadata else None
    except _Unreadable as error:
        return error.reason, str(error)
    except Exception as error:  # noqa: BLE001 - parsers fail in ways nobody can list; one bad file stops no others
        return "unreadable", f"not a readable PDF ({type(error).__name__}: {error})"
    text = unwrapped(_HYPHENATED.sub("", "\n\n".join(pages)))
    if len(text) < MIN_TEXT_CHARS:
        return "no_text", "the pages hold no text; scanned pages need text recognition first"
    return PdfText(" ".join((title or "").split()), text)


def _pages(reader: "PdfReader", policy: ReadingPolicy, now: Callable[[], float]) -> list[str]:
    from pypdf.errors import DependencyError

    try:
        if reader.is_encrypted and not reader.decrypt(""):
            raise _Unreadable("encrypted", "the file asks for a password")
    except DependencyError:
        raise _Unreadable("encrypted", "the file is encrypted in a way that cannot be read here") from None
    if len(reader.pages) > policy.max_pdf_pages:
        raise _Unreadable("too_large", f"more than {policy.max_pdf_pages} pages")
    end = now() + policy.pdf_seconds
    pages = []
    for page in reader.pages:
        pages.append(page.extract_text())
        if now() > end:
            raise _Unreadable("timeout", f"could not be read within {policy.pdf_seconds:g} seconds")
    return pages
