"""Facts and relations in a page: sentences that state something, made to stand alone, and who does what to whom."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from agents.language.hostile import screen
from agents.language.rules.context import with_context
from agents.language.rules.entities import find_entities
from agents.language.rules.measures import measures
from agents.language.rules.sentences import split_sentences
from agents.language.rules.verbs import AUXILIARIES, finite_verbs
from scoring.text.cues import is_hedged, is_reporting
from scoring.text.lexicon import word_set
from scoring.values import Triple

MAX_FACTS = 12
MAX_TRIPLES = 12
MIN_WORDS = 5
MAX_WORDS = 45
PAGE_LIMIT = 20_000
_WORD = re.compile(r"[^\W_]+(?:[.'’,-][^\W_]+)*%?")
_PREPOSITIONS = word_set("in on at by of for to from with as into since until after before")
_FIRST_PERSON = re.compile(r"(?i)\b(?:i|we|my|our|you|your)\b")


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What one page states."""

    facts: tuple[str, ...]
    triples: tuple[Triple, ...]


def extract_facts(text: str, as_of: date | None = None) -> PageFacts:
    """The statements of a page worth storing, most telling first, with the relations in them."""
    sentences = split_sentences(screen(text, PAGE_LIMIT).text)
    stated = [sentence for sentence in with_context(sentences, as_of) if _states_something(sentence)]
    ranked = sorted(range(len(stated)), key=lambda index: (-_weight(stated[index]), index))
    chosen = sorted(ranked[:MAX_FACTS])
    facts = tuple(dict.fromkeys(stated[index] for index in chosen))
    triples = [triple for fact in facts for triple in triples_of(fact)]
    return PageFacts(facts, tuple(dict.fromkeys(triples))[:MAX_TRIPLES])


def _states_something(sentence: str) -> bool:
    words = _WORD.findall(sentence)
    if not MIN_WORDS <= len(words) <= MAX_WORDS or sentence.rstrip().endswith(("?", "…", ":")):
        return False
    return bool(finite_verbs(words)) and not _FIRST_PERSON.search(sentence)


def _weight(sentence: str) -> float:
    """Names, numbers and dates make a fact; hedges and hearsay unmake it."""
    names, numbers = len(find_entities(sentence)), len(measures(sentence))
    return min(names, 3) + min(numbers, 3) - 2.0 * is_hedged(sentence) - 2.0 * is_reporting(sentence)


def triples_of(sentence: str) -> list[Triple]:
    """Subject, relation and object of a sentence whose subject is a name and which says one thing of it."""
    body = sentence.rstrip(" .!")
    spans = [(match.group(), match.start(), match.end()) for match in _WORD.finditer(body)]
    words = [word for word, _, _ in spans]
    verbs = [index for index in finite_verbs(words) if index > 0]
    if not verbs or verbs[0] > 8:
        return []
    subject = body[: spans[verbs[0]][1]].strip(" ,-–—•*")  # an item of a list begins with its mark
    if not find_entities(f"About {subject}"):
        return []
    last = _end_of_relation(words, verbs[0])
    if last >= len(words):
        return []
    relation = " ".join(words[verbs[0] : last]).lower()
    thing = _object(body[spans[last][1] :])
    return [Triple(subject, relation, thing)] if thing and len(subject.split()) <= 8 else []


def _end_of_relation(words: Sequence[str], start: int) -> int:
    """Index after the verb group: auxiliaries, "not", a participle and one preposition."""
    end = start + 1
    if words[start].lower() in AUXILIARIES:
        while end < len(words) and (words[end].lower() in ("not", "been", "be", "also") or words[end].endswith("ed")):
            end += 1
    if end < len(words) and words[end].lower() in _PREPOSITIONS:
        end += 1
    return end


def _object(rest: str) -> str:
    """Up to the first comma or clause; an object longer than a phrase is no node of a graph."""
    thing = re.split(r",(?!\d)|;| which | who | that | because | although | while | and (?=\w+ed\b)", rest, maxsplit=1)[
        0
    ].strip(" .")
    return thing if 0 < len(thing.split()) <= 12 else ""
