"""Texts as keys of an index: Neo4j indexes at most 8 kB in all, and everything stored must be found again."""

import hashlib

MAX_KEY_BYTES = 2_048
"""Ids (512 characters) fit as they are, and three such keys fit in one index entry."""
KEPT = 64
"""Characters of a longer text that stay readable in front of its digest."""


def key_of(text: str) -> str:
    """The text itself, or of a long one its beginning and its digest."""
    spelled = text.encode()
    if len(spelled) <= MAX_KEY_BYTES:
        return text
    return f"{text[:KEPT]}…{hashlib.sha256(spelled).hexdigest()}"
