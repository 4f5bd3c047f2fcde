"""Numbers and dates as claims use them: with their bound ("more than"), their unit, and what they count."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from agents.language.rules.dates import Parts, Token, date_at, word_at
from scoring.text.units import (
    CURRENCY_SIGNS,
    CURRENCY_WORDS,
    LETTER_SCALES,
    MEASURES,
    MONTHS,
    PARTS,
    PERCENT,
    SCALES,
    SMALL_NUMBERS,
)
from scoring.text.words import STOP_WORDS, stem

Bound = Literal["exact", "about", "over", "under", "at_least", "at_most"]

_ORDINAL_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINALS = {word: float(n) for n, word in enumerate(_ORDINAL_WORDS, start=1)}
_SUFFIXES = frozenset(("st", "nd", "rd", "th"))
# Indian English counts in these.
_SCALES: Mapping[str, float] = dict(SCALES) | {"lakh": 1e5, "crore": 1e7}
# Unit -> (dimension, factor to the dimension's base). Months and years are no multiple of a day.
_DIMENSIONS: Mapping[str, tuple[str, float]] = {
    unit: (dimension, factor)
    for dimension, units in {
        "length": {"km": 1e3, "m": 1.0, "cm": 1e-2, "mm": 1e-3, "mi": 1609.344, "ft": 0.3048},
        "mass": {"kg": 1.0, "g": 1e-3, "mg": 1e-6, "t": 1e3},
        "volume": {"l": 1.0, "ml": 1e-3},
        "duration": {"s": 1.0, "min": 60.0, "h": 3600.0, "day": 86_400.0, "week": 604_800.0},
        "months": {"month": 1.0, "year": 12.0},
        "speed": {"km/h": 1.0, "mph": 1.609344},
        "power": {"kW": 1.0, "MW": 1e3, "GW": 1e6},
        "celsius": {"°C": 1.0},
        "fahrenheit": {"°F": 1.0},
        "degree": {"degree": 1.0},
        "ppm": {"ppm": 1.0},
    }.items()
    for unit, factor in units.items()
}
_TOKEN = re.compile(
    r"(?P<number>[0-9]{1,3}(?:,[0-9]{2,3})*,[0-9]{3}(?![0-9])(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?)|(?P<mark>us\s?\$|[$€£¥₹%]|°[cf]?\b|°)"
    r"|(?P<word>[^\W\d_]+)|(?P<stop>[,;:()/–—-])",
    re.IGNORECASE,
)
_Phrases = Sequence[tuple[Bound, re.Pattern[str]]]


def _phrases(table: Mapping[Bound, str]) -> _Phrases:
    """Patterns that find a phrase at the very end of what stands before a number."""
    return [(bound, re.compile(rf"(?:^|\s)(?:{words})(?: (?:the|a|an))?\s*$")) for bound, words in table.items()]


# The first that fits wins, so "no more than" stands before "more than".
_BOUNDS = _phrases(
    {
        "at_least": "at least|no fewer than|not fewer than|no less than|not less than|a minimum of",
        "at_most": "at most|up to|no more than|not more than|a maximum of|as many as",
        "over": "(?:more|greater|higher|larger|longer|better|later) than|over|above|exceed(?:ed|ing|s)?|beyond"
        "|surpass(?:ed|ing|es)?|upwards of|topp(?:ed|ing)|in excess of",
        "under": "(?:less|fewer|lower|smaller|shorter|worse) than|under|below|short of|not even",
        "about": "about|around|roughly|approximately|approx|some|circa|(?:an )?estimated|nearly|almost|close to",
    }
)
_DATE_BOUNDS = _phrases(
    {"over": "after|later than", "under": "before|prior to|earlier than|until|by", "about": "around|about|circa"}
)
_ENDS_PHRASE = STOP_WORDS | MONTHS | frozenset(_SCALES)
# How many words a number may have between itself and what it counts ("127 newly confirmed cases").
_NOUN_REACH = 3
_SCORE_SCALES = frozenset(("4", "5", "10", "20", "100"))
_MAX_DIGITS = 24
_LEFT_CONTEXT = 40


@dataclass(frozen=True, slots=True)
class Measure:
    """A number, its dimension ("%", "money", "length", "count", "ordinal", "year", "date") and its bound.

    `nouns` are stems of what it may count. A date keeps year, month and day in `parts`, 0 where it is silent."""

    value: float
    dimension: str
    bound: Bound
    start: int
    end: int
    nouns: tuple[str, ...] = ()
    currency: str = ""
    parts: Parts = (0, 0, 0)


def measures(text: str) -> tuple[Measure, ...]:
    """Every number and date of `text`, in order."""
    stream = [Token(m.group(), str(m.lastgroup), m.start(), m.end()) for m in _TOKEN.finditer(text)]
    found: list[Measure] = []
    index = 0
    while index < len(stream):
        measure, after = _measure_at(stream, index, text)
        if measure is not None:
            found.append(measure)
        index = max(after, index + 1)
    return tuple(found)


def _measure_at(stream: Sequence[Token], index: int, text: str) -> tuple[Measure | None, int]:
    parts, after = date_at(stream, index)
    if parts is not None:
        start, end = stream[index].start, stream[after - 1].end
        year, month, day = parts
        bound = _bound_before(text, start, _DATE_BOUNDS)
        value = year * 10_000.0 + month * 100.0 + day
        return Measure(value, "date" if month else "year", bound, start, end, parts=parts), after
    value_found, after = _value_at(stream, index)
    if value_found is None:
        return None, index
    return _classified(stream, index, after, value_found, text)


def _bound_before(text: str, start: int, table: _Phrases) -> Bound:
    left = re.sub(r"[^a-z ]+", "", text[max(0, start - _LEFT_CONTEXT) : start].lower())
    return next((bound for bound, phrase in table if phrase.search(left)), "exact")


def _classified(stream: Sequence[Token], index: int, after: int, value: float, text: str) -> tuple[Measure, int]:
    """The measure that a number and its neighbours make, and the index after what was used."""
    start, end = stream[index].start, stream[after - 1].end
    sign = word_at(stream, index - 1).replace(" ", "")
    if sign in CURRENCY_SIGNS:
        start = stream[index - 1].start
        bound = _bound_before(text, start, _BOUNDS)
        return Measure(value, "money", bound, start, end, currency=CURRENCY_SIGNS[sign]), after
    bound = _bound_before(text, start, _BOUNDS)
    for reader in (_percentage, _score, _ordinal, _money, _measured):
        made = reader(stream, index, after, value)
        if made is not None:
            value, dimension, currency, used = made
            nouns = _nouns(stream, used) if dimension == "ordinal" else ()
            return Measure(value, dimension, bound, start, stream[used - 1].end, nouns, currency), used
    return Measure(value, "count", bound, start, end, _nouns(stream, after)), after


_Made = tuple[float, str, str, int] | None


def _percentage(stream: Sequence[Token], index: int, after: int, value: float) -> _Made:
    after += word_at(stream, after) == "-"
    unit = word_at(stream, after)
    if unit in PERCENT:
        return value, "%", "", after + 1
    if unit == "per" and word_at(stream, after + 1) == "cent":
        return value, "%", "", after + 2
    if unit in PARTS and stream[index].kind == "word":
        return value * PARTS[unit] * 100.0, "%", "", after + 1
    if stream[index].word == "half":
        return value, "%", "", after
    return None


def _score(stream: Sequence[Token], _: int, after: int, value: float) -> _Made:
    """ "9.7/10", "72 out of 100": a score on a scale."""
    at = after + 1 if word_at(stream, after) == "/" else after + 2
    joined = word_at(stream, after) == "/" or (word_at(stream, after), word_at(stream, after + 1)) == ("out", "of")
    scale = word_at(stream, at)
    if not joined or scale not in _SCORE_SCALES or value > float(scale):
        return None
    return value, f"of {scale}", "", at + 1


def _ordinal(stream: Sequence[Token], index: int, after: int, value: float) -> _Made:
    if stream[index].word in _ORDINALS:
        return value, "ordinal", "", after
    if word_at(stream, after) in _SUFFIXES and stream[after].start == stream[after - 1].end:
        return value, "ordinal", "", after + 1
    return None


def _money(stream: Sequence[Token], _: int, after: int, value: float) -> _Made:
    currency = CURRENCY_WORDS.get(word_at(stream, after))
    return (value, "money", currency, after + 1) if currency else None


def _measured(stream: Sequence[Token], _: int, after: int, value: float) -> _Made:
    unit = MEASURES.get(word_at(stream, after))
    if unit is None:
        return None
    dimension, factor = _DIMENSIONS[unit]
    return value * factor, dimension, "", after + 1


def _value_at(stream: Sequence[Token], index: int) -> tuple[float | None, int]:
    """The number that starts at `index`, scale words included, and the index after it."""
    token = stream[index]
    if token.kind == "number":
        if len(token.text) > _MAX_DIGITS or _is_part_of_name(stream, index):
            return None, index
        priced = word_at(stream, index - 1).replace(" ", "") in CURRENCY_SIGNS
        return _scaled(stream, index + 1, float(token.text.replace(",", "")), priced=priced)
    if token.word in _ORDINALS:
        return _ORDINALS[token.word], index + 1
    return _worded(stream, index)


def _worded(stream: Sequence[Token], index: int) -> tuple[float | None, int]:
    word, following = stream[index].word, word_at(stream, index + 1)
    if word == "half" and following in ("of", "its", "the", "their", "all"):
        return PARTS["half"] * 100.0, index + 1
    if word in ("a", "an") and following in _SCALES:
        return _scaled(stream, index + 1, 1.0)
    # "one" is a pronoun more often than a count.
    if word not in SMALL_NUMBERS or (word == "one" and following not in _SCALES):
        return None, index
    return _spelled(stream, index)


def _is_part_of_name(stream: Sequence[Token], index: int) -> bool:
    """ "COVID-19", "B12": the number counts nothing."""
    token, before = stream[index], stream[index - 1] if index else None
    if before is None or before.end != token.start:
        return False
    if before.text == "-" and index >= 2:
        return stream[index - 2].kind == "word" and stream[index - 2].end == before.start
    return before.kind == "word"


def _scaled(stream: Sequence[Token], after: int, value: float, *, priced: bool = False) -> tuple[float, int]:
    """ "5m" may be five metres, "$5m" may not."""
    letter = word_at(stream, after)
    glued = after < len(stream) and stream[after].start == stream[after - 1].end
    if glued and letter in LETTER_SCALES and (priced or letter not in MEASURES):
        return value * LETTER_SCALES[letter], after + 1
    for _ in range(2):  # "two hundred thousand"
        if word_at(stream, after) not in _SCALES:
            break
        value, after = value * _SCALES[word_at(stream, after)], after + 1
    return value, after


def _spelled(stream: Sequence[Token], index: int) -> tuple[float, int]:
    """ "two hundred and five thousand": groups below a thousand, each multiplied by the scale after it."""
    total, group, first = 0.0, 0.0, index
    while True:
        word = word_at(stream, index)
        if word in SMALL_NUMBERS and (index == first or group % 10 == 0):
            group += SMALL_NUMBERS[word]
        elif word in ("hundred", "dozen"):
            group *= _SCALES[word]
        elif word in _SCALES:
            total, group = total + (group or 1.0) * _SCALES[word], 0.0
        elif not (word in ("-", "and") and group >= 20 and word_at(stream, index + 1) in SMALL_NUMBERS):
            return total + group, index
        index += 1


def _nouns(stream: Sequence[Token], index: int) -> tuple[str, ...]:
    nouns: list[str] = []
    for token in stream[index : index + _NOUN_REACH]:
        if token.kind != "word" or token.word in _ENDS_PHRASE:
            break
        nouns.append(stem(token.word))
    return tuple(nouns)
