"""What stands before each provider: its rate, its circuit breaker, its time limit, its price."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import date
from typing import TypeVar

from agents.breaker import BreakerPolicy, CircuitBreaker
from agents.errors import DependencyDown, StageError, Transient
from agents.evidence.ports import SearchResult
from agents.evidence.search.values import Provider, SearchFailed

Clock = Callable[[], float]
Sleep = Callable[[float], Awaitable[None]]
Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class ProviderPolicy:
    """How one provider may be asked."""

    # Requests per second on average, and how many may come at once after a quiet time.
    rate: float = 2.0
    burst: int = 5
    # A query that would wait longer for its turn goes to the next provider.
    max_wait_s: float = 5.0
    # Above the adapters' own time limits, so that theirs speak first.
    timeout_s: float = 20.0
    # US dollars per answered query.
    cost: float = 0.0
    breaker: BreakerPolicy = field(default_factory=BreakerPolicy)

    def __post_init__(self) -> None:
        if self.rate <= 0 or self.burst < 1 or self.timeout_s <= 0 or self.cost < 0 or self.max_wait_s < 0:
            raise ValueError("rate and timeout_s must be above 0, burst at least 1, cost and max_wait_s not negative")


DEFAULT_POLICIES = {
    # Tavily's documentation: 0.8 cents a credit as one goes, 100 requests a minute with a development key. A basic
    # search is one credit.
    "tavily": ProviderPolicy(rate=1.5, burst=5, cost=0.008),
    "searxng": ProviderPolicy(rate=2.0, burst=5),
    # MediaWiki's etiquette names no number but asks for one request after another.
    "wikipedia": ProviderPolicy(rate=1.0, burst=3),
    # Google's reference names no quota; a project's own is shown in its console. Four a second is our own modesty.
    "factcheck": ProviderPolicy(rate=4.0, burst=5),
    # On this machine.
    "sample": ProviderPolicy(rate=1_000.0, burst=1_000),
}


# Tavily's documentation: five pages that could be read are one credit.
EXTRACTION = ProviderPolicy(rate=1.5, burst=5, cost=0.008 / 5)


class Guard:
    """Rate, breaker and time limit of one door. Shared by all jobs of a process, on one event loop."""

    def __init__(self, policy: ProviderPolicy, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self.cost = policy.cost
        self._policy = policy
        self._clock = clock
        self._sleep = sleep
        self._breaker = CircuitBreaker(clock, policy.breaker)
        # The moment at which the bucket is full again; each request moves it on by one interval.
        self._full_at = clock()
        self._held_until = clock()

    async def through(self, ask: Callable[[], Awaitable[Found]]) -> Found:
        """What is found behind the door, or SearchFailed."""
        wait = self._turn()
        if not self._breaker.allows():
            raise SearchFailed("circuit_open", "it failed several times in a row and is left alone for a while")
        try:
            self._full_at = max(self._full_at, self._clock()) + 1.0 / self._policy.rate
            if wait > 0:
                await self._sleep(wait)
            found = await self._ask(ask)
        except SearchFailed as failure:
            self._note(failure)
            raise
        except BaseException:
            # Cancelled or broken in the middle: the breaker must not wait for this trial for ever.
            self._breaker.failed()
            raise
        self._breaker.succeeded()
        return found

    def _turn(self) -> float:
        """Seconds until the next request may go; SearchFailed if that is too long."""
        now = self._clock()
        allowance = (self._policy.burst - 1) / self._policy.rate
        wait = max(0.0, self._full_at - allowance - now, self._held_until - now)
        if wait > self._policy.max_wait_s:
            raise SearchFailed("rate_limited", f"its next turn is {wait:.0f} s away")
        return wait

    async def _ask(self, ask: Callable[[], Awaitable[Found]]) -> Found:
        try:
            async with asyncio.timeout(self._policy.timeout_s):
                return await ask()
        except TimeoutError as error:
            raise SearchFailed("timeout", f"no answer within {self._policy.timeout_s:g} s") from error
        except Transient as error:
            raise SearchFailed("unavailable", str(error), retry_after=error.retry_after) from error
        except (DependencyDown, StageError) as error:
            raise SearchFailed("unavailable", str(error)) from error

    def _note(self, failure: SearchFailed) -> None:
        if failure.retry_after is not None:
            self._held_until = max(self._held_until, self._clock() + failure.retry_after)
        # A query that is refused says nothing about the provider.
        if failure.reason == "refused":
            self._breaker.succeeded()
        else:
            self._breaker.failed()


class Guarded:
    """One provider behind its guard."""

    def __init__(self, provider: Provider, policy: ProviderPolicy, clock: Clock, sleep: Sleep = asyncio.sleep) -> None:
        self.name = provider.name
        self.cost = policy.cost
        self._provider = provider
        self._guard = Guard(policy, clock, sleep)

    async def search(self, query: str, limit: int, as_of: date | None) -> list[SearchResult]:
        """The provider's answer, or SearchFailed."""
        return await self._guard.through(lambda: self._provider.search(query, limit, as_of))
