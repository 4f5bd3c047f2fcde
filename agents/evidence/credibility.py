"""How credible a source is before anything is known about this page of it: allowlist, expert ratings, suffixes.

An unknown source is unknown, not bad.
"""

import csv
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import files
from types import MappingProxyType
from typing import Generic, Literal, TypeVar

from agents.evidence.urls import host_and_parents, public_suffix
from scoring.news import NewsPolicy, is_credible

Tier = Literal["listed", "high", "mixed", "low", "official", "academic", "unknown"]
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class CredibilityPolicy:
    """The priors of sources without a rating, and where the tiers of those with one begin."""

    # Named as credible by an editor: far above unknown, short of certain. A better rating still counts.
    listed: float = 0.85
    unknown: float = 0.5
    # Governments and universities are accountable for what they publish, not always right about it. The medians of
    # those with a rating are 0.85 (28 official ones) and 0.75 (24 academic ones); both kinds take the lower.
    official: float = 0.75
    academic: float = 0.75
    # The thirds of the rated domains: they lie at 0.463 and 0.655.
    high_from: float = 0.655
    low_below: float = 0.463
    credible_tiers: frozenset[Tier] = frozenset(("listed", "high", "official", "academic"))


DEFAULT = CredibilityPolicy()

_OFFICIAL = frozenset(("gov", "mil", "int"))
_ACADEMIC = frozenset(("edu", "ac"))
# Where the public suffix is not telling: a registered domain that is a government's own.
_OFFICIAL_DOMAINS = frozenset(("europa.eu", "bund.de", "admin.ch", "canada.ca", "gc.ca", "gouv.fr", "un.org"))


@lru_cache(maxsize=1)
def expert_ratings() -> Mapping[str, float]:
    """The bundled ratings by domain (see data/ATTRIBUTION.md), read once."""
    table = files("agents.evidence").joinpath("data", "domain_reliability.csv")
    with table.open(encoding="ascii") as lines:
        return MappingProxyType({row["domain"]: float(row["reliability"]) for row in csv.DictReader(lines)})


@dataclass(frozen=True, slots=True)
class Standing:
    """A source's tier and prior, and which entry decided: a domain, a suffix, or nothing."""

    tier: Tier
    prior: float
    because: str = ""


@dataclass(frozen=True, slots=True)
class Filtered(Generic[Item]):
    """What the credibility filter kept, and whether it was too strict to be applied."""

    kept: tuple[Item, ...]
    credible: int
    fell_back: bool


@dataclass(frozen=True, slots=True)
class SourceCredibility:
    """An allowlist (004 §7.2) over expert ratings over what the suffix says over a neutral prior."""

    policy: NewsPolicy = field(default_factory=NewsPolicy)
    numbers: CredibilityPolicy = DEFAULT
    ratings: Mapping[str, float] = field(default_factory=expert_ratings, repr=False, compare=False)

    @classmethod
    def of(cls, credible_domains: Iterable[str]) -> "SourceCredibility":
        """With a list of one's own."""
        return cls(NewsPolicy(credible_domains=tuple(credible_domains)))

    def prior(self, domain: str) -> float:
        """The credibility that a passage from `domain` is stored with."""
        return self.standing(domain).prior

    def tier(self, domain: str) -> Tier:
        """Which group of sources `domain` belongs to."""
        return self.standing(domain).tier

    def standing(self, domain: str) -> Standing:
        """The first of list, rating and suffix that knows the domain, or one that it belongs to, decides."""
        names = host_and_parents(domain)
        rated = next((name for name in names if name in self.ratings), "")
        if is_credible(domain, self.policy):
            return Standing("listed", max(self.numbers.listed, self.ratings.get(rated, 0.0)), names[-1])
        if rated:
            return Standing(self._rated_tier(self.ratings[rated]), self.ratings[rated], rated)
        return self._by_suffix(names)

    def is_credible(self, domain: str) -> bool:
        """Whether the filter keeps it."""
        return self.tier(domain) in self.numbers.credible_tiers

    def filter(self, items: Sequence[Item], domain_of: Callable[[Item], str]) -> Filtered[Item]:
        """Only credible sources, unless that leaves fewer than 3 or less than 30 % of them: then all (004 §7.2)."""
        kept = tuple(item for item in items if self.is_credible(domain_of(item)))
        too_strict = len(kept) < self.policy.credible_min or len(kept) < self.policy.credible_share * len(items)
        return Filtered(tuple(items) if too_strict else kept, len(kept), too_strict)

    def _rated_tier(self, rating: float) -> Tier:
        if rating >= self.numbers.high_from:
            return "high"
        return "low" if rating < self.numbers.low_below else "mixed"

    def _by_suffix(self, names: Sequence[str]) -> Standing:
        registered = names[-1]
        suffix = public_suffix(registered)
        labels = set(suffix.split("."))
        if _OFFICIAL & labels or registered in _OFFICIAL_DOMAINS:
            return Standing("official", self.numbers.official, suffix or registered)
        if _ACADEMIC & labels and suffix != "ac":  # .ac alone is Ascension Island, open to everyone
            return Standing("academic", self.numbers.academic, suffix)
        return Standing("unknown", self.numbers.unknown)
