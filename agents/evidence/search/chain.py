"""The providers in the order of the settings: the first that has something answers, each failure moves on."""

import asyncio
from collections.abc import Callable, Sequence
from datetime import date
from urllib.parse import urlsplit

from agents.evidence.ports import SearchAttempt, SearchOutcome, SearchResult
from agents.evidence.search.guard import Guarded, ProviderPolicy, Sleep
from agents.evidence.search.values import Provider, SearchFailed
from agents.evidence.search.wire import checked_query
from scoring.identity import url_key


class SearchChain:
    """`WebSearch` over an ordered list of guarded providers."""

    def __init__(self, providers: Sequence[Guarded]) -> None:
        self._providers = tuple(providers)

    @classmethod
    def of(
        cls,
        providers: Sequence[Provider],
        policies: dict[str, ProviderPolicy],
        clock: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
    ) -> "SearchChain":
        """Each provider with the policy under its name, or the plain one. `clock` is monotonic, in seconds."""
        plain = ProviderPolicy()
        return cls([Guarded(item, policies.get(item.name, plain), clock, sleep) for item in providers])

    async def search(self, query: str, limit: int, as_of: date | None = None) -> SearchOutcome:
        """The first answer with something usable in it, else nothing, with what every provider asked has done."""
        asked = checked_query(query, limit)
        attempts: list[SearchAttempt] = []
        dropped = 0
        for provider in self._providers:
            try:
                answer = await provider.search(asked, limit, as_of)
            except SearchFailed as failure:
                attempts.append(SearchAttempt(provider.name, failure.reason, str(failure)))
                continue
            usable, late = _usable(answer, limit, as_of)
            dropped += late
            attempts.append(SearchAttempt(provider.name, "results" if usable else "empty", cost=provider.cost))
            if usable:
                return SearchOutcome(usable, tuple(attempts), dropped)
        return SearchOutcome((), tuple(attempts), dropped)


def _usable(results: Sequence[SearchResult], limit: int, as_of: date | None) -> tuple[tuple[SearchResult, ...], int]:
    """Web addresses, each once, none published after `as_of`; and how many were later than that."""
    in_time = [item for item in results if as_of is None or item.published is None or item.published <= as_of]
    by_address: dict[str, SearchResult] = {}
    for item in in_time:
        if _is_web(item.url):
            by_address.setdefault(url_key(item.url), item)
    return tuple(by_address.values())[:limit], len(results) - len(in_time)


def _is_web(url: str) -> bool:
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    return parts.scheme in {"http", "https"} and bool(parts.netloc)
