"""Fusion of the two halves of a search: each half's scores scaled to [0, 1], then mixed. Every adapter fuses here."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class SearchPolicy:
    """How wide each half of a search looks before the halves are fused."""

    candidates: int = 100
    """At least so many from each half: Weaviate's own hybrid search looks this wide."""
    word_candidates: int = 300
    """The words' half looks wider: most of what is near in meaning shares some word with the question, and its score
    for that counts. Beyond this number recall gains nothing."""
    candidates_per_hit: int = 2
    """For large limits, so many times the limit."""
    short_list_factor: float = 1.5
    """Where a search runs over rounded vectors: how many are scored exactly per candidate. Rounding moves a cosine
    by about 0.0005 only."""

    def wanted(self, limit: int) -> int:
        """Candidates by meaning."""
        return max(self.candidates, self.candidates_per_hit * limit)

    def worded(self, limit: int) -> int:
        """Candidates by words."""
        return max(self.word_candidates, self.candidates_per_hit * limit)


def relative(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores scaled so that the best is 1 and the worst 0; equal ones (or a single one) are all 1."""
    if not scores:
        return {}
    low, high = min(scores.values()), max(scores.values())
    if high == low:
        return dict.fromkeys(scores, 1.0)
    return {key: (score - low) / (high - low) for key, score in scores.items()}


def share_of_best(scores: Mapping[Key, float]) -> dict[Key, float]:
    """Scores as shares of the best one: none of the words is worth 0, whatever else was found."""
    best = max(scores.values(), default=0.0)
    # A word that every passage has scores nothing, so the best score may be 0.
    return {key: score / best for key, score in scores.items()} if best > 0 else dict.fromkeys(scores, 0.0)


def fuse(vector: Mapping[Key, float], lexical: Mapping[Key, float], alpha: float) -> dict[Key, float]:
    """`alpha` of the vector half plus the rest of the words' half; a candidate missing from a half gets 0 from it.

    Cosines are scaled over the candidates, because even strangers are somewhat near; the words' scores are not,
    because their zero means something.
    """
    near, said = relative(vector), share_of_best(lexical)
    return {key: alpha * near.get(key, 0.0) + (1 - alpha) * said.get(key, 0.0) for key in near | said}
