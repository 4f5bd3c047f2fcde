"""Pages taken, read and given back in the name of one loop of one job: the registry's rules in one place (001, 002).

A page is known by the address at which it was found in the end. One that redirects to a page which somebody has
already read, or is reading, is not read a second time.
"""

from collections import Counter
from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from agents.evidence.credibility import SourceCredibility
from agents.evidence.documents import Skip
from agents.evidence.extraction import ExtractedPage
from agents.evidence.fetched import read_fetched
from agents.evidence.ports import FetchedPage, PageFetcher, PageUnavailable, SearchResult
from agents.evidence.selection import Selection, readable, select
from storage.ports import UrlRegistry, UrlStatus, normal_url
from storage.ports.urls import Store, normal_urls

FETCHED_BY_ANOTHER = "fetched_by_another"
SAME_PAGE = "same_page"
"""The address redirects to a page that has been read, or is being read, under its own."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """In whose name pages are taken. An attempt that runs again owns what it owned before."""

    job_id: str
    attempt: int
    loop: int

    @property
    def owner(self) -> str:
        """The holder of the leases."""
        return f"{self.job_id}/{self.attempt}"


@dataclass(frozen=True, slots=True)
class Chosen:
    """The results that are this visitor's to fetch, and how many were passed over for which reason.

    `done` are pages that this same step had read and stored when it was interrupted, `elsewhere` those that somebody
    else is reading just now, or has just read.
    """

    results: tuple[SearchResult, ...]
    done: tuple[str, ...]
    elsewhere: tuple[str, ...]
    registered: int
    skipped: dict[str, int]


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page that was read. `asked` is the key it was taken under, `page.url` the one it is known by."""

    page: ExtractedPage
    asked: str
    size: int
    cost: float = 0.0
    """US dollars."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Both of them; one where nothing redirected."""
        return tuple(dict.fromkeys((self.asked, self.page.url)))


@dataclass(frozen=True, slots=True)
class Unread:
    """A page that did not come or could not be read, and the closed word for why. `size` in bytes and `cost` in US
    dollars, if it came."""

    asked: str
    reason: str
    size: int = 0
    cost: float = 0.0


class Visits:
    """What one visitor does with pages."""

    def __init__(
        self, visitor: Visitor, registry: UrlRegistry, fetcher: PageFetcher, clock: Callable[[], datetime]
    ) -> None:
        self._visitor = visitor
        self._registry = registry
        self._fetcher = fetcher
        self._clock = clock
        self._taken: set[str] = set()

    async def choose(
        self,
        results: Sequence[SearchResult],
        limit: int,
        *,
        credibility: SourceCredibility,
        as_of: date | None = None,
        covered: Container[str] = frozenset(),
    ) -> Chosen:
        """Register what can be read, and take at most `limit` pages that nobody has read or is reading.

        The choice is remembered before anything is fetched: a step that runs again makes the same one, whatever it
        had stored the first time, and goes on where it was.
        """
        visitor, now = self._visitor, self._clock()
        known = readable(results, as_of).urls
        await self._registry.register(known, stage=visitor.loop, claim_ids=[visitor.job_id], now=now)
        fresh = set(await self._registry.unprocessed(visitor.job_id, visitor.loop, known, now=now))
        before = fresh & set(await self._registry.processed(visitor.job_id))
        wanted = [result for result in results if _key(result) in before] if before else results
        chosen = select(
            wanted, limit, credibility=credibility, seen=frozenset(known) - fresh, as_of=as_of, covered=covered
        )
        await self.remember(chosen.urls)
        granted = set(await self._registry.lease(chosen.urls, owner=visitor.owner, now=now))
        self._taken |= granted
        return await self._sorted_out(chosen, granted, before, len(known))

    async def _sorted_out(self, chosen: Selection, granted: set[str], before: set[str], registered: int) -> Chosen:
        """What was not granted is done, or has failed, or somebody else has it in hand, or had it a moment ago."""
        skipped: Counter[str] = Counter()
        for reason, count in chosen.skipped.items():
            skipped[reason] += count
        records = await self._registry.get([key for key in chosen.urls if key not in granted])
        skipped.update(record.reason for record in records if record.status is UrlStatus.FAILED)
        read = [record.url for record in records if record.status is UrlStatus.EXTRACTED]
        done = tuple(url for url in read if url in before)
        reading = [record.url for record in records if record.status is UrlStatus.SEEN]
        elsewhere = (*reading, *(url for url in read if url not in before))
        skipped[FETCHED_BY_ANOTHER] += len(elsewhere)
        ours = tuple(result for result in chosen.chosen if _key(result) in granted)
        return Chosen(ours, done, elsewhere, registered, dict(+skipped))

    async def read(self, found: SearchResult) -> ReadPage | Unread:
        """Fetch one chosen page and read it. What does not come is reported to the registry with its reason."""
        asked = normal_url(found.url)
        try:
            fetched = await self._fetcher.fetch(found.url)
        except PageUnavailable as error:
            return await self._unread(asked, error.reason)
        known_by = _final_key(fetched, asked)
        size, cost = len(fetched.body), fetched.cost
        if known_by != asked and not await self._take(known_by):
            return await self._unread(asked, SAME_PAGE, size=size, cost=cost)
        read = await read_fetched(fetched, known_by, latest=self._clock().date())
        if isinstance(read, Skip):
            if known_by != asked:
                await self._fail(known_by, read.reason)
            return await self._unread(asked, read.reason, size=size, cost=cost)
        return ReadPage(read.page, asked, size, cost)

    async def stored(self, read: ReadPage, store: Store) -> None:
        """A store holds what was read."""
        for key in read.keys:
            known_by = read.page.url if key != read.page.url else ""
            await self._registry.acknowledge(
                key, store, owner=self._visitor.owner, now=self._clock(), known_by=known_by
            )

    async def give_back(self, results: Sequence[SearchResult]) -> None:
        """Chosen and not read after all: somebody else may."""
        for result in results:
            await self._registry.release(normal_url(result.url), owner=self._visitor.owner)

    async def remember(self, keys: Sequence[str]) -> None:
        """These were processed by this loop: it will not come back to them."""
        await self._registry.remember(self._visitor.job_id, self._visitor.loop, keys, now=self._clock())

    async def _take(self, key: str) -> bool:
        """Whether the page that a redirect led to is ours to read: a lease alone would be granted to us twice."""
        if key in self._taken:
            return False
        self._taken.add(key)
        visitor, now = self._visitor, self._clock()
        await self._registry.register([key], stage=visitor.loop, claim_ids=[visitor.job_id], now=now)
        if not await self._registry.unprocessed(visitor.job_id, visitor.loop, [key], now=now):
            return False
        return bool(await self._registry.lease([key], owner=visitor.owner, now=now))

    async def _unread(self, asked: str, reason: str, *, size: int = 0, cost: float = 0.0) -> Unread:
        await self._fail(asked, reason)
        return Unread(asked, reason, size, cost)

    async def _fail(self, key: str, reason: str) -> None:
        await self._registry.fail(key, owner=self._visitor.owner, reason=reason, now=self._clock())


def _final_key(fetched: FetchedPage, asked: str) -> str:
    """The key of where the fetch ended; the address asked for if nothing redirected."""
    return asked if fetched.final_url == fetched.url else normal_url(fetched.final_url)


def _key(result: SearchResult) -> str | None:
    """What the registry knows a result by; None for what is no address."""
    return next(iter(normal_urls([result.url])), None)
