"""The skeleton of an article by rules (002): what happened, what was measured, who said what, what was decreed."""

import re
from collections.abc import Sequence

from agents.language.hostile import screen
from agents.language.rules.entities import find_entities
from agents.language.rules.facts import triples_of
from agents.language.rules.measures import Measure, measures
from agents.language.rules.metadata import describe
from agents.language.rules.sentences import split_sentences
from scoring.skeleton import (
    CoverageSkeleton,
    SkeletonEvent,
    SkeletonMeasurement,
    SkeletonPolicyStatement,
    SkeletonQuote,
)
from scoring.values import Triple

ARTICLE_LIMIT = 60_000
MAX_PER_KIND = 40
# A longer "sentence" is a table or a list that lost its line ends.
MAX_SENTENCE = 600
_QUOTE = re.compile(r"\"([^\"\n]{8,600})\"|“([^“”\n]{8,600})”|«([^«»\n]{8,600})»|„([^„“”\n]{8,600})[“”]")
_SPEAKER = re.compile(r"\b(?:said|says|told|added|explained|wrote|announced|according to)\b", re.IGNORECASE)


def outline(article: str) -> CoverageSkeleton:
    """The skeleton of an article; a sentence with a number is a measurement too, so nothing counted is left out."""
    events: list[SkeletonEvent] = []
    figures: list[SkeletonMeasurement] = []
    rules: list[SkeletonPolicyStatement] = []
    text = screen(article, ARTICLE_LIMIT).text
    for sentence in split_sentences(text):
        if len(sentence) > MAX_SENTENCE:
            continue
        kind, triples = describe(sentence).predicate_type, triples_of(sentence)
        for triple in triples:
            if kind == "policy":
                rules.append(
                    SkeletonPolicyStatement(triple.subject, f"{triple.relation} {triple.object}", _time(sentence))
                )
            else:
                events.append(SkeletonEvent(triple.subject, triple.relation, triple.object, _time(sentence)))
        figures += _figures(sentence, triples)
    return CoverageSkeleton(
        events=tuple(events[:MAX_PER_KIND]),
        measurements=tuple(figures[:MAX_PER_KIND]),
        quotes=tuple(_quotes(text)[:MAX_PER_KIND]),
        policies=tuple(rules[:MAX_PER_KIND]),
    )


def _time(sentence: str) -> str:
    return next((sentence[m.start : m.end] for m in measures(sentence) if m.dimension in ("date", "year")), "")


def _figures(sentence: str, triples: Sequence[Triple]) -> list[SkeletonMeasurement]:
    """Whose number each is: the sentence's subject, else its first name; and the words around the number."""
    names = [entity.name for entity in find_entities(sentence)]
    subject = triples[0].subject if triples else names[0] if names else ""
    if not subject:
        return []
    time, found = _time(sentence), []
    for measure in measures(sentence):
        if measure.dimension in ("date", "year", "ordinal"):
            continue
        quantity = sentence[measure.start : measure.end]
        found.append(SkeletonMeasurement(subject, _metric(sentence, measure, subject), quantity, time))
    return found


def _metric(sentence: str, measure: Measure, subject: str) -> str:
    before = sentence[: measure.start].removeprefix(subject).strip(" ,")
    after = " ".join(sentence[measure.end : measure.end + 60].split()[:2]).rstrip(".,;")
    return " ".join([*before.split()[-6:], after]).strip()


def _quotes(text: str) -> list[SkeletonQuote]:
    quotes = []
    for match in _QUOTE.finditer(text):
        words = next(group for group in match.groups() if group)
        quotes.append(SkeletonQuote(_speaker(text, match.start(), match.end()), words.strip()))
    return quotes


def _speaker(text: str, start: int, end: int) -> str:
    """The name next to a verb of saying, right after the quotation or in the sentence before it."""
    for around in (text[end : end + 120], text[max(0, start - 160) : start]):
        if _SPEAKER.search(around):
            names = find_entities(f"then {around}")
            if names:
                return names[0].name
    return ""
