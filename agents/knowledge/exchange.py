"""Carries the knowledge base elsewhere: everything as JSON lines, and back again. Importing twice is importing once."""

import gzip
from collections import Counter
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from pydantic import ValidationError

from agents.knowledge.lines import (
    LINES,
    ClaimLine,
    CollectionLine,
    EntityLine,
    FactLine,
    HeaderLine,
    Line,
    PassageLine,
)
from agents.knowledge.scanning import all_claims, all_entities, all_facts, all_passages
from storage.ports import Embedder as EmbedderIdentity
from storage.ports import EvidenceIndex, KnowledgeGraph
from storage.vectors import require_embedder

BATCH = 500
LONGEST_LINE = 20_000_000
"""A passage of the largest size a store takes, escaped, with a vector of thousands of dimensions."""

Told = Callable[[str], None]


class _Written(Protocol):
    def write(self, data: bytes, /) -> int: ...


class _Read(Protocol):
    def readline(self, limit: int, /) -> bytes: ...


class BadBackup(ValueError):  # noqa: N818 - reads as what happened
    """The file is not what `export` writes; the message names the line."""


async def export(
    path: Path, index: EvidenceIndex, graph: KnowledgeGraph, now: datetime, told: Told = lambda _: None
) -> Counter[str]:
    """Write everything to `path` (gzipped if it ends in .gz); the file appears when it is complete."""
    counted: Counter[str] = Counter()
    with _appearing(path) as out:
        async for line in _everything(index, graph, now):
            out.write(line.model_dump_json().encode() + b"\n")
            counted[line.kind] += 1
            told(line.kind)
    return counted


async def _everything(index: EvidenceIndex, graph: KnowledgeGraph, now: datetime) -> AsyncGenerator[Line, None]:
    yield HeaderLine(exported_at=now)
    for collection in await index.collections():
        yield CollectionLine.of(collection)
        async for passage, vector in all_passages(index, collection.name):
            yield PassageLine.of(passage, vector)
    async for entity in all_entities(graph):
        yield EntityLine.of(entity)
    async for fact in all_facts(graph):
        yield FactLine.of(fact)
    async for claim in all_claims(graph):
        yield ClaimLine.of(claim)


@contextmanager
def _appearing(path: Path) -> Iterator[_Written]:
    """A file that takes its name only when it is whole: a back-up that was interrupted is no back-up."""
    partial = path.with_name(f"{path.name}.partial")
    try:
        with partial.open("wb") as raw:
            if path.name.endswith(".gz"):
                # A fixed time in the header: the same knowledge base gives the same bytes.
                with gzip.GzipFile(filename="", fileobj=raw, mode="wb", mtime=0) as packed:
                    yield packed
            else:
                yield raw
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


async def import_lines(
    path: Path,
    index: EvidenceIndex,
    graph: KnowledgeGraph,
    embedder: EmbedderIdentity,
    told: Told = lambda _: None,
) -> Counter[str]:
    """Store everything in `path`. A line that cannot be read ends it; what came before is stored."""
    importer = _Importer(index, graph)
    declared: set[str] = set()
    for number, line in _lines(path):
        try:
            value = _value(line, embedder, declared)
        except ValueError as error:
            raise BadBackup(f"{path}, line {number}: {error}") from None
        if value is not None:
            await importer.take(line.kind, value)
        told(line.kind)
    await importer.flush()
    return importer.counted


def _lines(path: Path) -> Iterator[tuple[int, Line]]:
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        stream: _Read = gzip.GzipFile(fileobj=raw) if packed else raw
        number = 0
        while text := stream.readline(LONGEST_LINE):
            number += 1
            try:
                line = LINES.validate_json(text)
            except ValidationError as error:
                first = error.errors(include_url=False)[0]
                where = ".".join(str(part) for part in first["loc"][1:])
                reason = f"{where}: {first['msg']}" if where else first["msg"]
                raise BadBackup(f"{path}, line {number}: {reason}") from None
            if number == 1 and not isinstance(line, HeaderLine):
                raise BadBackup(f"{path} is not a back-up: its first line should be of kind 'veristream'")
            yield number, line
        if not number:
            raise BadBackup(f"{path} is empty")


def _value(line: Line, embedder: EmbedderIdentity, declared: set[str]) -> Any:
    """What a line stores, None if nothing; a collection of another embedder is refused."""
    if isinstance(line, HeaderLine):
        return None
    if isinstance(line, CollectionLine):
        require_embedder(line.name, line.made_by, embedder)
        declared.add(line.name)
        return None
    if isinstance(line, PassageLine) and line.collection not in declared:
        raise ValueError(f"collection {line.collection!r} has no line of its own before its passages")
    return line.value()


class _Importer:
    """Gathers values of one kind and stores them by the batch."""

    def __init__(self, index: EvidenceIndex, graph: KnowledgeGraph) -> None:
        self.counted: Counter[str] = Counter()
        self._index = index
        self._graph = graph
        self._kind = ""
        self._batch: list[Any] = []

    async def take(self, kind: str, value: Any) -> None:
        if kind != self._kind or len(self._batch) >= BATCH:
            await self.flush()
            self._kind = kind
        self._batch.append(value)

    async def flush(self) -> None:
        if self._batch:
            batch, self._batch = self._batch, []
            await self._store(batch)
            self.counted[self._kind] += len(batch)

    async def _store(self, batch: list[Any]) -> None:
        if self._kind == "passage":
            await self._index.upsert(batch)
        elif self._kind == "entity":
            await self._graph.upsert_entities(batch)
        elif self._kind == "fact":
            await self._graph.upsert_facts(batch)
        else:
            for claim in batch:
                await self._graph.record_claim(claim)
