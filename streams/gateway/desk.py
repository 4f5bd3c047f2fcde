"""Takes a submission in, publishes it, and waits for its end: the one way in for every HTTP route."""

import asyncio
import json
import math
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.errors import KafkaError

from agents.claims.submission import Submission
from storage.ports import JobRecord, JobState, Outcome, VerdictLedger
from streams import metrics, topics
from streams.admission import Admission, JobIdTaken, TooMuchOpen
from streams.contracts import ProgressEvent
from streams.delivery.closing import unpack
from streams.delivery.dead_letters import error_headers
from streams.gateway.access import Guard
from streams.gateway.hub import TERMINAL_EVENTS, Hub, Listener
from streams.gateway.problems import Problem
from streams.gateway.published import Published
from streams.settings import Settings

Gone = Callable[[], Coroutine[Any, Any, None]]
"""Returns when whoever asked is no longer there."""


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything a route needs."""

    settings: Settings
    ledger: VerdictLedger
    admission: Admission
    producer: AIOKafkaProducer
    hub: Hub
    guard: Guard
    published: Published = field(default_factory=Published)
    first_look_seconds: float = 1.0
    last_look_seconds: float = 10.0
    """The hub wakes a waiter at once; the ledger is asked all the same, because a hub can miss a word. The pause
    doubles between the two, so that thousands who wait do not keep the ledger busy."""

    async def submit(self, submission: Submission) -> None:
        """Journal and publish."""
        try:
            admitted = await self.admission.admit(submission)
        except TooMuchOpen as error:
            metrics.ADMISSION_REFUSED.inc()
            retry_after = {"Retry-After": str(math.ceil(error.retry_after))}
            raise Problem(429, "Too much is open", str(error), retry_after) from None
        except JobIdTaken as error:
            raise Problem(409, "job_id is taken", str(error)) from None
        record = admitted.record
        if self._perhaps_unheard(record):
            await self.published.once(record.job_id, lambda: self._publish(record.job_id, record.submission))

    def _perhaps_unheard(self, record: JobRecord) -> bool:
        """Whether a submission, new or repeated, may be one that was journalled and never published.

        Its gateway may have died between the two, or the broker been down. To publish it twice is safe.
        """
        moving = record.job_id in self.published or self.hub.last_event(record.job_id) is not None
        return record.state is JobState.OPEN and not moving

    async def verify(self, submission: Submission, wait_seconds: float, gone: Gone) -> Outcome | None:
        """Submit and wait; None when the deadline passed, or whoever asked went away, and the job goes on."""
        with self.hub.waiting_for(submission.job_id) as finished:
            await self.submit(submission)
            if wait_seconds <= 0:
                return await self.ledger.outcome(submission.job_id)
            with metrics.HTTP_WAITING.track_inprogress():
                return await _unless(gone, self._outcome(submission.job_id, finished, wait_seconds))

    async def follow(self, record: JobRecord, listener: Listener) -> AsyncIterator[ProgressEvent | None]:
        """A job's events and its parts', as the listener hears them, until it ends; None while nothing happens.

        The ledger ends it when the hub missed the last event. Of a job that is tried again, the end of the attempt
        before is not its end; nor is the end of a part.
        """
        over = record.state is not JobState.OPEN
        pauses = self._pauses()
        while not (over and listener.is_empty):
            event = await listener.next(next(pauses))
            if event is not None:
                yield event
                if event.job_id == record.job_id and _ends(event, record.attempt):
                    return
            elif listener.is_behind:
                return
            else:
                latest = await self.ledger.job(record.job_id)
                over = latest is None or latest.state is not JobState.OPEN
                yield None

    async def _outcome(self, job_id: str, finished: asyncio.Event, seconds: float) -> Outcome | None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        for pause in self._pauses():
            outcome = await self.ledger.outcome(job_id)
            remaining = end - loop.time()
            if outcome is not None or remaining <= 0:
                return outcome
            try:
                async with asyncio.timeout(min(pause, remaining)):
                    await finished.wait()
            except TimeoutError:
                continue
        raise AssertionError("the pauses never end")

    def _pauses(self) -> Iterator[float]:
        """Between two looks at the ledger."""
        pause = self.first_look_seconds
        while True:
            yield pause
            pause = min(pause * 2, self.last_look_seconds)

    async def _publish(self, job_id: str, value: bytes) -> None:
        topic = self.settings.topic_prefix + topics.CLAIMS.name
        try:
            async with asyncio.timeout(10):
                await self.producer.send_and_wait(topic, key=job_id.encode(), value=value)
        except (KafkaError, TimeoutError) as error:
            detail = "the claim is journalled but the broker did not take it; send it again with the same job_id"
            raise Problem(503, "The broker is down", detail, {"Retry-After": "5"}) from error


async def _unless(gone: Gone, work: Coroutine[Any, Any, Outcome | None]) -> Outcome | None:
    working, leaving = asyncio.create_task(work), asyncio.create_task(gone())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        return working.result() if working.done() else None
    finally:
        working.cancel()
        leaving.cancel()


def _ends(event: ProgressEvent, attempt: int) -> bool:
    return event.event in TERMINAL_EVENTS and event.attempt >= attempt


def failure(outcome: Outcome) -> dict[str, Any]:
    """What is said of a job that became a dead letter: never a verdict."""
    reason = error_headers(unpack(outcome.payload).headers)
    return {
        "job_id": outcome.job_id,
        "attempt": outcome.attempt,
        "status": "failed",
        "error": {"stage": reason["stage"], "reason": reason["reason"], "message": reason["message"]},
    }


def package(outcome: Outcome) -> dict[str, Any]:
    """The stored package, as it was stored."""
    document: dict[str, Any] = json.loads(outcome.payload)
    return document


def worker_answer(outcome: Outcome) -> dict[str, Any]:
    """000's words: the package, with `confidence` beside `verdict_confidence`."""
    if outcome.state is JobState.FAILED:
        return failure(outcome)
    document = package(outcome)
    return {**document, "confidence": document["verdict_confidence"]}


def news_answer(outcome: Outcome) -> dict[str, Any]:
    """004's words, with the whole package nested."""
    if outcome.state is JobState.FAILED:
        return failure(outcome)
    document = package(outcome)
    return {
        "job_id": document["job_id"],
        "claim": document["claim"],
        "verdict": document["label"],
        "confidence": document["verdict_confidence"],
        "reasoning": document["rationale"],
        "citations": document["citations"],
        "sub_results": [_news_part(sub) for sub in document["sub_results"]],
        "package": document,
    }


def _news_part(sub: dict[str, Any]) -> dict[str, Any]:
    """A sub-result as 004 §8 has it; the package that is nested beside it says more."""
    told = {"job_id": sub["job_id"], "claim": sub["claim"], "verdict": sub["label"], "reasoning": sub["reasoning"]}
    missing = {"missing": sub["missing"]} if sub["missing"] else {}
    return {**told, "citations": sub["citations"], **missing}
