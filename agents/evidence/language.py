"""Which language a text is written in: by its words, and by what the page says of itself where they do not tell.

Pages in other languages than English are kept. Their passages carry a mark, since the local models read English.
"""

from functools import lru_cache
from threading import Lock
from typing import Any

ENGLISH = "en"
LOOKED_AT = 1_000
"""Characters of the text that are looked at: two paragraphs tell as surely as a book, and take a millisecond."""
SURE = 0.8
"""Sentences of ten words reach 0.95 and more in the language they are in; names and figures alone stay below 0.3."""
_MARK = "/"
_LOADING = Lock()


def language_of(text: str, declared: str | None = None) -> str | None:
    """An ISO 639-1 code: what the words say if they are sure of it, else what the page declares; None if neither."""
    found, probability = _identifier().classify(text[:LOOKED_AT])
    return str(found) if probability >= SURE else declared


def _identifier() -> Any:
    """Loaded once: it takes a second, and pages are read in several threads."""
    with _LOADING:
        return _loaded()


@lru_cache(maxsize=1)
def _loaded() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)


def extraction_mark(reader: str, language: str | None) -> str:
    """How a passage came to be: its reader, and its language unless it is English or unknown."""
    return reader if language in {None, "", ENGLISH} else f"{reader}{_MARK}{language}"


def marked_language(extraction: str) -> str:
    """The language that a passage is marked with; empty for English and unknown."""
    return extraction.partition(_MARK)[2]


def reader_of(extraction: str) -> str:
    """The reader that a passage is marked with."""
    return extraction.partition(_MARK)[0]
