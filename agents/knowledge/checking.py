"""Do the stores agree? Finds what searches do not reach, and what one store holds and another does not know of.

Safe beside a running system: each store is read before the one that is written earlier, so that what is being
written meanwhile is not taken for an orphan; what looks amiss is looked at once more at the end, and pages under a
live lease are left to whoever reads them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.evidence.ingest import held_passages
from agents.knowledge.scanning import all_facts, all_pages, all_passages
from agents.language.rules.facts import extract_facts
from storage.ports import Passage, Stores, UrlStatus
from storage.ports.evidence import FACTS

PAGES_AT_ONCE = 500
JUDGED_WHOLE = 2_000
"""Pages without relations that are kept in memory to be judged as a whole; beyond that each passage is judged alone."""


@dataclass(frozen=True, slots=True)
class Report:
    """What was looked at and what is amiss; pages are named by their addresses."""

    passages: int = 0
    facts: int = 0
    unreachable: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """By collection: passages that a search for their own vector or their own words would not find."""
    lost: tuple[str, ...] = ()
    """The registry says that they were read; the index holds nothing of them."""
    loose: tuple[str, ...] = ()
    """The graph holds relations from passages that the index does not hold."""
    half_stored: tuple[str, ...] = ()
    """The index holds what was read, the graph none of the relations in it."""

    @property
    def orphans(self) -> int:
        """Pages on which the stores disagree."""
        return len({*self.lost, *self.loose, *self.half_stored})

    @property
    def is_sound(self) -> bool:
        return not self.orphans and not any(self.unreachable.values())


async def verify(stores: Stores, now: datetime) -> Report:
    """Look at everything once."""
    marked = await marked_pages(stores)
    lost = set(marked.values())
    related, named, facts = await _relations(stores)
    loose, unexplained = set(related), _Unexplained(related)
    passages = 0
    unreachable: dict[str, tuple[str, ...]] = {}
    for collection in await stores.index.collections():
        unreachable[collection.name] = tuple(await stores.index.unreachable(collection.name))
        async for passage, _ in all_passages(stores.index, collection.name):
            passages += 1
            lost.discard(passage.url)
            loose.discard(passage.url)
            named.pop(passage.id, None)
            if collection.name == FACTS:
                unexplained.look(passage)
    return Report(
        passages=passages,
        facts=facts,
        unreachable=unreachable,
        lost=tuple(await lost_pages(stores, {url: known for url, known in marked.items() if known in lost})),
        loose=tuple([url for url in sorted({*loose, *named.values()}) if await loose_facts(stores, url)]),
        half_stored=tuple(sorted(await _unrelated(stores, unexplained.stating(), now))),
    )


async def marked_pages(stores: Stores) -> dict[str, str]:
    """The pages that the registry says were read, each with the address that the stores know it by."""
    return {
        record.url: record.known_by or record.url
        async for record in all_pages(stores.urls)
        if record.status is UrlStatus.EXTRACTED
    }


async def lost_pages(stores: Stores, marked: Mapping[str, str]) -> list[str]:
    """Those of the pages that are marked as read while the index holds nothing of them."""
    asked = sorted(marked)
    lost: list[str] = []
    for start in range(0, len(asked), PAGES_AT_ONCE):
        some = asked[start : start + PAGES_AT_ONCE]
        held = await stores.index.pages_held([marked[url] for url in some])
        # The mark is looked at last: whoever stores a page does so before marking it.
        records = await stores.urls.get([url for url in some if marked[url] not in held])
        lost += [record.url for record in records if record.status is UrlStatus.EXTRACTED]
    return lost


async def loose_facts(stores: Stores, url: str) -> list[str]:
    """Ids of a page's relations whose passages the index does not hold; some name none and go with their page.

    The relations are read again last: whoever replaces a page moves them before the old passages go.
    """
    named = {fact.passage_id for fact in await stores.graph.facts_from(url) if fact.passage_id}
    gone = named - await held_passages(stores.index, named)
    is_held = url in await stores.index.pages_held([url])
    return [
        fact.id
        for fact in await stores.graph.facts_from(url)
        if (fact.passage_id in gone if fact.passage_id else not is_held)
    ]


async def _relations(stores: Stores) -> tuple[set[str], dict[str, str], int]:
    """The pages that relations come from, the passages that relations name, and how many relations there are."""
    pages: set[str] = set()
    named: dict[str, str] = {}
    count = 0
    async for fact in all_facts(stores.graph):
        count += 1
        pages.add(fact.url)
        if fact.passage_id:
            named[fact.passage_id] = fact.url
    return pages, named, count


class _Unexplained:
    """Gathers the pages of the index that the graph has no relation of."""

    def __init__(self, related: set[str]) -> None:
        self._related = related
        self._kept: dict[str, list[Passage]] = {}
        self._stating: set[str] = set()

    def look(self, passage: Passage) -> None:
        if passage.url in self._related:
            return
        if passage.url in self._kept or len(self._kept) < JUDGED_WHOLE:
            self._kept.setdefault(passage.url, []).append(passage)
        elif states_relations([passage]):
            self._stating.add(passage.url)

    def stating(self) -> set[str]:
        """Those whose text states some, so that the graph should have them."""
        return self._stating | {url for url, passages in self._kept.items() if states_relations(passages)}


def states_relations(passages: Sequence[Passage]) -> bool:
    """Whether the rules find a relation in the text of these passages of one page."""
    text = "\n".join(passage.text for passage in passages)
    return bool(extract_facts(text, passages[0].published).triples)


async def _unrelated(stores: Stores, urls: set[str], now: datetime) -> list[str]:
    """Those that the graph still has nothing of; some were being written while the index was read."""
    return [url for url in await _at_rest(stores, urls, now) if not await stores.graph.facts_from(url)]


async def _at_rest(stores: Stores, urls: set[str], now: datetime) -> list[str]:
    """Those that nobody is reading now."""
    records = {record.url: record for record in await stores.urls.get(sorted(urls))}
    leases = {url: record.lease_until for url, record in records.items() if record.lease_until is not None}
    return [url for url in urls if url not in leases or leases[url] <= now]
