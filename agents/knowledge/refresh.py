"""Keeps current affairs current (004 §9.2): searched anew, written into a fresh collection, swapped in at one stroke.

Whatever fails on the way, the live collection stays as it was: readers see all of the old or all of the new.
"""

import asyncio
import secrets
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import structlog

from agents.errors import StageError
from agents.evidence.documents import Document, Piece, Skip
from agents.evidence.fetched import read_fetched
from agents.evidence.ports import PageFetcher, SearchResult, WebSearch
from agents.knowledge.ingestion import Ingestion, Tally, Target
from agents.knowledge.needs import RefreshNeeds
from agents.knowledge.queries import DEFAULT_QUERIES, best_first, queries_about
from storage.errors import StoreError
from storage.ports.evidence import CURRENT_AFFAIRS

log = structlog.get_logger("veristream.knowledge")

_STAMP = "%Y%m%d%H%M%S"


class RefreshFailed(Exception):  # noqa: N818 - reads as what happened
    """The live collection was left as it is; the message says why."""


@dataclass(frozen=True, slots=True)
class RefreshPolicy:
    """004 §9.2 gives the procedure and no numbers."""

    collection: str = CURRENT_AFFAIRS
    queries: tuple[str, ...] = DEFAULT_QUERIES
    recent_jobs: int = 50
    """What was asked lately will be asked about again: the names in this many of the newest jobs are searched for."""
    name_queries: int = 12
    """At most so many of those, so that a burst of claims does not displace the rest of the world."""
    results_per_query: int = 10
    max_pages: int = 200
    """About 2,000 passages: a day's front pages, fetched in a minute or two."""
    at_once: int = 5
    """Searches and fetches side by side, as 002 batches its fetches."""
    min_answered: float = 0.5
    """With fewer of its searches answered a refresh would put a poorer collection in the place of a good one."""
    abandoned_after: timedelta = timedelta(hours=6)
    """A fresh collection this old was left behind by a refresh that died; a refresh takes minutes."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    """What the new collection was made of."""

    collection: str
    queries: int
    unanswered: int
    pages: int
    passages: int
    skipped: Counter[str]


async def refresh(
    services: RefreshNeeds, policy: RefreshPolicy | None = None, *, run_id: str | None = None
) -> Refreshed:
    """Fill a fresh collection and put it in the place of the live one. Two runs at once need two ids."""
    policy = policy or RefreshPolicy()
    if services.search is None or services.fetcher is None:
        raise RefreshFailed("no web search is configured; set TAVILY_API_KEY or VERISTREAM_SEARCH_PROVIDERS")
    await _drop_abandoned(services, policy)
    queries = await _queries(services, policy)
    found, unanswered = await _search(queries, services.search, policy)
    chosen = best_first(found, services.credibility, policy.max_pages)
    fresh = fresh_name(policy.collection, services.clock(), run_id or secrets.token_hex(4))
    try:
        tally = await _fill(fresh, chosen, services, services.fetcher, policy)
        await services.index.swap(fresh, policy.collection)
    except BaseException:
        with suppress(StoreError):  # what could not be dropped now is dropped by a later refresh
            await asyncio.shield(services.index.drop(fresh))
        raise
    return Refreshed(policy.collection, len(queries), unanswered, tally.documents, tally.new, tally.skipped)


def fresh_name(collection: str, now: datetime, run_id: str) -> str:
    """The name of a collection that nobody else writes to, with the moment it was begun."""
    return f"{collection}_fresh_{now.astimezone(UTC).strftime(_STAMP)}_{run_id}"


async def _drop_abandoned(services: RefreshNeeds, policy: RefreshPolicy) -> None:
    prefix = f"{policy.collection}_fresh_"
    oldest = services.clock() - policy.abandoned_after
    for collection in await services.index.collections():
        begun = collection.name.removeprefix(prefix).partition("_")[0]
        if collection.name.startswith(prefix) and begun < oldest.astimezone(UTC).strftime(_STAMP):
            await services.index.drop(collection.name)


async def _queries(services: RefreshNeeds, policy: RefreshPolicy) -> list[str]:
    jobs = await services.ledger.jobs(limit=policy.recent_jobs)
    names = queries_about((job.submission for job in jobs), policy.name_queries)
    return list({query.casefold(): query for query in (*policy.queries, *names)}.values())


async def _search(
    queries: Sequence[str], search: WebSearch, policy: RefreshPolicy
) -> tuple[list[tuple[SearchResult, ...]], int]:
    """What each query finds, and how many were not answered at all."""
    gate = asyncio.Semaphore(policy.at_once)

    async def ask(query: str) -> tuple[SearchResult, ...] | None:
        async with gate:
            outcome = await search.search(query, policy.results_per_query)
        if outcome.answered:
            return outcome.results
        log.warning("a search of the refresh was not answered", query=query, detail=outcome.message)
        return None

    answers = await asyncio.gather(*(ask(query) for query in queries))
    found = [answer for answer in answers if answer is not None]
    if len(found) < policy.min_answered * len(queries) or not found:
        raise RefreshFailed(f"only {len(found)} of {len(queries)} searches were answered; the old collection stays")
    return found, len(queries) - len(found)


async def _fill(
    fresh: str, urls: Sequence[str], services: RefreshNeeds, fetcher: PageFetcher, policy: RefreshPolicy
) -> Tally:
    target = Target(fresh, services.index, services.embedder, services.credibility, services.clock)
    tally = await Ingestion(target).run(_pages(urls, fetcher, services.clock(), policy))
    if not tally.new:
        reasons = ", ".join(f"{count} {reason}" for reason, count in tally.skipped.most_common()) or "nothing found"
        raise RefreshFailed(f"none of {len(urls)} pages could be read ({reasons}); the old collection stays")
    return tally


async def _pages(
    urls: Sequence[str], fetcher: PageFetcher, now: datetime, policy: RefreshPolicy
) -> AsyncGenerator[Piece, None]:
    for start in range(0, len(urls), policy.at_once):
        some = urls[start : start + policy.at_once]
        for item in await asyncio.gather(*(_page(url, fetcher, now) for url in some)):
            yield Piece(item, start)


async def _page(url: str, fetcher: PageFetcher, now: datetime) -> Document | Skip:
    try:
        fetched = await fetcher.fetch(url)
    except StageError as error:
        return Skip(url, "unreachable", str(error))
    return await read_fetched(fetched, url, latest=now.date())
