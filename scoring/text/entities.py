"""Names in running text, by their shape: capitalised sequences, acronyms and quoted names."""

import re
from bisect import bisect_right
from dataclasses import dataclass
from operator import itemgetter

from scoring.text.name_words import (
    ABBREVIATIONS,
    INSTITUTIONS,
    JOINING,
    NEVER_NAMES,
    OPENERS,
    SINGULAR_VERBS,
    TITLES,
)
from scoring.text.words import STOP_WORDS

# A name longer than this is a headline in title case; it is cut rather than kept as one name.
MAX_NAME_WORDS = 8
MAX_WORD_LENGTH = 40
MAX_QUOTED_WORDS = 6
# With more than this share of words in capitals, case no longer tells names from other words.
SHOUTING_SHARE = 0.6
SHOUTING_MIN_WORDS = 4

_WORD = re.compile(r"[^\W_]+")
_GAP_WITHIN_NAME = frozenset((" ", "-", "\u2011", "–", "'", "’", "&", " & ", ". ", ".", "\u00a0"))
_SENTENCE_END = frozenset(".!?:;\n\r•|")
_QUOTED = re.compile(r"\"([^\"\n]{2,80})\"|“([^“”\n]{2,80})”|«([^«»\n]{2,80})»|„([^„“”\n]{2,80})[“”]")


@dataclass(frozen=True, slots=True)
class _Word:
    text: str
    lowered: str
    start: int
    end: int
    opens_sentence: bool

    @property
    def capital(self) -> bool:
        return self.text[0].isupper() and len(self.text) <= MAX_WORD_LENGTH

    @property
    def acronym(self) -> bool:
        """All capitals (digits allowed), at least two characters."""
        return 2 <= len(self.text) <= MAX_WORD_LENGTH and self.text.isupper() and self.text[0].isalpha()


def entities(text: str) -> tuple[str, ...]:
    """The names in `text`, each once, in order of first appearance."""
    if text.lower() == text:
        return ()
    quoted = _quoted(text)
    names = quoted + [span for span in _Reader(text).names() if not _within(span, quoted)]
    unique: dict[str, str] = {}
    for start, end in sorted(names):
        name = text[start:end]
        unique.setdefault(name.lower(), name)
    return tuple(unique.values())


def _within(span: tuple[int, int], quoted: list[tuple[int, int]]) -> bool:
    """Whether a span lies inside one of the quoted ones, which are in order and do not overlap."""
    at = bisect_right(quoted, span[0], key=itemgetter(0)) - 1
    return at >= 0 and span[1] <= quoted[at][1]


def _quoted(text: str) -> list[tuple[int, int]]:
    """Short quoted spans with a capital letter: titles of works, nicknames."""
    found = []
    for match in _QUOTED.finditer(text):
        span = next(match.span(group) for group in range(1, 5) if match.group(group))
        inner = text[span[0] : span[1]]
        if len(inner.split()) <= MAX_QUOTED_WORDS and any(c.isupper() for c in inner):
            found.append((span[0], span[0] + len(inner.rstrip(" .,;!?"))))
    return found


