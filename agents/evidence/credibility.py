"""How credible a source is before anything is known about this page of it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from scoring.news import NewsPolicy, is_credible


@dataclass(frozen=True, slots=True)
class SourceCredibility:
    """An allowlist (004 §7.2) over a neutral prior: an unknown source is unknown, not bad."""

    policy: NewsPolicy = field(default_factory=NewsPolicy)
    # Named as credible by an editor: far above unknown, short of certain.
    listed: float = 0.85
    unknown: float = 0.5

    @classmethod
    def of(cls, credible_domains: Iterable[str]) -> "SourceCredibility":
        """With a list of one's own."""
        return cls(NewsPolicy(credible_domains=tuple(credible_domains)))

    def prior(self, domain: str) -> float:
        """The credibility that a passage from `domain` is stored with."""
        return self.listed if is_credible(domain, self.policy) else self.unknown
