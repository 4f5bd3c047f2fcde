"""Cuts a text into overlapping chunks that end where sentences end (004 §9.2). Called when a page is ingested."""

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass

# The marks that end a sentence, with closing quotes, before white space; or the end of a line.
_SENTENCE_END = re.compile(r"(?:[.!?…]+[\"'”’»)\]]*(?=\s)|\n)\s*")
# Words that carry a full stop without ending a sentence; a single capital is somebody's initial.
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|Prof|St|No|vs|approx|e\.g|i\.e|z\.B|[A-Z])\.$")
_LONGEST_ABBREVIATION = 10
_WORD_START = re.compile(r"(?<!\S)\S")


@dataclass(frozen=True, slots=True)
class ChunkPolicy:
    """Sizes in characters, with the defaults of 004 §9.2."""

    size: int = 512
    overlap: int = 100

    def __post_init__(self) -> None:
        if not 0 <= self.overlap < self.size:
            raise ValueError(f"overlap must lie in [0, size), got overlap={self.overlap} and size={self.size}")


def chunk(text: str, policy: ChunkPolicy | None = None) -> list[str]:
    """The chunks of `text` in order, without white space at their edges; an empty text has none."""
    return [piece for start, end in chunk_spans(text, policy) if (piece := text[start:end].strip())]


def chunk_spans(text: str, policy: ChunkPolicy | None = None) -> list[tuple[int, int]]:
    """Where each chunk starts and ends in `text`. Together they cover it, and each begins within its predecessor.

    A chunk ends after a sentence if one ends in reach, else between words, else where it is full. The next one
    starts with the first sentence, else the first word, that starts in the last `overlap` characters.
    """
    policy = policy or ChunkPolicy()
    sentences = _sentence_starts(text)
    words = [match.start() for match in _WORD_START.finditer(text)]
    spans: list[tuple[int, int]] = []
    start = end = 0
    while end < len(text):
        end = _chunk_end(end, start + policy.size, len(text), (sentences, words))
        spans.append((start, end))
        start = _next_start(end - policy.overlap, end, (sentences, words))
    return spans


def _chunk_end(after: int, limit: int, length: int, boundaries: tuple[list[int], ...]) -> int:
    """The last boundary in (after, limit], of the first kind that has one."""
    if limit >= length:
        return length
    for starts in boundaries:
        position = bisect_right(starts, limit) - 1
        if position >= 0 and starts[position] > after:
            return starts[position]
    return limit


def _next_start(earliest: int, end: int, boundaries: tuple[list[int], ...]) -> int:
    """The first boundary in [earliest, end), of the first kind that has one."""
    for starts in boundaries:
        position = bisect_left(starts, earliest)
        if position < len(starts) and starts[position] < end:
            return starts[position]
    return max(0, earliest)


def _sentence_starts(text: str) -> list[int]:
    """Offsets at which sentences start after other sentences."""
    return [match.end() for match in _SENTENCE_END.finditer(text) if not _is_abbreviation(text, match)]


def _is_abbreviation(text: str, sentence_end: re.Match[str]) -> bool:
    stop = sentence_end.start() + len(sentence_end.group().rstrip())
    return _ABBREVIATION.search(text, max(0, stop - _LONGEST_ABBREVIATION), stop) is not None
