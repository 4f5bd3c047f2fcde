"""Each site's robots.txt, fetched once under the same checks as any page and remembered for a while."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from urllib.parse import urljoin

from agents.evidence.web.exchange import Exchange
from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import WebPolicy
from agents.evidence.web.robots import ALLOW_ALL, ALLOW_NONE, RobotRules, parse_robots
from agents.evidence.web.targets import Target, read_target

# Causes that are about us refusing to go somewhere: the page would meet the same refusal, so it is what is reported.
_OURS = frozenset(("forbidden_address", "reserved_name", "address_form", "port", "scheme", "dns", "connect", "tls"))


class RobotsCache:
    """Rules by site. Several pages of one site ask at once and share one request."""

    def __init__(self, policy: WebPolicy, exchange: Exchange, clock: Callable[[], float]) -> None:
        self._policy = policy
        self._exchange = exchange
        self._clock = clock
        self._known: OrderedDict[str, tuple[float, RobotRules]] = OrderedDict()
        self._asking: dict[str, asyncio.Lock] = {}

    def known_delay(self, target: Target) -> float:
        """The Crawl-delay of the site, if its file has been read already."""
        known = self._fresh(target.site)
        return known.crawl_delay if known else 0.0

    async def check(self, target: Target) -> None:
        """FetchFailed if the site does not want this page read."""
        rules = self._fresh(target.site)
        if rules is None:
            rules = await self._ask(target)
        if rules is ALLOW_NONE:
            raise FetchFailed("robots", target.url, "robots.txt could not be read, so the site is left alone for now")
        if not rules.allows(target.path):
            raise FetchFailed("robots", target.url, "the site's robots.txt asks not to read this page")

    def _fresh(self, site: str) -> RobotRules | None:
        known = self._known.get(site)
        return known[1] if known and self._clock() < known[0] else None

    async def _ask(self, target: Target) -> RobotRules:
        lock = self._asking.setdefault(target.site, asyncio.Lock())
        try:
            async with lock:
                rules = self._fresh(target.site)
                if rules is None:
                    rules, seconds = await self._fetch(target.robots())
                    self._remember(target.site, rules, seconds)
                return rules
        finally:
            # Whoever comes next finds the answer or asks anew.
            self._asking.pop(target.site, None)

    def _remember(self, site: str, rules: RobotRules, seconds: float) -> None:
        self._known[site] = (self._clock() + seconds, rules)
        self._known.move_to_end(site)
        while len(self._known) > self._policy.manners.memory:
            self._known.popitem(last=False)

    async def _fetch(self, target: Target) -> tuple[RobotRules, float]:
        """The rules and for how long they hold. A site in trouble is left alone; one without a file is open."""
        manners = self._policy.manners
        try:
            text = await self._text(target)
        except FetchFailed as failure:
            if failure.reason in _OURS:
                raise
            return ALLOW_NONE, manners.robots_retry
        return (ALLOW_ALL if text is None else parse_robots(text, manners.robots_token)), manners.robots_ttl

    async def _text(self, target: Target) -> str | None:
        """The file's text; None if the site has none (any 4xx but 429, RFC 9309 §2.3.1)."""
        for _ in range(self._policy.max_redirects + 1):
            async with self._exchange.get(target, ("text/plain",)) as answer:
                if 300 <= answer.status < 400 and "location" in answer.headers:
                    target = read_target(urljoin(target.url, answer.headers["location"]), self._policy)
                    continue
                if answer.status == 429 or answer.status >= 500:
                    raise FetchFailed("busy", target.url, f"robots.txt: status {answer.status}")
                if answer.status != 200:
                    return None
                body = await self._exchange.read(answer, target.url, limit=self._policy.sizes.robots)
                return body.decode("utf-8", "replace")
        return None
