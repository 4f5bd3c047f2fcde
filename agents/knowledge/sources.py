"""What `veristream ingest` was given, as one stream of documents with its total size known beforehand."""

import asyncio
from collections.abc import AsyncGenerator, Iterable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TypeVar

from agents.evidence.documents import (
    FileSource,
    Piece,
    Skip,
    Visit,
    find_files,
    is_address,
    read_address,
    read_entries,
    read_feed_file,
    read_file,
)
from agents.evidence.documents.web import WEIGHT

T = TypeVar("T")

IN_ONE_GO = 16
"""Documents read before the loop gets its turn: short enough that Ctrl-C is answered at once."""

Source = FileSource | Skip | str
"""A file, something that cannot be read, or an address."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Every source in order, and the size of all of them together in bytes."""

    sources: tuple[Source, ...]
    size: int


class NoSuchSource(ValueError):  # noqa: N818 - reads as what happened
    """Something was named that does not exist; nothing has been read."""


def plan_sources(names: Sequence[str]) -> Plan:
    """Look up everything that was named before anything is read."""
    sources: list[Source] = []
    for name in names:
        if is_address(name):
            sources.append(name)
        elif Path(name).exists():
            sources += find_files(Path(name))
        else:
            raise NoSuchSource(f"no such file or folder: {name}")
    return Plan(tuple(sources), sum(map(_size, sources)))


def _size(source: Source) -> int:
    if isinstance(source, FileSource):
        return source.size if source.kind != "feed" else WEIGHT
    return WEIGHT if isinstance(source, str) else 0


async def read_sources(plan: Plan, visit: Visit) -> AsyncGenerator[Piece, None]:
    """Every document of every source, with how much of the whole has been used up."""
    before = 0
    for source in plan.sources:
        async with aclosing(_pieces(source, visit)) as pieces:
            async for item, consumed in pieces:
                yield Piece(item, before + min(consumed, _size(source)))
        before += _size(source)


def _pieces(source: Source, visit: Visit) -> AsyncGenerator[Piece, None]:
    if isinstance(source, str):
        return read_address(source, visit)
    if isinstance(source, Skip):
        return _in_thread([Piece(source, 0)])
    return _feed_file(source, visit) if source.kind == "feed" else _in_thread(read_file(source, visit.reading))


async def _feed_file(source: FileSource, visit: Visit) -> AsyncGenerator[Piece, None]:
    raw = await asyncio.to_thread(read_feed_file, source, visit.reading.policy)
    if isinstance(raw, Skip):
        yield Piece(raw, WEIGHT)
        return
    async for piece in read_entries(raw, str(source.path), visit):
        yield piece


async def _in_thread(items: Iterable[T]) -> AsyncGenerator[T, None]:
    """Drawn in a worker thread, a few at a time."""
    iterator: Iterator[T] = iter(items)
    while some := await asyncio.to_thread(lambda: list(islice(iterator, IN_ONE_GO))):
        for item in some:
            yield item
