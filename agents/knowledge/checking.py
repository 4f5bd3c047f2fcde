"""Do the stores agree? Finds what searches do not reach, and what one store holds and another does not know of.

Safe beside a running system: each store is read before the one that is written earlier, so that what is being
written meanwhile is not taken for an orphan, and pages under a live lease are left to whoever reads them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agents.knowledge.scanning import all_facts, all_passages
from agents.language.rules.facts import extract_facts
from storage.ports import Passage, RegistryPolicy, Stores, UrlStatus
from storage.ports.evidence import FACTS

JOBS_AT_ONCE = 100
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
    lost = set(await read_pages(stores, now))
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
        lost=tuple(sorted(lost)),
        loose=tuple(sorted(await _at_rest(stores, {*loose, *named.values()}, now))),
        half_stored=tuple(sorted(await _unrelated(stores, unexplained.stating(), now))),
    )


async def read_pages(stores: Stores, now: datetime) -> list[str]:
    """The pages that jobs have read, as far as the registry remembers and still says so."""
    oldest = now - RegistryPolicy().job_memory_for
    found: dict[str, None] = {}
    after: str | None = None
    while jobs := await stores.ledger.jobs(limit=JOBS_AT_ONCE, after=after):
        for job in jobs:
            parent = await stores.ledger.parent(job.job_id)
            for job_id in (job.job_id, *(parent.children if parent else ())):
                processed = await stores.urls.processed(job_id)
                records = await stores.urls.get(processed)
                found |= dict.fromkeys(one.url for one in records if one.status is UrlStatus.EXTRACTED)
        if jobs[-1].opened_at < oldest:
            break
        after = jobs[-1].job_id
    return list(found)


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
