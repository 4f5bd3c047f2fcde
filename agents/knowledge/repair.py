"""Mends what `checking` finds, from what is stored. Every step may be repeated; nothing sound is touched."""

from dataclasses import dataclass
from datetime import datetime

from agents.evidence.extraction import ExtractedPage
from agents.evidence.relations import ingest_relations
from agents.knowledge.checking import Report, loose_facts, lost_pages, marked_pages
from agents.knowledge.scanning import all_passages
from agents.language.rules.facts import extract_facts
from storage.ports import Passage, Stores
from storage.ports.evidence import FACTS

WRITTEN_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Mended:
    """What was done."""

    rewritten: int = 0
    """Passages written anew, so that searches reach them."""
    forgotten: int = 0
    """Pages dropped from the registry, so that they may be read again."""
    dropped: int = 0
    """Relations deleted because the passages they were read from are gone."""
    added: int = 0
    """Relations read again from stored passages."""


async def repair(stores: Stores, report: Report, now: datetime) -> Mended:
    """Mend what `report` names."""
    return Mended(
        rewritten=await _rewrite(stores, report),
        forgotten=await _forget_lost(stores, report),
        dropped=sum([await _drop_loose(stores, url) for url in report.loose]),
        added=await _relate(stores, frozenset(report.half_stored), now),
    )


async def _rewrite(stores: Stores, report: Report) -> int:
    count = 0
    for collection, ids in report.unreachable.items():
        for start in range(0, len(ids), WRITTEN_AT_ONCE):
            count += await stores.index.repair(collection, ids[start : start + WRITTEN_AT_ONCE])
    return count


async def _forget_lost(stores: Stores, report: Report) -> int:
    if not report.lost:
        return 0
    named = set(report.lost)
    marked = {url: known for url, known in (await marked_pages(stores)).items() if url in named}
    return sum([await stores.urls.forget(url) for url in await lost_pages(stores, marked)])


async def _drop_loose(stores: Stores, url: str) -> int:
    return await stores.graph.delete_facts(await loose_facts(stores, url))


async def _relate(stores: Stores, urls: frozenset[str], now: datetime) -> int:
    """Read the relations of these pages again, passage by passage as they lie in the index."""
    added = 0
    if urls:
        async for passage, _ in all_passages(stores.index, FACTS):
            if passage.url in urls:
                triples = extract_facts(passage.text, passage.published).triples
                added += await ingest_relations(_page(passage), triples, [passage], graph=stores.graph, now=now)
    return added


def _page(passage: Passage) -> ExtractedPage:
    return ExtractedPage(passage.url, passage.title, passage.text, passage.published, passage.domain, None)
