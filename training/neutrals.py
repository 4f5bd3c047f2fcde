"""Neutral pairs that no data set holds: random ones, and hard ones that share topic and words but not the matter."""

import random
from collections import defaultdict
from collections.abc import Sequence

from training.pairs import NEUTRAL, Pair, Target
from training.text import content_words, coverage

HARD: Target = (0.04, 0.04, 0.92)
"""Not quite neutral: a few of these passages do speak of the claim."""
RARE = 150
"""A word in at most this many passages tells a topic."""
TRIES = 6


def random_neutrals(pairs: Sequence[Pair], count: int, draw: random.Random) -> list[Pair]:
    """Claims beside passages of unrelated claims of the same source."""
    if len(pairs) < 2:
        return []
    made = []
    for _ in range(count):
        one, other = draw.choice(pairs), draw.choice(pairs)
        if one.claim != other.claim and (not one.group or one.group != other.group):
            made.append(one.changed(evidence=other.evidence, target=NEUTRAL, not_supported=False))
    return made


class HardNeutrals:
    """Finds, for a claim, passages of the same page or topic that leave most of the claim unsaid."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._pairs = pairs
        self._by_group: dict[str, list[int]] = defaultdict(list)
        by_word: dict[str, list[int]] = defaultdict(list)
        for index, pair in enumerate(pairs):
            if pair.group:
                self._by_group[pair.group].append(index)
            for word in content_words(pair.evidence):
                by_word[word].append(index)
        self._by_word = {word: places for word, places in by_word.items() if 2 <= len(places) <= RARE}

    def draw(self, count: int, draw: random.Random) -> list[Pair]:
        """Up to `count` hard neutrals."""
        made = []
        for _ in range(count):
            pair = draw.choice(self._pairs)
            found = self._beside(pair, draw)
            if found is not None:
                made.append(pair.changed(evidence=found, target=HARD, not_supported=False))
        return made

    def _beside(self, pair: Pair, draw: random.Random) -> str | None:
        if pair.group and draw.random() < 0.5:
            return self._same_page(pair, draw)
        return self._same_topic(pair, draw)

    def _same_page(self, pair: Pair, draw: random.Random) -> str | None:
        """Another sentence of the page that leaves the claim's own words unsaid."""
        places = self._by_group[pair.group]
        for _ in range(TRIES):
            other = self._pairs[draw.choice(places)]
            if other.claim != pair.claim and coverage(pair.claim, other.evidence, ignoring=pair.group) < 0.25:
                return other.evidence
        return None

    def _same_topic(self, pair: Pair, draw: random.Random) -> str | None:
        """A passage of another page (or with few of the claim's words) that shares one of its rarer words."""
        telling = [word for word in sorted(content_words(pair.claim)) if word in self._by_word]
        for _ in range(TRIES if telling else 0):
            other = self._pairs[draw.choice(self._by_word[draw.choice(telling)])]
            elsewhere = bool(pair.group) and other.group != pair.group
            near = coverage(pair.claim, other.evidence)
            if other.claim != pair.claim and near < (0.6 if elsewhere else 0.34):
                return other.evidence
        return None
