"""One sentence, read once: its words with stems, which of them name things, which are denied, its numbers."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agents.language.rules.lexicon import NEGATIONS
from agents.language.rules.measures import Measure, measures
from scoring.text.lexicon import word_set
from scoring.text.words import STOP_WORDS, is_content, stem

_WORD = re.compile(r"n['’]t\b|[^\W_]+(?:[.'’-][^\W_]+)*|[,;:()]", re.IGNORECASE)
_CONTRACTION = re.compile(r"(?i)\b(\w+?)(n['’]t|nnot)\b")
# Where the reach of a negation ends.
_CLAUSE_END = word_set("""
    , ; : ( ) but while whereas although though because which who and however unless
    """)
# How many words after a negation it can deny.
_REACH = 7
# "There is no evidence that", "no link between": what is denied follows the noun and may be far from it.
_DENYING_NOUNS = frozenset(["evidence", "proof", "link", "indication", "sign", "truth", "basis"])
_LONG_REACH = 14
# Titles and roles that open a sentence are no names; neither are the days.
_NEVER_NAMES = STOP_WORDS | frozenset(["mr", "mrs", "ms", "dr", "according", "despite"])


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a sentence: `stem` for comparing, `name` if it is written as part of a name."""

    text: str
    stem: str
    start: int
    content: bool
    name: bool
    denied: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules know of a sentence."""

    text: str
    words: tuple[Word, ...]
    measures: tuple[Measure, ...]
    content: tuple[Word, ...] = field(init=False)

    def __post_init__(self) -> None:
        inside = [(m.start, m.end) for m in self.measures if m.dimension != "ordinal"]
        kept = tuple(
            word
            for word in self.words
            if word.content and not any(start <= word.start < end for start, end in inside)
        )
        object.__setattr__(self, "content", kept)


@lru_cache(maxsize=4096)
def read(sentence: str) -> Reading:
    """Reads one sentence. Cached, as a claim meets up to thirty passages and a passage several sub-claims."""
    text = _CONTRACTION.sub(lambda m: f"{m.group(1)} not", sentence)
    found = [(match.group(), match.start()) for match in _WORD.finditer(text)]
    lowered = [word.lower() for word, _ in found]
    denied = _denied(lowered)
    words = tuple(
        Word(
            text=word,
            stem=stem(lowered[i].removesuffix("'s").removesuffix("’s")),
            start=start,
            content=word[0].isalnum() and is_content(lowered[i]) and lowered[i] not in NEGATIONS,
            name=_looks_like_name(word, i),
            denied=denied[i],
        )
        for i, (word, start) in enumerate(found)
    )
    return Reading(text, words, measures(text))


def _looks_like_name(word: str, index: int) -> bool:
    if not word[0].isupper() or word.lower() in _NEVER_NAMES:
        return False
    return index > 0 or any(c.isupper() for c in word[1:])


def _denied(words: list[str]) -> list[bool]:
    """For each word, whether an odd number of negations reaches it."""
    counts = [0] * len(words)
    for index, word in enumerate(words):
        if word not in NEGATIONS or _is_idiom(words, index):
            continue
        reach = _LONG_REACH if set(words[index + 1 : index + 5]) & _DENYING_NOUNS else _REACH
        for at in range(index + 1, min(index + 1 + reach, len(words))):
            if words[at] in _CLAUSE_END and at > index + 1:
                break
            counts[at] += 1
    return [count % 2 == 1 for count in counts]


def _is_idiom(words: list[str], index: int) -> bool:
    """ "not only", "no doubt", "no longer than 5 m", "no. 5": words that deny nothing here."""
    following = words[index + 1] if index + 1 < len(words) else ""
    if words[index] == "not" and following in ("only", "just", "least"):
        return True
    return words[index] == "no" and following in ("doubt", "matter", "fewer", "less", "more", "later")
