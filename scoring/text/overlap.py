"""How much of a claim, its entities or its anchors a text contains: shares of what is asked for, so recall-like.

The classes are the claim's side, prepared once and held against many texts; the functions are for a single pair.
"""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from scoring.text.words import content_stems, is_content, stem, tokens

# Words whose stem does not share their first letters, so that looking up by first letters would miss them.
_IRREGULAR = frozenset(("dying", "lying", "tying"))
_KEY_LENGTH = 3


def _key(word: str) -> str:
    """The first letters that a word and its stem have in common (the stemmer turns a final y into i)."""
    return word[:_KEY_LENGTH].replace("y", "i")


@dataclass(frozen=True, slots=True)
class Passage:
    """A text cut into words once, for all the measures that read it."""

    text: str
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Passage":
        return cls(text, frozenset(tokens(text)))


@dataclass(frozen=True, slots=True)
class StemQuery:
    """Stems to be looked up in many passages. Only words that could have one of the stems are stemmed."""

    stems: frozenset[str]
    keys: frozenset[str]

    @classmethod
    def of(cls, stems: Iterable[str]) -> "StemQuery":
        wanted = frozenset(stems)
        return cls(wanted, frozenset(_key(one) for one in wanted))

    def found_in(self, words: AbstractSet[str]) -> frozenset[str]:
        """The stems that at least one of the words has."""
        keys, wanted = self.keys, self.stems
        found = set()
        for word in words:
            if len(word) <= _KEY_LENGTH or _key(word) in keys or word in _IRREGULAR:
                one = stem(word)
                if one in wanted:
                    found.add(one)
        return frozenset(found)


@dataclass(frozen=True, slots=True)
class Term:
    """One name or anchor: its stems, and the spelling of its acronym if it has one."""

    stems: frozenset[str]
    acronym: str

    @classmethod
    def of(cls, text: str) -> "Term":
        words = text.split()
        if len(words) == 1 and text.isupper() and 2 <= len(text) <= 6:
            return cls(frozenset(), text)
        stems = content_stems(text) or frozenset(stem(word) for word in tokens(text))
        initials = "".join(word[0] for word in words if word[0].isupper())
        return cls(stems, initials if len(initials) >= 3 else "")

    def share_found(self, passage: Passage, found: AbstractSet[str]) -> float:
        """1 if the acronym is there, else the share of its stems that are."""
        if self.acronym and self.acronym in passage.text and self.acronym.lower() in passage.words:
            return 1.0
        return len(self.stems & found) / len(self.stems) if self.stems else 0.0


@dataclass(frozen=True, slots=True)
class TermQuery:
    """Names or anchors to be looked up in many passages."""

    terms: tuple[Term, ...]
    stems: StemQuery

    @classmethod
    def of(cls, terms: Sequence[str]) -> "TermQuery":
        prepared = tuple(term for term in map(Term.of, terms) if term.stems or term.acronym)
        return cls(prepared, StemQuery.of(one for term in prepared for one in term.stems))

    def match(self, passage: Passage) -> float:
        return self.match_found(passage, self.stems.found_in(passage.words))

    def match_found(self, passage: Passage, found: AbstractSet[str]) -> float:
        """The mean share of the terms that the passage contains; 0 when there are no terms to look for."""
        if not self.terms:
            return 0.0
        return sum(term.share_found(passage, found) for term in self.terms) / len(self.terms)


def claim_overlap(claim: str, text: str) -> float:
    """The share of the claim's content stems that occur in the text; 0 for a claim without any."""
    query = StemQuery.of(content_stems(claim))
    return len(query.found_in(Passage.of(text).words)) / len(query.stems) if query.stems else 0.0


def entity_overlap(entities: Sequence[str], text: str) -> float:
    """The mean share of the entities that occur in the text: by words, or by acronym ("WHO")."""
    return TermQuery.of(entities).match(Passage.of(text))


def anchor_match(anchors: Sequence[str], text: str) -> float:
    """The mean share of the anchors that occur in the text; a multi-word anchor counts by its words."""
    return TermQuery.of(anchors).match(Passage.of(text))


__all__ = [
    "Passage",
    "StemQuery",
    "Term",
    "TermQuery",
    "anchor_match",
    "claim_overlap",
    "entity_overlap",
    "is_content",
]
