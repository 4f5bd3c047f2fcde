"""A draft cut into sentences: one pass, aware of abbreviations, lists, headings and anchors after the full stop."""

import re
from collections.abc import Iterator

from scoring.drafts.citations import ANCHOR
from scoring.text.lexicon import word_set

# A line that begins like this starts a block of its own; other line breaks are wrapping.
_BLOCK_START = re.compile(r"[ \t]{0,8}(?:[-*+•–][ \t]|\d{1,3}[.)][ \t]|#{1,6}[ \t]|>|\|)")
_BULLET = re.compile(r"\A[ \t]{0,8}(?:[-*+•–>][ \t]{1,4}|\d{1,3}[.)][ \t]{1,4})")
_HEADING = re.compile(r"[ \t]{0,8}#{1,6}[ \t]")
_END = re.compile(rf"(?:[.!?…]++[\"'”’»)*_]{{0,4}}+(?=\s|$|\[)|[。！？]++)(?:\s?{ANCHOR})*+", re.IGNORECASE)
_LAST_WORD = re.compile(r"[^\W\d_][\w.]{0,11}$")
_ABBREVIATIONS = word_set("""
    al approx art ca cf ch co corp dept dr e.g eq est fig figs gen gov hon i.e inc jr lt ltd mr mrs ms mt no nos
    p pp prof rep rev sec sen sr st vol vs
""")


def is_heading(sentence: str) -> bool:
    """Whether the sentence is a heading line."""
    return _HEADING.match(sentence) is not None


def sentences(draft: str) -> tuple[str, ...]:
    """The sentences in order, each with its anchors; list markers are removed, headings keep theirs."""
    return tuple(sentence for block in _blocks(draft) for sentence in _split(block))


def _blocks(draft: str) -> Iterator[str]:
    """Paragraphs, list items and headings; wrapped lines are joined, in a list only if they are indented."""
    lines: list[str] = []
    in_list = False
    for line in draft.splitlines():
        outdented = in_list and not line[:1].isspace()
        if not line.strip() or _BLOCK_START.match(line) or outdented or (lines and is_heading(lines[0])):
            yield " ".join(lines)
            lines, in_list = [], _BULLET.match(line) is not None
        if line.strip():
            lines.append(line if is_heading(line) else _BULLET.sub("", line, count=1).strip())
    yield " ".join(lines)


def _split(block: str) -> Iterator[str]:
    if is_heading(block):
        yield block.strip()
        return
    start = 0
    for match in _END.finditer(block):
        if _ends_sentence(block, match.start(), match.end()):
            if sentence := block[start : match.end()].strip():
                yield sentence
            start = match.end()
    if rest := block[start:].strip():
        yield rest


def _ends_sentence(block: str, stop: int, after: int) -> bool:
    """A full stop after an abbreviation or an initial, or before a lowercase word, ends nothing."""
    if block[stop] != ".":
        return True
    if block[after : after + 4].strip()[:1].islower():
        return False
    if block[stop + 1 : stop + 2] == ".":
        return True
    word = _LAST_WORD.search(block[max(0, stop - 12) : stop])
    if word is None:
        return True
    last = word.group()
    initial = len(last) == 1 and last.isupper() and last != "I"
    return not (initial or last.lower() in _ABBREVIATIONS or _dotted_initials(last))


def _dotted_initials(word: str) -> bool:
    """ "U.S", "E.U": the full stop that follows belongs to the name. "a.m" ends sentences often enough."""
    return "." in word and word.isupper() and all(len(part) == 1 for part in word.split("."))
