"""Copies of one story among the rows of a job: marked for what they are, and never in the way of other reports."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from agents.claims.evidence import CandidateRow, EvidenceRow
from scoring.identity import url_key
from scoring.stories import StoryPolicy, Told, copies
from storage.ports import EvidenceIndex, Hit, HybridQuery

MOST_COPIES = 10
"""Copies that are shown for what they are, and counted for nothing."""
ENOUGH = 3
"""Stories that crowd nobody out: as many as sufficiency asks for (000 §5.2). Pages on other matters are written alike
too, and looking behind every one of them brings in what has nothing to do with the claim."""
WIDE = 50
"""Hits among which other reports are looked for where copies are found. A search ranks twice as many anyway
(`storage.fusion`), so that their order stays what it was; a story of two passages on twenty sites leaves room."""


def with_copies_marked(rows: Sequence[EvidenceRow], policy: StoryPolicy) -> tuple[EvidenceRow, ...]:
    """The rows, each copy of a story pointing to the row that stands for it: from the rows alone, for an audit too."""
    told = [Told(row.id, row.text, url_key(row.url), row.score.value) for row in rows]
    known = copies(told, policy)
    return tuple(row.model_copy(update={"same_as": known.get(row.id, "")}) for row in rows)


def copies_last(rows: Sequence[CandidateRow], policy: StoryPolicy) -> list[CandidateRow]:
    """The best first, but what only repeats a better row behind all others: a story on many sites crowds nobody out."""
    best = sorted(rows, key=lambda row: (-max(row.semantic, row.kg), row.id))
    same = copies([Told(row.id, row.text, url_key(row.url), max(row.semantic, row.kg)) for row in best], policy)
    return [*(row for row in best if row.id not in same), *(row for row in best if row.id in same)]


async def search_past_copies(index: EvidenceIndex, query: HybridQuery, policy: StoryPolicy) -> list[Hit]:
    """The best hits that say something of their own, then what repeats them.

    Most searches find several stories and are over with the first look."""
    hits = await index.search(query)
    if len(hits) < query.limit or _stories(hits, policy) >= ENOUGH:
        return hits
    hits = await index.search(replace(query, limit=max(WIDE, query.limit)))
    same = _repeated(hits, policy)
    own = [hit for hit in hits if hit.passage.id not in same]
    return own[: query.limit] + [hit for hit in hits if hit.passage.id in same][:MOST_COPIES]


def _stories(hits: Sequence[Hit], policy: StoryPolicy) -> int:
    same = _repeated(hits, policy)
    return len({url_key(hit.passage.url) for hit in hits if hit.passage.id not in same})


def _repeated(hits: Sequence[Hit], policy: StoryPolicy) -> Mapping[str, str]:
    told = [Told(hit.passage.id, hit.passage.text, url_key(hit.passage.url), hit.fused) for hit in hits]
    return copies(told, policy)
