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
_UNSPACED_CHARACTER = re.compile(f"([{_UNSPACED}])")
_THOUSANDS_COMMA = re.compile(r",(?<=\d,)(?=\d{3}(?!\d))")
_TYPOGRAPHY = (("’", "'"), ("‘", "'"), ("–", " "), ("—", " "), ("“", " "), ("”", " "), ("…", " "), ("\u00a0", " "))
_ASCII_TO_WORDS = "".join(c if c.isalnum() or c == "'" else " " for c in map(chr, range(128)))


def _combining_marks() -> str:
    """Vowel signs and accents of the basic plane as a regex class: `\\w` alone would cut words at each of them."""
    marks = [code for code in range(0x300, 0x10000) if unicodedata.category(chr(code)).startswith("M")]
    ranges: list[list[int]] = []
    for code in marks:
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"\\u{low:04x}-\\u{high:04x}" for low, high in ranges)


_WORD = re.compile(rf"[\w{_combining_marks()}']+")


def tokens(text: str) -> tuple[str, ...]:
    """The words of `text` in order, lowercase; "1,200" is one word, possessive endings are dropped."""
    lowered = _plain(text)
    words = lowered.translate(_ASCII_TO_WORDS).split() if lowered.isascii() else _unicode_words(lowered)
    if "'" in lowered:
        return tuple(bare for word in words if (bare := _without_apostrophes(word)))
    return tuple(words)


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


def _plain(text: str) -> str:
    """Lowercase, typographic punctuation made plain, thousands separators removed."""
    lowered = text.lower()
    if not lowered.isascii():
        for fancy, plain in _TYPOGRAPHY:
            lowered = lowered.replace(fancy, plain)
    return _THOUSANDS_COMMA.sub("", lowered) if "," in lowered else lowered


def _unicode_words(lowered: str) -> list[str]:
    spaced = _UNSPACED_CHARACTER.sub(r" \1 ", lowered.replace("_", " "))
    # Composed per word and only for words of ordinary length: composing a long run of marks is quadratic.
    return [
        unicodedata.normalize("NFC", word) if len(word) <= MAX_STEMMED_LENGTH else word
        for word in _WORD.findall(spaced)
    ]


def _without_apostrophes(word: str) -> str:
    return word.strip("'").removesuffix("'s")