class _Reader:
    """Reads the capitalised names of one text from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.words = _words(text)
        self.inside = {word.text for word in self.words if word.capital and not word.opens_sentence}
        self.lowercase = {word.text for word in self.words if word.text.islower()}

    def names(self) -> list[tuple[int, int]]:
        """Where each name starts and ends."""
        if self._is_shouting():
            return []
        found = []
        index = 0
        while index < len(self.words):
            if not self.words[index].capital:
                index += 1
                continue
            end = self._end(index)
            start = self._start(index, end)
            if start < end and not all(_is_date(word) for word in self.words[start:end]):
                found.append((self.words[start].start, self._last_character(end - 1)))
            index = end
        return found

    def _is_shouting(self) -> bool:
        loud = sum(1 for word in self.words if word.acronym)
        return len(self.words) >= SHOUTING_MIN_WORDS and loud > SHOUTING_SHARE * len(self.words)

    def _end(self, start: int) -> int:
        """Index after the last word of the capitalised sequence that starts at `start`."""
        end = start + 1
        while end < len(self.words) and end - start < MAX_NAME_WORDS and self._joined(end):
            word = self.words[end]
            if word.capital or (word.text.isdigit() and not self._joined_to_digits(end)):
                end += 1
            elif (after := self._after_joining_words(start, end)) is not None:
                end = after + 1
            else:
                break
        return end

    def _after_joining_words(self, start: int, index: int) -> int | None:
        """Index of the capitalised word to which one or two joining words at `index` lead, if they join a name."""
        left = self.words[index - 1].lowered
        lone = index - start == 1 and left not in STOP_WORDS
        allowed = JOINING | {"of", "for"} if left in INSTITUTIONS else JOINING | {"of"} if lone else JOINING
        for after in (index + 1, index + 2):
            if self.words[after - 1].lowered not in allowed or after >= len(self.words) or not self._joined(after):
                return None
            if self.words[after].capital:
                return after
        return None

    def _joined(self, index: int) -> bool:
        """Whether only what may stand inside a name separates the word from the one before it."""
        left, right = self.words[index - 1], self.words[index]
        if right.opens_sentence or right.start - left.end > 3:
            return False
        gap = self.text[left.end : right.start]
        return gap in _GAP_WITHIN_NAME and (not gap.startswith(".") or _ends_no_sentence(left.text, gap))

    def _joined_to_digits(self, index: int) -> bool:
        """ "4-0" is a result and no part of the name before it."""
        following = self.words[index + 1] if index + 1 < len(self.words) else None
        return following is not None and following.text.isdigit() and following.start - self.words[index].end == 1

    def _start(self, start: int, end: int) -> int:
        """Skips leading words that are no part of the name; returns `end` if nothing of it is left."""
        while start < end and self._is_no_part(start, alone=end - start == 1):
            start += 1
        word = self.words[start] if start < end else None
        if word is not None and word.opens_sentence and end - start == 1 and not word.acronym:
            return start if self._opener_is_name(start) else end
        return start

    def _is_no_part(self, index: int, *, alone: bool) -> bool:
        word = self.words[index]
        if word.text.isdigit() or (alone and len(word.text) == 1) or word.lowered in TITLES:
            return True
        if word.acronym:
            return False
        return word.lowered in STOP_WORDS or (word.opens_sentence and word.lowered in OPENERS)

    def _opener_is_name(self, index: int) -> bool:
        """A lone capitalised word that opens a sentence: a name unless its form or its other uses say otherwise."""
        word = self.words[index]
        if word.text in self.inside:
            return True
        if word.lowered in self.lowercase or word.text.endswith(("ly", "ing")):
            return False
        if word.text.endswith("s") and index + 1 < len(self.words):  # "Vaccines cause", but "Paris is", "Texas wants"
            following = self.words[index + 1].text
            return following in SINGULAR_VERBS or following.endswith(("s", "ed"))
        return True

    def _last_character(self, index: int) -> int:
        """The end of a word, with the final full stop of initials ("U.S.")."""
        word = self.words[index]
        initials = (
            len(word.text) == 1
            and self.text[max(0, word.start - 1)] == "."
            and self.text[word.end : word.end + 1] == "."
        )
        return word.end + 1 if initials else word.end


def _words(text: str) -> list[_Word]:
    words: list[_Word] = []
    end, previous = 0, ""
    for match in _WORD.finditer(text):
        gap = text[end : min(match.start(), end + 4)]
        opens = not words or (any(c in _SENTENCE_END for c in gap) and not _ends_no_sentence(previous, gap))
        words.append(_Word(match.group(), match.group().lower(), match.start(), match.end(), opens))
        end, previous = match.end(), match.group()
    return words


def _ends_no_sentence(word: str, gap: str) -> bool:
    """ "Dr. Smith", "J. Smith", "U.S. law": the full stop belongs to the word before it."""
    return gap.startswith(".") and (word.lower() in ABBREVIATIONS or (len(word) == 1 and word.isupper()))


def _is_date(word: _Word) -> bool:
    return word.text.isdigit() or word.lowered in NEVER_NAMES
