"""Pages of feeds are read once a day for each collection; the URL registry's job memory keeps which."""

from collections.abc import Sequence
from datetime import datetime

from agents.evidence.documents import FeedMemory
from storage.ports import UrlRegistry


def _owner(collection: str, now: datetime) -> str:
    """The day is part of the name: feeds change daily, and so do the collections that they go into."""
    return f"ingest/{collection}/{now.date().isoformat()}"


async def recall(urls: UrlRegistry, collection: str, now: datetime) -> FeedMemory:
    """What was read today for this collection."""
    return FeedMemory(frozenset(await urls.processed(_owner(collection, now))))


async def remember(
    urls: UrlRegistry, collection: str, memory: FeedMemory, stored: Sequence[str], now: datetime
) -> None:
    """Of the pages whose passages are now stored, keep those that came from feeds."""
    from_feeds = [url for url in stored if url in memory.read]
    if from_feeds:
        await urls.remember(_owner(collection, now), 0, from_feeds, now=now)
