"""Stores documents in bulk: batches of passages, embedded while the batch before is being written.

What the collection holds already is looked up first and left alone, so that a run again costs little more than
reading, and a run that was interrupted goes on where it stopped. What a changed document used to say goes at the end.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import datetime
from typing import NamedTuple

from agents.evidence.credibility import SourceCredibility
from agents.evidence.documents import Document, Piece, Skip
from agents.evidence.extraction import ExtractedPage
from agents.evidence.ingest import embedded_text, missing_from, passages_of
from agents.evidence.relations import ingest_relations
from agents.knowledge.earlier_readings import EarlierReadings
from agents.language.ports import Embedder, Vectors
from agents.language.rules.facts import extract_facts
from storage.errors import StoreRefused
from storage.ports import Embedder as EmbedderIdentity
from storage.ports import EvidenceIndex, KnowledgeGraph, Passage
from storage.vectors import require_embedder

BATCH = 256
"""Passages per write: enough to hide what a commit costs, and with the slowest embedder still some seconds of work."""
SHOWN_SKIPS = 10
RELATIONS_AT_ONCE = 16
"""Pages whose relations are written side by side; the stores gather such writes into shared commits."""

AfterStoring = Callable[[list[str]], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Target:
    """Where documents go and what is needed on the way. With a graph, their relations go there as well."""

    collection: str
    index: EvidenceIndex
    embedder: Embedder
    credibility: SourceCredibility
    clock: Callable[[], datetime]
    graph: KnowledgeGraph | None = None


@dataclass(slots=True)
class Tally:
    """What has become of the documents so far. `consumed` is in the measure of the sources."""

    documents: int = 0
    new: int = 0
    known: int = 0
    relations: int = 0
    outdated: int = 0
    """Passages of earlier readings that were deleted because their documents read differently now."""
    consumed: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    examples: list[Skip] = field(default_factory=list)

    def skip(self, skipped: Skip) -> None:
        self.skipped[skipped.reason] += 1
        if len(self.examples) < SHOWN_SKIPS:
            self.examples.append(skipped)


class Cut(NamedTuple):
    """A page and the passages that it is stored as."""

    page: ExtractedPage
    passages: tuple[Passage, ...]


@dataclass(slots=True)
class _Batch:
    passages: list[Passage] = field(default_factory=list)
    pages: list[Cut] = field(default_factory=list)


class Ingestion:
    """One run. `tally` may be read at any time, also after the run was cancelled."""

    def __init__(
        self,
        target: Target,
        *,
        tally: Tally | None = None,
        after_storing: AfterStoring | None = None,
        progress: Callable[[Tally], None] | None = None,
    ) -> None:
        self.tally = tally if tally is not None else Tally()
        self._target = target
        self._after_storing = after_storing
        self._progress = progress
        self._writing: asyncio.Task[None] | None = None
        self._earlier = EarlierReadings(target.collection, target.index, target.graph, target.clock())

    async def run(self, pieces: AsyncGenerator[Piece, None]) -> Tally:
        """Store every document of `pieces`; a mismatch of embedders is raised before anything is read."""
        await refuse_other_embedder(self._target)
        batch = _Batch()
        try:
            async with aclosing(pieces):
                async for piece in pieces:
                    self._take(piece, batch)
                    if len(batch.passages) >= BATCH:
                        await self._store(batch)
                        batch = _Batch()
            await self._store(batch)
        finally:
            await self._settle()
        self.tally.outdated += await self._earlier.settle()
        return self.tally

    def _take(self, piece: Piece, batch: _Batch) -> None:
        self.tally.consumed = piece.consumed
        if isinstance(piece.item, Document):
            self._cut(piece.item, batch)
        else:
            self.tally.skip(piece.item)
        if self._progress is not None:
            self._progress(self.tally)

    def _cut(self, document: Document, batch: _Batch) -> None:
        target, page = self._target, document.page
        try:
            passages = passages_of(page, target.collection, target.credibility, target.clock(), method=document.method)
        except StoreRefused as error:
            self.tally.skip(Skip(page.url, "refused", str(error)))
            return
        batch.passages += passages
        batch.pages.append(Cut(page, tuple(passages)))
        self.tally.documents += 1

    async def _store(self, batch: _Batch) -> None:
        """Look up and embed this batch while the one before is still being written."""
        target = self._target
        for start in range(0, len(batch.passages), BATCH):
            some = batch.passages[start : start + BATCH]
            missing = await missing_from(target.index, some)
            vectors = await target.embedder.embed([embedded_text(one) for one in missing]) if missing else None
            last = start + BATCH >= len(batch.passages)
            await self._settle()
            self._writing = asyncio.create_task(self._write(missing, vectors, len(some), batch.pages if last else []))

    async def _settle(self) -> None:
        """Wait for the write under way; what it raised is raised here."""
        if self._writing is not None:
            writing, self._writing = self._writing, None
            await writing

    async def _write(self, missing: list[Passage], vectors: Vectors | None, asked: int, pages: Sequence[Cut]) -> None:
        new = 0
        if vectors is not None:
            new = await self._target.index.upsert(list(zip(missing, vectors, strict=True)))
        self.tally.new += new
        self.tally.known += asked - new
        if self._target.graph is not None and pages:
            self.tally.relations += await _store_relations(pages, self._target.graph, self._target.clock())
        for cut in pages:
            self.tally.outdated += await self._earlier.note(cut.page.url, (one.id for one in cut.passages))
        if self._after_storing is not None and pages:
            await self._after_storing([cut.page.url for cut in pages])


async def _store_relations(pages: Sequence[Cut], graph: KnowledgeGraph, now: datetime) -> int:
    """Of all pages, not of new ones alone: whoever stored their passages may have died before coming here."""
    read = await asyncio.to_thread(lambda: [extract_facts(cut.page.text, cut.page.published).triples for cut in pages])
    stating = [(cut, triples) for cut, triples in zip(pages, read, strict=True) if triples]
    new = 0
    for start in range(0, len(stating), RELATIONS_AT_ONCE):
        some = stating[start : start + RELATIONS_AT_ONCE]
        writes = (ingest_relations(cut.page, triples, cut.passages, graph=graph, now=now) for cut, triples in some)
        new += sum(await asyncio.gather(*writes))
    return new


async def refuse_other_embedder(target: Target) -> None:
    """One clear line if the collection's vectors are another embedder's, before any work is done."""
    in_use = EmbedderIdentity(target.embedder.name, target.embedder.dimension)
    for collection in await target.index.collections():
        if collection.name == target.collection:
            require_embedder(collection.name, collection.embedder, in_use)
