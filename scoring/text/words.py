"""Words and their stems. Lowercase, Unicode-aware, one pass over the text."""

import re
import unicodedata
from functools import lru_cache

from snowballstemmer.english_stemmer import EnglishStemmer

from scoring.text.lexicon import word_set

# Longer words are identifiers, hashes or noise: they stay tokens, but stemming them says nothing.
MAX_STEMMED_LENGTH = 40

STOP_WORDS = word_set("""
    a about above after again against all also am an and any are aren't as at be because been before being below
    between both but by can can't cannot could couldn't did didn't do does doesn't doing don't down during each else
    ever every few for from further had hadn't has hasn't have haven't having he her here hers herself him himself his
    how however i if in into is isn't it its itself just let may me might more most much must my myself no nor not now
    of off on once only onto or other our ours ourselves out over own per same shall she should shouldn't so some such
    than that the their theirs them themselves then there these they this those though through to too under until up
    upon us very via was wasn't we were weren't what when where whether which while who whom whose why will with
    within without won't would wouldn't yet you your yours yourself yourselves
    """)

# Scripts written without spaces: each character is a word of its own, or a whole sentence would be one token.
_UNSPACED = "\u0e00-\u0e7f\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_FIRST_UNSPACED = _UNSPACED[0]
_UNSPACED_CHARACTER = re.compile(f"([{_UNSPACED}])")
_THOUSANDS_COMMA = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
# Most Western texts fit Latin-1 once these are replaced, and Latin-1 is cut by one table.
_TYPOGRAPHY = (("’", "'"), ("‘", "'"), ("–", " "), ("—", " "), ("“", " "), ("”", " "), ("…", " "), ("•", " "))
_LATIN_1_TO_WORDS = bytes(ord(c) if c.isalnum() or c == "'" else ord(" ") for c in map(chr, range(256)))
# Vowel signs and accents of the basic plane: they belong to the word they stand in.
_MARKS = frozenset(c for c in map(chr, range(0x300, 0x10000)) if unicodedata.category(c).startswith("M"))
# Replacing each kind of separator takes one pass; a text with more kinds than this is cut character by character.
_MAX_SEPARATOR_KINDS = 64


def tokens(text: str) -> tuple[str, ...]:
    """The words of `text` in order, lowercase; "1,200" is one word, possessive endings are dropped."""
    lowered = text.lower()
    if "," in lowered:
        lowered = _THOUSANDS_COMMA.sub("", lowered)
    spaced = _western(lowered)
    if spaced is None:
        for typographic, plain in _TYPOGRAPHY:
            lowered = lowered.replace(typographic, plain)
        spaced = _western(lowered)
        if spaced is None:
            return _unicode_tokens(lowered)
    return tuple(_without_apostrophes(spaced).split() if "'" in spaced else spaced.split())


def content_words(text: str) -> tuple[str, ...]:
    """The words that carry meaning, in order: no stop words, no single letters."""
    return tuple(word for word in tokens(text) if is_content(word))


def is_content(word: str) -> bool:
    """Whether a token says something by itself. A single digit or ideograph does, a single letter does not."""
    return word not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit())


def content_stems(text: str) -> frozenset[str]:
    """The stems of the words that carry meaning."""
    return frozenset(stem(word) for word in set(tokens(text)) if is_content(word))


@lru_cache(maxsize=32_768)
def stem(word: str) -> str:
    """The snowball (English) stem of one lowercase word."""
    if len(word) > MAX_STEMMED_LENGTH:
        return word
    # A stemmer keeps state while it works, so each call has its own: callers may be threads.
    return str(EnglishStemmer().stemWord(word))


def stem_set(words: str) -> frozenset[str]:
    """The stems of a space-separated list: one entry stands for all forms of its word."""
    return frozenset(map(stem, words.split()))


def _western(lowered: str) -> str | None:
    """The text with a space for every separator, if all of it fits Latin-1."""
    try:
        raw = lowered.encode("latin-1")
    except UnicodeEncodeError:
        return None
    return raw.translate(_LATIN_1_TO_WORDS).decode("latin-1")


def _unicode_tokens(lowered: str) -> tuple[str, ...]:
    kinds = set(lowered)
    separators = [c for c in kinds if not (c.isalnum() or c in _MARKS or c == "'")]
    if len(separators) <= _MAX_SEPARATOR_KINDS:
        for separator in separators:
            lowered = lowered.replace(separator, " ")
    else:
        lowered = "".join(c if c.isalnum() or c in _MARKS or c == "'" else " " for c in lowered)
    if max(kinds) >= _FIRST_UNSPACED:
        lowered = _UNSPACED_CHARACTER.sub(r" \1 ", lowered)
    words = (_without_apostrophes(lowered) if "'" in kinds else lowered).split()
    if _MARKS.isdisjoint(kinds):
        return tuple(words)
    # Composed per word and only for words of ordinary length: composing a long run of marks is quadratic.
    return tuple(unicodedata.normalize("NFC", word) if len(word) <= MAX_STEMMED_LENGTH else word for word in words)


def _without_apostrophes(spaced: str) -> str:
    """Drops possessive endings and quotation marks around words; an apostrophe inside a word stays."""
    plain = f" {spaced} ".replace("'s ", " ").replace(" '", " ").replace("' ", " ")
    if " '" in plain or "' " in plain:  # several in a row
        return " ".join(word.strip("'") for word in plain.split())
    return plain
