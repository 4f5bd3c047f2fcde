"""Numbers with what they count: digits, thousands, scale words, percentages, money, fractions and number words."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from scoring.text.units import (
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    LABELS,
    LETTER_SCALES,
    MEASURES,
    MONTHS,
    PARTS,
    PERCENT,
    PLURALS,
    SCALES,
    SMALL_NUMBERS,
    YEAR_LEADS,
)
from scoring.text.words import STOP_WORDS, tokens

QuantityKind = Literal["count", "percent", "money", "measure", "fraction", "ordinal", "year", "date", "label"]

# Longer runs of digits are identifiers (and turning a million digits into a number would be slow).
MAX_NUMBER_LENGTH = 24
# How far after a number its noun may stand: "three newly confirmed cases".
COUNTED_WITHIN = 3

_DIGIT = re.compile(r"\d")
_NUMBER_WORDS = frozenset((*SMALL_NUMBERS, *SCALES, *PARTS))
_TOKEN = re.compile(
    r"(?P<moment>\d{1,4}([-/.])\d{1,2}\2\d{1,4}(?!\d)|\d{1,2}:\d{2}(?!\d))"
    r"|(?P<number>\d{1,3}(?:,\d{3}){1,7}(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"|(?P<mark>us\$|[$€£¥₹%]+|°[cf]?)|(?P<word>[^\W\d_]+)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, what it is a number of ("people", "USD", "km", "%"), and how it is meant."""

    value: float
    unit: str
    kind: QuantityKind


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    word: str
    kind: str
    start: int
    end: int
    glued: bool
    """Whether it follows the previous token at once, or after a hyphen."""


_NOTHING = _Token("", "", "none", -9, -9, glued=False)


@lru_cache(maxsize=2_048)  # the gate, the look at the evidence and the verdict all ask about the same passages
def quantities(text: str) -> tuple[Quantity, ...]:
    """Every number in `text` with its unit, in order. Numbers inside identifiers ("COVID-19") are left out."""
    if not _DIGIT.search(text) and _NUMBER_WORDS.isdisjoint(tokens(text)):
        return ()
    stream = _Stream(text)
    found: list[Quantity] = []
    index = 0
    while index < len(stream.tokens):
        quantity, index = stream.read(index)
        if quantity is not None:
            found.append(quantity)
    return tuple(found)


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    end = -9
    for match in _TOKEN.finditer(text):
        start = match.start()
        glued = start == end or (start == end + 1 and text[end] in "-\u2010\u2011")
        found.append(_Token(match.group(), match.group().lower(), str(match.lastgroup), start, match.end(), glued))
        end = match.end()
    return found


