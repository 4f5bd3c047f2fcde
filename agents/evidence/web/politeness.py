"""Turns per registered domain: so long between two requests, and none while a site asked to be left alone."""

from collections import OrderedDict
from collections.abc import Awaitable, Callable

from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import Manners


class Turns:
    """Gives out the moments at which a domain may be asked next. One event loop, no locks: nothing awaits between
    looking at a moment and taking it.
    """

    def __init__(self, manners: Manners, clock: Callable[[], float], sleep: Callable[[float], Awaitable[None]]) -> None:
        self._manners = manners
        self._clock = clock
        self._sleep = sleep
        self._next: OrderedDict[str, float] = OrderedDict()

    async def take(self, domain: str, url: str, interval: float = 0.0) -> None:
        """Wait for the next turn; FetchFailed if that would take longer than a page is worth."""
        now = self._clock()
        turn = max(now, self._next.get(domain, now))
        if turn - now > self._manners.max_wait:
            raise FetchFailed("politeness", url, f"{domain} has been asked so often that the next turn is too far off")
        step = min(max(interval, self._manners.interval), self._manners.max_interval)
        self._set(domain, turn + step, now)
        if turn > now:
            await self._sleep(turn - now)

    def hold(self, domain: str, seconds: float) -> None:
        """Leave the domain alone for so long: it said so."""
        now = self._clock()
        self._set(domain, max(self._next.get(domain, now), now + seconds), now)

    def _set(self, domain: str, moment: float, now: float) -> None:
        self._next[domain] = moment
        self._next.move_to_end(domain)
        while len(self._next) > self._manners.memory:
            # Those whose moment has passed say nothing any more; of the others the one untouched longest goes.
            passed = next((name for name, next_turn in self._next.items() if next_turn <= now), None)
            del self._next[passed if passed is not None else next(iter(self._next))]
