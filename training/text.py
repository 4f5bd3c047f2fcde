"""Small text tools that the augmentations share: sentences, content words, numbers and names."""

import re

SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z0-9\"'(\[`])")
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9'-]*")
NUMBER = re.compile(r"(?<![\w.,])\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\w)|(?<![\w.,])\d+(?:\.\d+)?(?!\w)(?!,\d)")
NAME = re.compile(r"\b[A-Z][\w'’.-]*(?:\s+(?:of\s+|the\s+|de\s+|von\s+)?[A-Z][\w'’-]*){0,3}")

_STOP_WORDS = """
a an the and or but if of to in on at by for with from as is are was were be been being has have had do does did it its
this that these those he she they his her their them him who which what when where will would can could may might should
not no nor so than then there here also more most some any all each both such only own same into about over under after
before between during through against up down out off again further once
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())


def sentences(text: str) -> list[str]:
    """Rough sentences: good enough to shuffle, drop and pad."""
    return [part for part in SENTENCE_END.split(text.strip()) if part]


def content_words(text: str) -> set[str]:
    """Lower-case words that carry meaning."""
    return {word for word in (match.lower() for match in WORD.findall(text)) if word not in STOP_WORDS}


def coverage(claim: str, evidence: str, ignoring: str = "") -> float:
    """Share of the claim's content words that the evidence holds, apart from those of a shared title."""
    wanted = content_words(claim) - content_words(ignoring)
    return len(wanted & content_words(evidence)) / len(wanted) if wanted else 1.0


def names(text: str) -> list[str]:
    """Capitalised runs that look like names; a single capital word that opens the sentence does not count."""
    found = []
    for match in NAME.finditer(text):
        name = match.group().strip(" .")
        single_opening = match.start() == 0 and " " not in name
        if not single_opening and len(name) > 2 and name.lower() not in STOP_WORDS:
            found.append(name)
    return found


def starts_as_clause(text: str) -> str:
    """The sentence as it reads after 'that': without its full stop, with a plain opening word in lower case."""
    clause = text.strip().rstrip(" .")
    first = clause.split(" ", 1)[0]
    plain = first.lower() in STOP_WORDS
    return clause[:1].lower() + clause[1:] if plain else clause
