"""One sentence, read once: its words with stems, which of them name things, which are denied, its numbers."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from agents.language.rules.lexicon import NEGATIONS
from agents.language.rules.measures import Measure, measures
from scoring.text.entities import entities
from scoring.text.lexicon import word_set
from scoring.text.words import is_content, stem

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
            word for word in self.words if word.content and not any(start <= word.start < end for start, end in inside)
        )
        object.__setattr__(self, "content", kept)


@lru_cache(maxsize=4096)
def read(sentence: str) -> Reading:
    """Reads one sentence. Cached, as a claim meets up to thirty passages and a passage several sub-claims."""
    text = _CONTRACTION.sub(lambda m: f"{m.group(1)} not", sentence)
    found = [(match.group(), match.start()) for match in _WORD.finditer(text)]
    lowered = [word.lower() for word, _ in found]
    names = {part for name in entities(text) for part in _WORD.findall(name)}
    denied = _denied([word if _is_in_title(found, i) else word.lower() for i, (word, _) in enumerate(found)])
    words = tuple(
        Word(
            text=word,
            stem=stem(lowered[i].removesuffix("'s").removesuffix("’s")),
            start=start,
            content=word[0].isalnum() and is_content(lowered[i]) and lowered[i] not in NEGATIONS,
            name=word[0].isupper() and word in names,
            denied=denied[i],
        )
        for i, (word, start) in enumerate(found)
    )
    return Reading(text, words, measures(text))


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


def _is_in_title(found: list[tuple[str, int]], index: int) -> bool:
    """ "No Country for Old Men", "I'm Not There": a capitalised word next to another one names something."""
    word = found[index][0]
    if not word[0].isupper() or word.lower() not in NEGATIONS:
        return False
    return any(found[at][0][0].isupper() for at in (index - 1, index + 1) if 0 <= at < len(found))


def _is_idiom(words: list[str], index: int) -> bool:
    """ "not only", "not until", "no doubt", "no fewer than": words that deny nothing here."""
    following = words[index + 1] if index + 1 < len(words) else ""
    if words[index] == "not" and (following in ("only", "just", "least") or "until" in words[index : index + 12]):
        return True
    return words[index] == "no" and following in ("doubt", "matter", "fewer", "less", "more", "later")
