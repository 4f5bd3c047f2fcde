"""`PageFetcher` for the open web: every address checked, every redirect checked again, every amount bounded.

Whatever goes wrong is a FetchFailed with one cause: on the open web a page that does not come is skipped.
"""

import asyncio
import ssl
import time
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from urllib.parse import urljoin

import httpx

from agents.evidence.http import retry_after_seconds
from agents.evidence.ports import FetchedPage
from agents.evidence.urls import registered_domain
from agents.evidence.web.content import charset_of, check_body, media_type
from agents.evidence.web.dialling import Dialler, TcpDialler
from agents.evidence.web.exchange import Answer, Exchange
from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import WebPolicy
from agents.evidence.web.politeness import Turns
from agents.evidence.web.resolver import Resolver, SystemResolver
from agents.evidence.web.robots_cache import RobotsCache
from agents.evidence.web.targets import Target, read_target

_REDIRECTS = frozenset((301, 302, 303, 307, 308))
_BUSY = frozenset((429, 503))


class OpenWebFetcher:
    """Fetches pages. Clock, sleep, resolver, dialler and TLS trust are passed in by tests only."""

    def __init__(
        self,
        policy: WebPolicy | None = None,
        *,
        resolver: Resolver | None = None,
        dialler: Dialler | None = None,
        ssl_context: ssl.SSLContext | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._policy = policy or WebPolicy()
        self._exchange = Exchange(
            self._policy,
            resolver or SystemResolver(),
            dialler or TcpDialler(),
            ssl_context or httpx.create_ssl_context(trust_env=False),
            clock,
        )
        self._turns = Turns(self._policy.manners, clock, sleep)
        self._robots = RobotsCache(self._policy, self._exchange, clock)
        self._places = asyncio.Semaphore(self._policy.max_concurrent)
        self._now = now

    async def fetch(self, url: str) -> FetchedPage:
        """The page behind `url`, or FetchFailed."""
        target = read_target(url, self._policy)
        # Before taking a place, so that many pages of one slow-going site do not keep all others out.
        await self._take_turn(target, url)
        try:
            async with asyncio.timeout(self._policy.times.queue):
                await self._places.acquire()
        except TimeoutError as error:
            raise FetchFailed("queue", url, "too many other pages are being fetched") from error
        try:
            return await self._follow(url, target)
        finally:
            self._places.release()

    async def _take_turn(self, target: Target, url: str) -> str:
        domain = registered_domain(target.origin.host)
        await self._turns.take(domain, url, self._robots.known_delay(target))
        return domain

    async def _follow(self, url: str, target: Target) -> FetchedPage:
        """One page within its total time. Waiting for a turn does not count: that is our own doing."""
        left = self._policy.times.total
        loop = asyncio.get_running_loop()
        seen = {target.url}
        greeted = {registered_domain(target.origin.host)}
        for _ in range(self._policy.max_redirects + 1):
            if registered_domain(target.origin.host) not in greeted:
                greeted.add(await self._take_turn(target, url))
            begun = loop.time()
            outcome = await self._within(left, url, target)
            left -= loop.time() - begun
            if isinstance(outcome, FetchedPage):
                return outcome
            target = self._redirected(target, outcome, seen)
        raise FetchFailed("too_many_redirects", url, f"more than {self._policy.max_redirects} redirects")

    async def _within(self, seconds: float, url: str, target: Target) -> FetchedPage | str:
        try:
            async with asyncio.timeout(seconds):
                return await self._hop(url, target)
        except TimeoutError as error:
            message = f"did not come within {self._policy.times.total:g} s"
            raise FetchFailed("total_timeout", url, message) from error

    async def _hop(self, url: str, target: Target) -> FetchedPage | str:
        """The page, or the address that the server sends us on to."""
        await self._robots.check(target)
        async with self._exchange.get(target, self._policy.content_types) as answer:
            if answer.status in _REDIRECTS and "location" in answer.headers:
                return answer.headers["location"]
            self._check_status(answer, target)
            kind = answer.headers.get("content-type", "")
            content_type = media_type(kind, self._policy.content_types, target.url)
            body = await self._exchange.read(answer, target.url)
        check_body(content_type, body, target.url)
        return FetchedPage(url, target.url, content_type, charset_of(kind, body), body)

    def _redirected(self, target: Target, location: str, seen: set[str]) -> Target:
        try:
            # Servers send UTF-8 where only ASCII is allowed; it was read byte by byte.
            place = urljoin(target.url, location.encode("latin-1").decode("utf-8", "replace").strip())
        except ValueError as error:
            raise FetchFailed("bad_redirect", target.url, f"redirects to something unreadable ({error})") from error
        following = read_target(place, self._policy)
        if following.url in seen:
            raise FetchFailed("redirect_loop", target.url, f"redirects back to {following.url}")
        seen.add(following.url)
        return following

    def _check_status(self, answer: Answer, target: Target) -> None:
        status = answer.status
        if status == httpx.codes.OK:
            return
        if status in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
            raise FetchFailed("not_found", target.url, f"there is no such page (status {status})")
        if status in _BUSY:
            wait = retry_after_seconds(answer.headers.get("retry-after"), self._now())
            self._turns.hold(registered_domain(target.origin.host), wait or 0.0)
            raise FetchFailed("busy", target.url, f"the server asks to be left alone (status {status})")
        raise FetchFailed("bad_status", target.url, f"the server answered with status {status}")
