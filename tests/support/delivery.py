"""Fakes for the delivery loop: a producer that records and fails on command, a scripted handler, time by hand."""

import asyncio
import random
from collections import defaultdict, deque
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from agents.claims.job import ClaimJob
from agents.claims.submission import Submission
from agents.results import Note, Send, StepResult
from storage.embedded.ledger import SqliteLedger
from storage.ports import Outcome
from streams import topics
from streams.delivery.closing import JobCloser
from streams.delivery.dead_letters import Message
from streams.delivery.gate import Gate
from streams.delivery.producer import Headers
from streams.delivery.retry import RetryPolicy
from streams.delivery.step import Step
from streams.topology import Stage

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Record:
    """What a broker would hold of one send."""

    topic: str
    key: bytes | None
    value: bytes | None
    headers: Headers


class RecordingProducer:
    """Keeps what was sent; `fail` makes the next sends to a topic raise instead."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self._failures: defaultdict[str, deque[Exception]] = defaultdict(deque)

    def fail(self, topic: str, *errors: Exception) -> None:
        self._failures[topic].extend(errors)

    async def send(self, topic: str, key: bytes | None, value: bytes | None, headers: Headers = ()) -> None:
        await asyncio.sleep(0)
        if self._failures[topic]:
            raise self._failures[topic].popleft()
        self.records.append(Record(topic, key, value, headers))

    def on(self, topic: topics.Topic) -> list[Record]:
        return [record for record in self.records if record.topic == topic.name]


class Script:
    """A handler that plays a list: an exception is raised, a result returned; the last entry repeats."""

    def __init__(self, *plays: Exception | StepResult) -> None:
        self._plays = deque(plays)
        self.calls = 0

    async def __call__(self, model: BaseModel, services: object = None) -> StepResult:
        self.calls += 1
        play = self._plays.popleft() if len(self._plays) > 1 else self._plays[0]
        if isinstance(play, Exception):
            raise play
        return play


class Time:
    """A clock that moves only when somebody sleeps; `look` is called each time, to see what is so meanwhile."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.slept: list[float] = []
        self.look: Callable[[], Awaitable[None]] | None = None

    def monotonic(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds
        if self.look is not None:
            await self.look()
        await asyncio.sleep(0)


class FailingLedger(SqliteLedger):
    """A real ledger whose next decisions or marks can be made to fail."""

    def __init__(self, ledger: SqliteLedger) -> None:
        super().__init__(ledger._db)
        self.failures: deque[Exception] = deque()
        self.mark_failures: deque[Exception] = deque()

    async def decide(self, outcome: Outcome) -> Outcome:
        if self.failures:
            raise self.failures.popleft()
        return await super().decide(outcome)

    async def mark_emitted(self, job_id: str, attempt: int) -> None:
        if self.mark_failures:
            raise self.mark_failures.popleft()
        await super().mark_emitted(job_id, attempt)


async def failing_ledger(folder: Path) -> FailingLedger:
    return FailingLedger(await SqliteLedger.open(folder / "ledger.sqlite"))


def submission(job_id: str = "job-1", claim: str = "The bridge is closed.") -> Submission:
    return Submission(job_id=job_id, claim=claim)


def claim_job(job_id: str = "job-1", attempt: int = 1) -> ClaimJob:
    return ClaimJob(job_id=job_id, attempt=attempt, submission=submission(job_id), accepted_at=NOON, deadline=NOON)


def message(topic: topics.Topic, value: bytes | None, *, key: bytes | None = b"job-1", offset: int = 7) -> Message:
    return Message(topic=topic.name, partition=2, offset=offset, key=key, value=value)


def job_message(job: ClaimJob, topic: topics.Topic = topics.RETRIEVAL) -> Message:
    return message(topic, job.model_dump_json().encode(), key=job.job_id.encode())


def claim_message(claim: Submission) -> Message:
    return message(topics.CLAIMS, claim.model_dump_json().encode(), key=claim.job_id.encode())


def onward(job: ClaimJob) -> StepResult:
    """An ordinary result: the job goes on to ranking, and progress hears of it."""
    return StepResult((Send(topics.RANKING.name, job.job_id, job),), (Note("retrieved", {"found": 3}),))


@dataclass(slots=True)
class Bench:
    """One step with everything around it in view."""

    ledger: FailingLedger
    handle: Script
    reads: topics.Topic = topics.RETRIEVAL
    writes: Sequence[topics.Topic] = (topics.RANKING,)
    timeout: float = 30.0
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    producer: RecordingProducer = field(default_factory=RecordingProducer)
    time: Time = field(default_factory=Time)
    gate: Gate = field(init=False)
    step: Step = field(init=False)

    def __post_init__(self) -> None:
        self.gate = Gate("retrieval")
        self.step = Step(
            stage=Stage("retrieval", self.reads, self.handle, tuple(self.writes), self.timeout),
            handle=self.handle,
            producer=self.producer,
            closer=JobCloser(self.ledger, lambda: NOON),
            gate=self.gate,
            retry=self.retry,
            rng=random.Random(4),
            clock=lambda: NOON,
            sleep=self.time.sleep,
            monotonic=self.time.monotonic,
        )
