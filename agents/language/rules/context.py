"""A sentence made to stand alone: pronouns replaced by what they mean, relative dates by dates."""

import re
from collections.abc import Sequence
from datetime import date, timedelta

from agents.language.rules.entities import find_entities
from agents.language.rules.verbs import is_finite
from scoring.text.lexicon import word_set

_SUBJECT_PRONOUNS = word_set("he she it they")
_POSSESSIVES = word_set("his her its their")
_VAGUE_SUBJECT = re.compile(
    r"(?i)^the (?:company|firm|group|city|town|country|agency|team|club|hospital|school|bank)\b"
)
_FIRST_WORD = re.compile(r"^(\W*)([^\W\d_]+)")
_RELATIVE = re.compile(
    r"(?i)\b(yesterday|today|tomorrow|this year|last year|next year|this month|last month|"
    r"last week|this week|(?:on|last) (monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b"
)
# "from tomorrow" became "from on 3 October".
_DOUBLE = re.compile(r"(?i)\b(from|since|until|by|before|after|for|of) (?:on|in)\b")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def decontextualise(sentence: str, context: str = "", as_of: date | None = None) -> str:
    """`sentence` with its opening pronoun and relative dates spelled out, as far as the context tells."""
    resolved = _with_subject(sentence, context) if context else sentence
    if as_of is None:
        return resolved
    return _DOUBLE.sub(r"\1", _RELATIVE.sub(lambda match: _dated(match, as_of), resolved))


def _with_subject(sentence: str, context: str) -> str:
    first = _FIRST_WORD.match(sentence)
    if first is None:
        return sentence
    word = first.group(2).lower()
    names = _subjects(context)
    if not names:
        return sentence
    rest = sentence[first.end() :]
    if word in _SUBJECT_PRONOUNS and _verb_follows(rest):
        return f"{first.group(1)}{names[-1]}{rest}"
    if word in _POSSESSIVES:
        return f"{first.group(1)}{names[-1]}'s{rest}"
    if _VAGUE_SUBJECT.match(sentence):
        return _VAGUE_SUBJECT.sub(names[-1], sentence, count=1)
    return sentence


def _verb_follows(rest: str) -> bool:
    words = rest.lower().split()
    return any(is_finite(words, index) for index in range(min(3, len(words))))


def _subjects(context: str) -> list[str]:
    """Names that open a sentence of the context, in order: what a later pronoun most likely means."""
    names: list[str] = []
    for name in (entity.name for entity in find_entities(context)):
        at = context.find(name)
        before = context[:at].rstrip()
        if (
            not before
            or before.endswith((".", "!", "?", "\n"))
            or before.lower().endswith(("the", "dr.", "mr.", "ms."))
        ):
            names.append(name)
    return names


def _dated(match: re.Match[str], as_of: date) -> str:
    phrase = match.group(1).lower()
    days = {"yesterday": -1, "today": 0, "tomorrow": 1}
    if phrase in days:
        return f"on {_spelled(as_of + timedelta(days=days[phrase]))}"
    if phrase.endswith("year"):
        return f"in {as_of.year + {'this': 0, 'last': -1, 'next': 1}[phrase.split()[0]]}"
    if phrase.endswith("month"):
        last = as_of.replace(day=1) - timedelta(days=1)
        return f"in {(as_of if phrase.startswith('this') else last).strftime('%B %Y')}"
    if phrase.endswith("week"):
        monday = as_of - timedelta(days=as_of.weekday() + (0 if phrase.startswith("this") else 7))
        return f"in the week of {_spelled(monday)}"
    return f"on {_spelled(_last_weekday(as_of, match.group(2).lower()))}"


def _last_weekday(as_of: date, name: str) -> date:
    back = (as_of.weekday() - _WEEKDAYS.index(name)) % 7
    return as_of - timedelta(days=back or 7)


def _spelled(day: date) -> str:
    return f"{day.day} {day.strftime('%B %Y')}"


def with_context(sentences: Sequence[str], as_of: date | None = None, window: int = 3) -> tuple[str, ...]:
    """Each sentence of a text made to stand alone, with the few before it as context."""
    return tuple(
        decontextualise(sentence, " ".join(sentences[max(0, index - window) : index]), as_of)
        for index, sentence in enumerate(sentences)
    )
