"""What a claim costs in processor time, stage by stage, and what of it is the local models' own."""

import asyncio
import time
from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agents.claims.submission import Submission
from agents.language.calibration import SimilarityCalibration
from agents.language.ports import Embedder, Pair, StanceModel, Vectors
from agents.services import Services
from scoring.values import Stance
from streams.bootstrap import open_services
from streams.settings import Settings
from streams.topology import STAGES

SIDE_BY_SIDE = 32


@dataclass(frozen=True, slots=True)
class Costs:
    """Of `claims` claims, one after the other, in one process with nothing but the handlers."""

    claims: int
    cpu_ms: dict[str, float]
    """By stage, of all claims together."""
    inference_seconds: float
    """The same texts and pairs given to the models alone, many at a time: the least that the claims could take."""


class Listening:
    """An embedder and a stance model that remember what they were asked."""

    def __init__(self, embedder: Embedder, stance: StanceModel) -> None:
        self._embedder, self._stance = embedder, stance
        self.texts: list[Sequence[str]] = []
        self.pairs: list[Sequence[Pair]] = []

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimension(self) -> int:
        return self._embedder.dimension

    @property
    def calibration(self) -> SimilarityCalibration:
        return self._embedder.calibration

    @property
    def query_prefix(self) -> str:
        prefix: str = getattr(self._embedder, "query_prefix", "")
        return prefix

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts.append(tuple(texts))
        return await self._embedder.embed(texts)

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        self.pairs.append(tuple(pairs))
        return await self._stance.judge(pairs)

    async def alone(self) -> float:
        """Seconds for everything again, `SIDE_BY_SIDE` requests at a time."""
        gate = asyncio.Semaphore(SIDE_BY_SIDE)

        async def one(request: Any, ask: Any) -> None:
            async with gate:
                await ask(request)

        began = time.perf_counter()
        async with asyncio.TaskGroup() as group:
            for texts in self.texts:
                group.create_task(one(texts, self._embedder.embed))
            for pairs in self.pairs:
                group.create_task(one(pairs, self._stance.judge))
        return time.perf_counter() - began


class _StanceOf:
    """The stance half of a listener under its own name."""

    def __init__(self, listening: Listening, name: str) -> None:
        self._listening, self.name = listening, name

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        return await self._listening.judge(pairs)


async def measure(settings: Settings, claims: Sequence[str]) -> Costs:
    """Every claim through the handlers, twice: the first time finds the pages, and is not counted."""
    async with open_services(settings) as services:
        for number, claim in enumerate(claims):
            await _walk(Submission(job_id=f"first-{number}", claim=claim), services, Counter())
        listening = Listening(services.embedder, services.stance)
        heard = replace(services, embedder=listening, stance=_StanceOf(listening, services.stance.name))
        spent: Counter[str] = Counter()
        for number, claim in enumerate(claims):
            await _walk(Submission(job_id=f"second-{number}", claim=claim), heard, spent)
        return Costs(len(claims), {name: round(ms, 1) for name, ms in spent.items()}, await listening.alone())


async def _walk(submission: Submission, services: Services, spent: Counter[str]) -> None:
    """From stage to stage without a broker; processor time of all threads, by stage."""
    stages = {stage.reads.name: stage for stage in STAGES}
    waiting: deque[tuple[str, Any]] = deque([("claims", submission)])
    while waiting:
        topic, value = waiting.popleft()
        stage = stages[topic]
        began = time.process_time_ns()
        result = await stage.handle(value, services)
        spent[stage.name] += (time.process_time_ns() - began) / 1e6  # type: ignore[assignment]  # counted in parts
        waiting += [(send.to, send.value) for send in result.sends if send.to in stages]
