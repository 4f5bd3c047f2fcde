"""The words a passage is indexed under. Every adapter indexes and searches these, so that words match alike."""

from scoring.text.words import content_words, stem

MAX_TERM = 64
"""A longer 'word' is a hash or a data URL: its beginning identifies it well enough."""
MAX_QUERY_TERMS = 32
"""A claim has at most 2,000 characters; the first terms of a longer query say what it is about."""


def index_terms(title: str, text: str) -> str:
    """Title and text as stems separated by spaces, plain ASCII, in order and with repetitions."""
    return " ".join(_spelled(stem(word)) for part in (title, text) for word in content_words(part))


def query_terms(text: str) -> tuple[str, ...]:
    """The distinct terms of a query, in order."""
    terms = dict.fromkeys(_spelled(stem(word)) for word in content_words(text))
    return tuple(terms)[:MAX_QUERY_TERMS]


def _spelled(word: str) -> str:
    """A term that no tokenizer takes apart: words beyond ASCII letters and digits are spelled as hexadecimal."""
    cut = word[:MAX_TERM]
    return cut if cut.isascii() and cut.isalnum() else f"x{cut.encode().hex()}"
