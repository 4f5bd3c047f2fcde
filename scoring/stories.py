"""Which passages tell the same story: a wire report on ten sites is one piece of evidence, not ten.

Pages are compared by the word sequences that they share; the few dozen rows of a job are compared pair by pair, so
nothing is estimated and the answer depends on the texts alone.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from scoring.checks import unit
from scoring.text.words import tokens

Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class StoryPolicy:
    """No specification gives numbers. In the sample town copies share all sequences and independent reports of one
    event at most a quarter, so half lies well between them."""

    # Sequences of this many words: names and set phrases are shorter, so that independent reports rarely share one.
    shingle_words: int = 4
    # Of the shorter text's sequences, how many the other must have: a site that adds a paragraph copies all the same.
    copied_share: float = 0.5
    # A sentence of a dozen words may be the same by chance ("The council has 41 members."): too short to tell.
    min_shingles: int = 9

    def __post_init__(self) -> None:
        unit("copied_share", self.copied_share)
        if self.shingle_words < 1 or self.min_shingles < 1:
            raise ValueError("shingle_words and min_shingles must be at least 1")


DEFAULT = StoryPolicy()


class Told(NamedTuple):
    """A passage as it is compared: what it says, on which page, and how much it matters."""

    id: str
    text: str
    page: str
    relevance: float


@dataclass(frozen=True, slots=True)
class _Page:
    """The passages of one page, the most relevant first."""

    passages: tuple[Told, ...]
    shingles: Shingles


def copies(passages: Sequence[Told], policy: StoryPolicy = DEFAULT) -> Mapping[str, str]:
    """For every passage of a page that copies a more relevant page, the id of the passage there that it repeats.

    A copy's passage that the other page is not represented with points to the nearest one: it is the same story.
    """
    leaders: list[_Page] = []
    found: dict[str, str] = {}
    for page in _pages(passages, policy):
        original = next((leader for leader in leaders if _is_copy(page.shingles, leader.shingles, policy)), None)
        if original is None:
            leaders.append(page)
        else:
            found |= {told.id: _nearest(told, original, policy) for told in page.passages}
    return found


def shared(one: Shingles, other: Shingles) -> float:
    """The share of the shorter text's sequences that the other has too; 0 if one has none."""
    shorter = min(len(one), len(other))
    return len(one & other) / shorter if shorter else 0.0


@lru_cache(maxsize=256)  # of one set of passages copies are looked for at every step; a few kilobytes each
def shingles(text: str, words: int = DEFAULT.shingle_words) -> Shingles:
    """Every sequence of so many words."""
    found = tokens(text)
    return frozenset(found[start : start + words] for start in range(len(found) - words + 1))


def _pages(passages: Sequence[Told], policy: StoryPolicy) -> list[_Page]:
    """The most relevant page first; a passage without an address is a page of its own."""
    by_page: dict[str, list[Told]] = {}
    for told in sorted(passages, key=lambda one: (-one.relevance, one.id)):
        by_page.setdefault(told.page or told.id, []).append(told)
    return [_Page(tuple(some), _of_all(some, policy)) for some in by_page.values()]


def _of_all(passages: Sequence[Told], policy: StoryPolicy) -> Shingles:
    return frozenset().union(*(shingles(told.text, policy.shingle_words) for told in passages))


def _is_copy(one: Shingles, other: Shingles, policy: StoryPolicy) -> bool:
    return min(len(one), len(other)) >= policy.min_shingles and shared(one, other) >= policy.copied_share


def _nearest(told: Told, original: _Page, policy: StoryPolicy) -> str:
    own = shingles(told.text, policy.shingle_words)
    return max(original.passages, key=lambda one: shared(own, shingles(one.text, policy.shingle_words))).id
