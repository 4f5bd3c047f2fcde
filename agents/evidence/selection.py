"""Which of a search's results are fetched, in which order, and why the others are not (004 §7.2 and §9.1, 001, 002).

The one way in which results are chosen; pure, so that a step that runs twice chooses the same.
"""

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal
from urllib.parse import urlsplit

from agents.evidence.credibility import SourceCredibility
from agents.evidence.extraction import domain_of
from agents.evidence.ports import SearchResult
from agents.evidence.urls import AddressReason, registered_domain, skip_reason
from scoring.identity import url_key
from storage.ports import normal_url

SkipReason = AddressReason | Literal["after_as_of", "duplicate", "processed", "not_credible", "over_cap"]
"""Why a result was passed over: the closed words of the counts in a package."""


@dataclass(frozen=True, slots=True)
class Selection:
    """What to fetch, in this order, and how many results were passed over for which reason."""

    chosen: tuple[SearchResult, ...]
    skipped: Mapping[SkipReason, int]

    @property
    def urls(self) -> list[str]:
        """The normalised addresses of the chosen, as the registry knows them."""
        return [normal_url(result.url) for result in self.chosen]


def readable(results: Sequence[SearchResult], as_of: date | None = None) -> Selection:
    """The results that can hold an article and were not published after `as_of`, each page once, in their order."""
    skipped: Counter[SkipReason] = Counter()
    taken: set[str] = set()
    wanted: list[SearchResult] = []
    for result in results:
        reason = _passed_over(result, as_of, taken)
        if reason is None:
            taken.add(url_key(result.url))
            wanted.append(result)
        else:
            skipped[reason] += 1
    return Selection(tuple(wanted), dict(skipped))


def select(
    results: Sequence[SearchResult],
    limit: int,
    *,
    credibility: SourceCredibility,
    seen: Container[str] = frozenset(),
    as_of: date | None = None,
    covered: Container[str] = frozenset(),
) -> Selection:
    """At most `limit` results worth fetching.

    `seen` holds the normalised addresses that the job or the registry has already. Sources that are not credible are
    passed over unless that would leave too little. Domains take turns, and one in `covered`, which the job has evidence
    from already, starts a turn later: the third page of one site tells less than the first page of another.
    """
    if limit < 0:
        raise ValueError(f"limit must not be negative, got {limit}")
    found = readable(results, as_of)
    new = [result for result in found.chosen if normal_url(result.url) not in seen]
    credible = credibility.filter(new, lambda result: domain_of(result.url)).kept
    ordered = _in_turns(credible, covered)
    skipped: Counter[SkipReason] = Counter(found.skipped)
    skipped["processed"] = len(found.chosen) - len(new)
    skipped["not_credible"] = len(new) - len(credible)
    skipped["over_cap"] = len(ordered[limit:])
    return Selection(tuple(ordered[:limit]), {reason: count for reason, count in skipped.items() if count})


def _passed_over(result: SearchResult, as_of: date | None, taken: Container[str]) -> SkipReason | None:
    reason = skip_reason(result.url)
    if reason is not None:
        return reason
    if as_of is not None and result.published is not None and result.published > as_of:
        return "after_as_of"
    return "duplicate" if url_key(result.url) in taken else None


def _in_turns(results: Sequence[SearchResult], covered: Container[str]) -> list[SearchResult]:
    """The first of every domain, then the second of every domain; a covered domain starts one turn later."""
    turns: Counter[str] = Counter()
    ranked: list[tuple[int, int]] = []
    for position, result in enumerate(results):
        domain = registered_domain(urlsplit(result.url).hostname or "")
        ranked.append((turns[domain] + (1 if domain in covered else 0), position))
        turns[domain] += 1
    return [results[position] for _, position in sorted(ranked)]
