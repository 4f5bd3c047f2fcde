"""What the local models were asked during a run, and how long they take for exactly that when nothing else is done."""

import asyncio
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any, TextIO

from agents.language.ports import Embedder, Pair, StanceModel, Vectors
from agents.services import Services
from scoring.values import Stance


@dataclass(frozen=True, slots=True)
class Asked:
    """One request to a local model: texts to embed, or pairs to judge."""

    texts: tuple[str, ...] = ()
    pairs: tuple[Pair, ...] = ()

    def line(self) -> str:
        pairs = [[*pair[:3], pair.published.isoformat() if pair.published else None] for pair in self.pairs]
        return json.dumps({"texts": self.texts, "pairs": pairs}) + "\n"

    @classmethod
    def of_line(cls, line: str) -> "Asked":
        said = json.loads(line)
        pairs = (Pair(*pair[:3], date.fromisoformat(pair[3]) if pair[3] else None) for pair in said["pairs"])
        return cls(tuple(said["texts"]), tuple(pairs))


class _Heard:
    """A model that is asked through a listener; whatever else it is known by is its own."""

    def __init__(self, model: Any, heard: TextIO) -> None:
        self._model, self._heard = model, heard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def hear(self, asked: Asked) -> None:
        self._heard.write(asked.line())
        self._heard.flush()


class _HeardEmbedder(_Heard):
    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.hear(Asked(texts=tuple(texts)))
        vectors: Vectors = await self._model.embed(texts)
        return vectors


class _HeardStance(_Heard):
    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        self.hear(Asked(pairs=tuple(pairs)))
        stances: tuple[Stance, ...] = await self._model.judge(pairs)
        return stances


def heard(services: Services, into: TextIO) -> Services:
    """The same services; every request to a local model is also a line of `into`."""
    return replace(
        services, embedder=_HeardEmbedder(services.embedder, into), stance=_HeardStance(services.stance, into)
    )


class Ears:
    """The lines that the workers of a run have written, as far as they were not read yet."""

    def __init__(self, files: Sequence[Path]) -> None:
        self._files = tuple(files)
        self._read = dict.fromkeys(self._files, 0)

    def news(self) -> list[Asked]:
        return [Asked.of_line(line) for path in self._files for line in self._lines(path)]

    def _lines(self, path: Path) -> Iterator[str]:
        with path.open() as file:
            file.seek(self._read[path])
            text = file.read()
            self._read[path] = file.tell()
        return iter(text.splitlines())


async def together(asked: Sequence[Asked], embedder: Embedder, stance: StanceModel) -> float:
    """Seconds for all of it at once: the models batch it as they like."""
    texts = [text for one in asked for text in one.texts]
    pairs = [pair for one in asked for pair in one.pairs]
    began = time.perf_counter()
    await asyncio.gather(embedder.embed(texts), stance.judge(pairs))
    return time.perf_counter() - began


async def in_turn(asked: Sequence[Asked], embedder: Embedder, stance: StanceModel) -> float:
    """Seconds for one request after the other."""
    began = time.perf_counter()
    for one in asked:
        if one.texts:
            await embedder.embed(one.texts)
        if one.pairs:
            await stance.judge(one.pairs)
    return time.perf_counter() - began
