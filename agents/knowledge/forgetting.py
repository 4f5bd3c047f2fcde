"""Takes pages out of all stores: one that must go, or what was read too long ago."""

from dataclasses import dataclass
from datetime import datetime

from agents.knowledge.checking import lost_pages, marked_pages
from agents.knowledge.scanning import all_pages
from storage.errors import StoreRefused
from storage.ports import Stores, normal_url
from storage.ports.evidence import FACTS


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What is gone; `pages` are those that may be read again."""

    passages: int = 0
    relations: int = 0
    pages: int = 0


async def forget_page(stores: Stores, address: str) -> Forgotten:
    """Delete everything that was read from a page, whichever way its address was spelled when it was stored.

    Relations first and the mark last, so that a run that breaks off leaves nothing that a second one does not find.
    """
    passages = relations = pages = 0
    for url in _spellings(address):
        relations += await stores.graph.delete_by_url(url)
        passages += await stores.index.delete_by_url(url)
    spelled = set(_spellings(address))
    async for record in all_pages(stores.urls):  # the page itself, and what redirects to it
        if spelled & {record.url, record.known_by}:
            pages += await stores.urls.forget(record.url)
    return Forgotten(passages, relations, pages)


def _spellings(address: str) -> list[str]:
    try:
        return list(dict.fromkeys((address, normal_url(address))))
    except StoreRefused:
        return [address]


async def forget_before(stores: Stores, moment: datetime) -> Forgotten:
    """Delete what jobs read before `moment`; pages of which nothing is left may be read again."""
    relations = await stores.graph.delete_observed_before(moment)
    passages = await stores.index.delete_fetched_before(moment, FACTS)
    lost = await lost_pages(stores, await marked_pages(stores))
    return Forgotten(passages, relations, sum([await stores.urls.forget(url) for url in lost]))
