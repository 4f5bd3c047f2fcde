"""Takes a submission in, publishes it, and waits for its end: the one way in for every HTTP route."""

import asyncio
import json
from collections import OrderedDict
from collections.abc import AsyncIterator
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
from streams.gateway.hub import Hub
from streams.gateway.problems import Problem
from streams.settings import Settings

LEDGER_POLL_SECONDS = 1.0
"""The hub wakes a waiter at once; the ledger is asked this often all the same, because a hub can miss a word."""


class Published:
    """The jobs that this gateway has seen the broker take, as many as it remembers."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        self._ids: OrderedDict[str, None] = OrderedDict()

    def add(self, job_id: str) -> None:
        self._ids[job_id] = None
        if len(self._ids) > self._most:
            self._ids.popitem(last=False)

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._ids


@dataclass(frozen=True, slots=True)
class Desk:
    """Everything a route needs."""

    settings: Settings
    ledger: VerdictLedger
    admission: Admission
    producer: AIOKafkaProducer
    hub: Hub
    stance: str
    """What the workers that share these settings judge stances with."""
    published: Published = field(default_factory=Published)

    async def submit(self, submission: Submission) -> None:
        """Journal and publish."""
        try:
            admitted = await self.admission.admit(submission)
        except TooMuchOpen as error:
            metrics.ADMISSION_REFUSED.inc()
            retry_after = {"Retry-After": str(max(1, round(error.retry_after)))}
            raise Problem(429, "Too much is open", str(error), retry_after) from None
        except JobIdTaken as error:
            raise Problem(409, "job_id is taken", str(error)) from None
        if admitted.new or self._perhaps_unheard(admitted.record):
            await self._publish(admitted.record.job_id, admitted.record.submission)
            self.published.add(admitted.record.job_id)

    def _perhaps_unheard(self, record: JobRecord) -> bool:
        """Whether a repeated submission may be one that was journalled and never published.

        Its gateway may have died between the two, or the broker been down. To publish it twice is safe.
        """
        moving = record.job_id in self.published or self.hub.last_event(record.job_id) is not None
        return record.state is JobState.OPEN and not moving

    async def verify(self, submission: Submission, wait_seconds: float) -> Outcome | None:
        """Submit and wait; None when the deadline passed and the job goes on."""
        with self.hub.waiting_for(submission.job_id) as finished:
            await self.submit(submission)
            with metrics.HTTP_WAITING.track_inprogress():
                return await self._outcome(submission.job_id, finished, wait_seconds)

    async def follow(self, job_id: str, *, over: bool) -> AsyncIterator[ProgressEvent]:
        """A job's events as the hub hears them; the ledger ends it when the hub missed the last one."""
        if over and self.hub.last_event(job_id) is None:
            return
        events = self.hub.events(job_id)
        next_event = asyncio.ensure_future(anext(events, None))
        try:
            while True:
                done, _ = await asyncio.wait({next_event}, timeout=LEDGER_POLL_SECONDS)
                if not done:
                    record = await self.ledger.job(job_id)
                    if record is None or record.state is not JobState.OPEN:
                        return
                    continue
                event = next_event.result()
                if event is None:
                    return
                yield event
                next_event = asyncio.ensure_future(anext(events, None))
        finally:
            next_event.cancel()

    async def _outcome(self, job_id: str, finished: asyncio.Event, seconds: float) -> Outcome | None:
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        while True:
            outcome = await self.ledger.outcome(job_id)
            remaining = end - loop.time()
            if outcome is not None or remaining <= 0:
                return outcome
            try:
                async with asyncio.timeout(min(LEDGER_POLL_SECONDS, remaining)):
                    await finished.wait()
            except TimeoutError:
                continue

    async def _publish(self, job_id: str, value: bytes) -> None:
        topic = self.settings.topic_prefix + topics.CLAIMS.name
        try:
            async with asyncio.timeout(10):
                await self.producer.send_and_wait(topic, key=job_id.encode(), value=value)
        except (KafkaError, TimeoutError) as error:
            detail = "the claim is journalled but the broker did not take it; send it again with the same job_id"
            raise Problem(503, "The broker is down", detail, {"Retry-After": "5"}) from error


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
