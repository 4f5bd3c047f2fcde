"""Dates in a stream of tokens: "12 February 2020", "March 1, 2021", "May 2015", "1932"."""

import calendar
from collections.abc import Sequence
from dataclasses import dataclass

from scoring.text.units import CURRENCY_SIGNS, MEASURES, PERCENT, SCALES

Parts = tuple[int, int, int]
_Found = tuple[Parts | None, int]

_MONTH_NAMES = tuple(name.lower() for name in calendar.month_name if name)
_MONTHS = {name[:length]: number for number, name in enumerate(_MONTH_NAMES, start=1) for length in (3, len(name))} | {
    "sept": 9
}
_SUFFIXES = frozenset(("st", "nd", "rd", "th"))


@dataclass(frozen=True, slots=True)
class Token:
    """A number, word, sign or separator, and where it stands."""

    text: str
    kind: str
    start: int
    end: int

    @property
    def word(self) -> str:
        return self.text.lower()


def word_at(stream: Sequence[Token], index: int) -> str:
    """The lowercase token at `index`, or nothing beyond the ends."""
    return stream[index].word if 0 <= index < len(stream) else ""


def date_at(stream: Sequence[Token], index: int) -> _Found:
    """Year, month and day (0 where it does not say) of a date that starts at `index`, and the index after it."""
    for reader in (_day_month, _month_day, _bare_year):
        parts, after = reader(stream, index)
        if parts is not None:
            return parts, after
    return None, index


def _day_month(stream: Sequence[Token], index: int) -> _Found:
    day, at = _day(stream, index), index + 1
    at += word_at(stream, at) in _SUFFIXES
    at += word_at(stream, at) == "of"
    month = _month(stream, at)
    if not day or not month:
        return None, index
    year, after = _year_after(stream, at + 1)
    return (year, month, day), after


def _month_day(stream: Sequence[Token], index: int) -> _Found:
    month = _month(stream, index)
    if not month:
        return None, index
    at, day = index + 1, _day(stream, index + 1)
    if day:
        at += 2 if word_at(stream, at + 1) in _SUFFIXES else 1
    year, after = _year_after(stream, at)
    return ((year, month, day), after) if day or year else (None, index)


def _bare_year(stream: Sequence[Token], index: int) -> _Found:
    year, following = _year(stream, index), word_at(stream, index + 1)
    counts = following in SCALES or following in MEASURES or following in PERCENT
    if not year or counts or word_at(stream, index - 1) in CURRENCY_SIGNS:
        return None, index
    return (year, 0, 0), index + 1


def _day(stream: Sequence[Token], index: int) -> int:
    text = word_at(stream, index)
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 2 and 1 <= int(text) <= 31 else 0


def _month(stream: Sequence[Token], index: int) -> int:
    """The month's number; it must be capitalised, as "may" and "march" are words of their own."""
    if not 0 <= index < len(stream) or not stream[index].text[0].isupper():
        return 0
    return _MONTHS.get(stream[index].word, 0)


def _year(stream: Sequence[Token], index: int) -> int:
    text = word_at(stream, index)
    return int(text) if text.isascii() and text.isdigit() and len(text) == 4 and 1000 <= int(text) <= 2199 else 0


def _year_after(stream: Sequence[Token], index: int) -> tuple[int, int]:
    at = index + (word_at(stream, index) in (",", "of"))
    year = _year(stream, at)
    return (year, at + 1) if year else (0, index)
