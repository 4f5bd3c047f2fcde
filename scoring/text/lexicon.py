"""How word lists are written here: as running text, read into a set."""


def word_set(words: str) -> frozenset[str]:
    """The words of a space-separated list."""
    return frozenset(words.split())
