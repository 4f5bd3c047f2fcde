"""Which sentence of which passage states a relation: what ties a fact of the graph to the text it was read from."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from agents.language.rules.facts import PAGE_LIMIT
from agents.language.rules.sentences import split_sentences
from scoring.text.words import content_stems
from scoring.values import Triple
from storage.ports import Passage

WHAT_IS_SAID = 2.0
"""Weight of relation and object beside the subject's 1: a sentence often calls its subject only 'she' or 'it'."""
LEAST = 0.5
"""With less than half of the relation's words a sentence merely touches on the subject."""
READ_CHARACTERS = 2 * PAGE_LIMIT
"""Passages overlap, and what is invisible on a page counts here."""


class Statement(NamedTuple):
    """A sentence as the page words it, and the passage that it stands in."""

    passage_id: str
    text: str


class Statements:
    """The sentences of a page's passages, each with its words."""

    def __init__(self, passages: Iterable[Passage]) -> None:
        found: dict[str, str] = {}
        for passage in _beginning(passages):  # passages overlap; a sentence in two of them belongs to the first
            for sentence in split_sentences(passage.text):
                found.setdefault(sentence, passage.id)
        self._sentences = [(Statement(where, text), content_stems(text)) for text, where in found.items()]

    def of(self, triple: Triple) -> Statement | None:
        """The sentence with most of the relation's words, of equals the shortest; None if none has half of them."""
        said, subject = content_stems(f"{triple.relation} {triple.object}"), content_stems(triple.subject)
        wanted = [(part, weight) for part, weight in ((said, WHAT_IS_SAID), (subject, 1.0)) if part]
        rated = ((_share(wanted, words), -len(words), statement) for statement, words in self._sentences)
        best = max(rated, key=lambda found: found[:2], default=None)
        return best[2] if best is not None and best[0] >= LEAST else None


def _beginning(passages: Iterable[Passage]) -> Iterator[Passage]:
    """As far as relations are ever read from a page, however long it is."""
    length = 0
    for passage in passages:
        if length > READ_CHARACTERS:
            return
        yield passage
        length += len(passage.text)


def _share(wanted: Sequence[tuple[frozenset[str], float]], words: frozenset[str]) -> float:
    """How much of what is wanted is there, in [0, 1]; what consists of stop words alone does not count."""
    weights = sum(weight for _, weight in wanted)
    return sum(weight * len(part & words) / len(part) for part, weight in wanted) / weights if wanted else 0.0
