"""Whether what a model wrote says no more than the text it was given: its names, numbers and words come from there."""

import re
from collections.abc import Sequence

from agents.language.hostile import clean, gives_orders
from scoring.text import content_stems
from scoring.text.words import tokens

_URL = re.compile(r"(?i)\b(?:https?://|www\.)\S+|\b[\w-]+\.(?:com|org|net|info|example|io|ru|cn)\b")
_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
# Words that a paraphrase may add without adding a fact.
DEFAULT_SHARE = 0.6
MAX_QUERY = 200


def is_grounded(text: str, source: str, share: float = DEFAULT_SHARE) -> bool:
    """Whether `text` brings no number and no name of its own, and takes this share of its words from `source`."""
    if not text.strip() or gives_orders(text):
        return False
    if not set(_numbers(text)) <= set(_numbers(source)):
        return False
    stems, known = content_stems(text), content_stems(source)
    if not stems:
        return False
    return len(stems & known) / len(stems) >= share and _names_known(text, source)


def _numbers(text: str) -> list[str]:
    return [number.replace(",", "").rstrip(".") for number in _DIGITS.findall(text)]


def _names_known(text: str, source: str) -> bool:
    """Every capitalised word but the first occurs in the source, in whatever case."""
    known = set(tokens(source))
    words = re.findall(r"[^\W\d_][\w'’-]*", text)
    names = [word for word in words[1:] if word[0].isupper()]
    return all(set(tokens(name)) <= known for name in names)


def covers(parts: Sequence[str], whole: str, share: float) -> bool:
    """Whether the parts together say at least this share of the whole."""
    stems = content_stems(whole)
    said = frozenset().union(*(content_stems(part) for part in parts)) if parts else frozenset[str]()
    return bool(stems) and len(stems & said) / len(stems) >= share


def safe_queries(proposed: Sequence[str], claim: str) -> list[str]:
    """Proposed search queries that are about the claim: no orders, no addresses of their own, not too long."""
    about = content_stems(claim)
    kept: dict[str, str] = {}
    for query in proposed:
        text = " ".join(clean(query, MAX_QUERY).split())
        strange = [url for url in _URL.findall(text) if url.lower() not in claim.lower()]
        if text and not strange and not gives_orders(text) and content_stems(text) & about:
            kept.setdefault(text.lower(), text)
    return list(kept.values())
