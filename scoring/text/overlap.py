"""How much of a claim, its entities or its anchors a text contains: shares of what is asked for, so recall-like.

The classes are the claim's side, prepared once and held against many texts; the functions are for a single pair.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple

from scoring.text.words import content_stems, stem, tokens

# A word shares its first letters with its stem: three of them, or two where the stem itself is as short as that.
_KEY_LENGTH = 3
_SHORT_KEY_LENGTH = 2


class Passage(NamedTuple):
    """A text cut into words once, for all the measures that read it."""

    text: str
    tokens: tuple[str, ...]
    words: frozenset[str]

    @classmethod
    def of(cls, text: str) -> "Passage":
        cut = tokens(text)
        return cls(text, cut, frozenset(cut))


@dataclass(frozen=True, slots=True)
class StemQuery:
    """Stems to be looked up in many passages. Only words that could have one of the stems are stemmed."""

    stems: frozenset[str]
    keys: frozenset[str]
    short_keys: frozenset[str]
    starts: frozenset[str]
    """The first two letters of all keys: most words are ruled out by these alone."""

    @classmethod
    def of(cls, stems: Iterable[str]) -> "StemQuery":
        wanted = frozenset(stems)
        keys = _spellings(one[:_KEY_LENGTH] for one in wanted if len(one) > _KEY_LENGTH)
        short = _spellings(one[:_SHORT_KEY_LENGTH] for one in wanted if len(one) <= _KEY_LENGTH)
        return cls(wanted, keys, short, short | {key[:_SHORT_KEY_LENGTH] for key in keys})

    def words_in(self, words: AbstractSet[str]) -> dict[str, str]:
        """The words that have one of the stems, with that stem."""
        starts, keys, short_keys, wanted = self.starts, self.keys, self.short_keys, self.stems
        return {
            word: one
            for word in words
            if (start := word[:_SHORT_KEY_LENGTH]) in starts
            and (start in short_keys or word[:_KEY_LENGTH] in keys)
            and (one := stem(word)) in wanted
        }

    def found_in(self, words: AbstractSet[str]) -> frozenset[str]:
        """The stems that at least one of the words has."""
        return frozenset(self.words_in(words).values())


class Lookup:
    """A `StemQuery` over many passages: each word is looked up once, however many passages contain it."""

    def __init__(self, query: StemQuery) -> None:
        self._query = query
        self._seen: set[str] = set()
        self._hits: set[str] = set()
        self._stems: dict[str, str] = {}

    def words_in(self, words: AbstractSet[str]) -> dict[str, str]:
        """The words that have one of the stems, with that stem."""
        unseen = words - self._seen
        if unseen:
            self._seen |= unseen
            if new := self._query.words_in(unseen):
                self._stems |= new
                self._hits.update(new)
        stems = self._stems
        return {word: stems[word] for word in self._hits & words}


def _spellings(keys: Iterable[str]) -> frozenset[str]:
    """The stemmer turns a final y into i ("fly", "fli"), so each i of a key may have been a y in the word."""
    found = set(keys)
    for key in tuple(found):
        found |= {key[:at] + "y" + key[at + 1 :] for at, letter in enumerate(key) if letter == "i"}
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

    @property
    def is_single(self) -> bool:
        """One stem and no acronym."""
        return len(self.stems) == 1 and not self.acronym

    def is_in(self, passage: Passage) -> bool:
        """Whether the passage mentions all of it."""
        return self.share_found(passage, StemQuery.of(self.stems).found_in(passage.words)) == 1.0

    def share_found(self, passage: Passage, found: AbstractSet[str]) -> float:
        """1 if the acronym is there, else the share of its stems that are."""
        if self.acronym and self.acronym.lower() in passage.words and self.acronym in passage.text:
            return 1.0
        return len(self.stems & found) / len(self.stems) if self.stems else 0.0


@dataclass(frozen=True, slots=True)
class TermQuery:
    """Names or anchors to be looked up in many passages."""

    count: int
    single: frozenset[str]
    """Stems that are a whole term each: found or not, there is no share to work out."""
    other: tuple[Term, ...]
    stems: StemQuery

    @classmethod
    def of(cls, terms: Sequence[str]) -> "TermQuery":
        prepared = [term for term in map(Term.of, terms) if term.stems or term.acronym]
        alone = Counter(stem for term in prepared if term.is_single for stem in term.stems)
        single = frozenset(stem for stem, times in alone.items() if times == 1)
        other = tuple(term for term in prepared if not (term.is_single and term.stems <= single))
        return cls(len(prepared), single, other, StemQuery.of(one for term in prepared for one in term.stems))

    def match(self, passage: Passage) -> float:
        return self.match_found(passage, self.stems.found_in(passage.words))

    def match_found(self, passage: Passage, found: AbstractSet[str]) -> float:
        """The mean share of the terms that the passage contains; 0 when there are no terms to look for."""
        if not self.count:
            return 0.0
        total = float(len(self.single & found))
        for term in self.other:
            total += term.share_found(passage, found)
        return total / self.count


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
