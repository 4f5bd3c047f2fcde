"""Whether a page can be parsed at a known cost: its tags counted before any tree of them is built.

Parsers need time that grows with the square of the attributes of one tag, and memory for every element: a page of a few
hundred kilobytes can be made to hold up a thread for hours. It is fed to the parser in small pieces without building
anything, and given up as soon as it asks for too much.
"""

import re
from dataclasses import dataclass
from typing import Any

PIECE = 8_192
MOST_SEPARATORS = 20_000
"""In a tag that does not end: no tag has more attributes than characters that can part them. Drawings and pictures that
stand in the page itself have a fraction of it; so has a comment, which looks the same from here."""
_SEPARATOR = re.compile(r"[\s/\"']+")


@dataclass(frozen=True, slots=True)
class StructureLimits:
    """What a page may consist of."""

    # News pages have a few thousand elements; the parsers need a second for twenty thousand and minutes for millions.
    elements: int = 50_000
    # Of all elements together: two or three each are usual.
    attributes: int = 150_000
    # Of one element. Frameworks write two or three dozen.
    own_attributes: int = 256


class _TooMuch(Exception):  # noqa: N818 - ends the survey
    """What the parser is interrupted with."""


class _Counts:
    """What the parser reports to, as lxml asks for it."""

    def __init__(self, limits: StructureLimits) -> None:
        self._limits = limits
        self._elements = self._attributes = 0
        self.moved = False
        self.problem = ""

    def start(self, _: str, attributes: Any) -> None:
        self.moved = True
        self._elements += 1
        self._attributes += len(attributes)
        limits = self._limits
        if len(attributes) > limits.own_attributes:
            self._give_up(f"an element of the page has more than {limits.own_attributes} attributes")
        if self._elements > limits.elements:
            self._give_up(f"the page has more than {limits.elements} elements")
        if self._attributes > limits.attributes:
            self._give_up(f"the elements of the page have more than {limits.attributes} attributes")

    def end(self, _: str) -> None:
        self.moved = True

    def data(self, _: str) -> None:
        self.moved = True

    def comment(self, _: str) -> None:
        self.moved = True

    def close(self) -> None:
        return

    def _give_up(self, problem: str) -> None:
        self.problem = problem
        raise _TooMuch


def excess(page: str, limits: StructureLimits) -> str:
    """What the page has too much of; empty if it can be parsed."""
    from lxml import etree

    counts = _Counts(limits)
    parser = etree.HTMLParser(target=counts)
    waiting = 0
    for start in range(0, len(page), PIECE):
        piece = page[start : start + PIECE]
        counts.moved = False
        try:
            parser.feed(piece)
        except _TooMuch:
            return counts.problem
        # The parser reports a tag when it has the whole of it: until then it is what everything fed belongs to.
        waiting = 0 if counts.moved else waiting + len(_SEPARATOR.findall(piece))
        if waiting > MOST_SEPARATORS:
            return "a tag of the page does not end"
    return ""
