"""Sentences of running text: split at full stops that really end one."""

import re

from scoring.text.lexicon import word_set

_ABBREVIATIONS = word_set("""
    mr mrs ms dr prof gen sen rep gov sgt capt col lt st jr sr inc ltd co corp vs etc e.g i.e cf al fig no
    vol approx jan feb mar apr jun jul aug sep sept oct nov dec dept est ave blvd u.s u.k u.n d.c a.m p.m
    ph.d b.sc m.d hon rev
    """)
_BOUNDARY = re.compile(r"(?P<mark>[.!?…]+[\"'”’)\]]*|\n(?=\s*[-•*\d\n])|;)(?P<gap>\s+|$)|(?P<heading>\n)(?=[\"“'A-Z])")
_LAST_WORD = re.compile(r"([^\s(\"'“‘]+)$")

# A line without a full stop that is no longer than this, with a capital after it, is a heading; else it is wrapping.
_MAX_HEADING = 80


def split_sentences(text: str) -> list[str]:
    """The sentences of `text` in order, trimmed; semicolons separate too, as what they join can stand alone."""
    sentences: list[str] = []
    start = 0
    for match in _BOUNDARY.finditer(text):
        is_heading = match.group("heading") and match.start() - start <= _MAX_HEADING
        if is_heading or (match.group("mark") and _ends_sentence(text, start, match)):
            sentences.append(text[start : match.end()].strip())
            start = match.end()
    sentences.append(text[start:].strip())
    return [sentence for sentence in sentences if any(c.isalnum() for c in sentence)]


def _ends_sentence(text: str, start: int, match: re.Match[str]) -> bool:
    mark = match.group("mark")
    if not mark.startswith("."):
        return True
    following = text[match.end() : match.end() + 1]
    if following and following.islower():
        return False
    word = _LAST_WORD.search(text[max(start, match.start() - 20) : match.start()])
    if mark != "." or word is None:
        return True
    last = word.group(1)
    is_initial = re.fullmatch(r"(?:[A-Z]\.)*[A-Z]", last) is not None
    return not (is_initial or last.lower() in _ABBREVIATIONS) or not following