class _Stream:
    """Reads quantities from the tokens of one text, left to right."""

    def __init__(self, text: str) -> None:
        self.tokens: Sequence[_Token] = _tokens(text)

    def read(self, start: int) -> tuple[Quantity | None, int]:
        """The quantity that starts at `start`, if one does, and where to go on."""
        if (part := self._part(start)) is not None:
            return part, start + 1
        value, after = self._number(start)
        if value is None:
            return None, start + 1
        return self._with_unit(start, after, value)

    def _at(self, index: int) -> _Token:
        return self.tokens[index] if 0 <= index < len(self.tokens) else _NOTHING

    def _part(self, index: int) -> Quantity | None:
        """ "half of them", "a third of them"."""
        word, left, right = self._at(index).word, self._at(index - 1).word, self._at(index + 1).word
        if word == "half" and right != "hour" and not self._at(index).glued:
            return Quantity(0.5, "", "fraction")
        if word in PARTS and left == "a" and right == "of":
            return Quantity(PARTS[word], "", "fraction")
        return None

    def _number(self, index: int) -> tuple[float | None, int]:
        token = self._at(index)
        if token.kind == "number":
            return self._digits(index)
        if token.kind == "word":
            return self._spelled(index)
        return None, index

    def _digits(self, index: int) -> tuple[float | None, int]:
        token, before = self._at(index), self._at(index - 1)
        if len(token.text) > MAX_NUMBER_LENGTH or (token.glued and before.kind == "word"):
            return None, index
        value, after = float(token.text.replace(",", "")), index + 1
        scale = self._at(after)
        if scale.glued and scale.word in LETTER_SCALES and (scale.word != "m" or before.word in CURRENCY_SIGNS):
            return value * LETTER_SCALES[scale.word], after + 1
        if scale.word in SCALES:
            return value * SCALES[scale.word], after + 1
        return value, after

    def _spelled(self, index: int) -> tuple[float | None, int]:
        first, following = self._at(index).word, self._at(index + 1).word
        if first in ("a", "an") and following in SCALES:
            return SCALES[following], index + 2
        pronoun = first == "one" and following not in SCALES and following not in PARTS and following not in PERCENT
        if first not in SMALL_NUMBERS or pronoun:
            return None, index
        return self._spelled_groups(index)

    def _spelled_groups(self, index: int) -> tuple[float, int]:
        """ "two hundred and five thousand": groups below a thousand, each multiplied by the scale after it."""
        total = group = 0.0
        while (word := self._at(index).word) in SMALL_NUMBERS or word in SCALES or word == "and":
            if word in SMALL_NUMBERS:
                if group % 10 or (group % 100 and SMALL_NUMBERS[word] >= 10):
                    break  # "two three": two numbers in a row
                group += SMALL_NUMBERS[word]
            elif word == "and":
                if group < 100 or self._at(index + 1).word not in SMALL_NUMBERS:
                    break
            elif word in ("hundred", "dozen"):
                group *= SCALES[word]
            else:
                total, group = total + group * SCALES[word], 0.0
            index += 1
        return total + group, index

    def _with_unit(self, start: int, after: int, value: float) -> tuple[Quantity, int]:
        left, right = self._at(start - 1).word, self._at(after).word
        if left in CURRENCY_SIGNS:
            return Quantity(value, CURRENCY_SIGNS[left], "money"), after
        if right in PERCENT:
            return Quantity(value, "%", "percent"), after + 1
        if right == "per" and self._at(after + 1).word == "cent":
            return Quantity(value, "%", "percent"), after + 2
        if right in PARTS and self._at(start).kind == "word":
            return Quantity(value * PARTS[right], "", "fraction"), after + 1
        return self._with_word(start, after, value, right)

    def _with_word(self, start: int, after: int, value: float, right: str) -> tuple[Quantity, int]:
        if right in CURRENCY_WORDS:
            return Quantity(value, CURRENCY_WORDS[right], "money"), after + 1
        if right in MEASURES:
            return Quantity(value, MEASURES[right], "measure"), after + 1
        if right in ("st", "nd", "rd", "th") and self._at(after).glued:
            is_date = self._at(start - 1).word in MONTHS or self._at(after + 1).word in MONTHS
            return Quantity(value, "", "date" if is_date else "ordinal"), after + 1
        return self._bare(start, after, value), after

    def _bare(self, start: int, after: int, value: float) -> Quantity:
        """A number without a unit of measure: a date, a year, a label, or a count of the noun that follows."""
        left, right = self._at(start - 1).word, self._at(after).word
        if value <= 31 and after == start + 1 and (left in MONTHS or right in MONTHS):
            return Quantity(value, "", "date")
        counted = self._counted(after)
        text = self._at(start).text
        if len(text) == 4 and text.isdigit() and 1000 <= value <= 2199 and (not counted or left in YEAR_LEADS):
            return Quantity(value, "", "year")
        if left in LABELS or (not counted and self._follows_name(start)):
            return Quantity(value, "", "label")
        return Quantity(value, counted, "count")

    def _counted(self, after: int) -> str:
        """The plural noun that a number at `after` counts, or nothing."""
        for index in range(after, after + COUNTED_WITHIN):
            token = self._at(index)
            if token.kind != "word" or not token.text.islower() or token.word in STOP_WORDS:
                return ""
            if token.word in PLURALS or (token.word.endswith("s") and not token.word.endswith(("ss", "us", "is"))):
                return token.word
        return ""

    def _follows_name(self, start: int) -> bool:
        """ "Apollo 11", "Boeing 737": a number right after a capitalised word names a thing."""
        token, before = self._at(start), self._at(start - 1)
        beside = before.kind == "word" and token.kind == "number" and token.start - before.end == 1
        return beside and before.text[0].isupper() and before.word not in STOP_WORDS
