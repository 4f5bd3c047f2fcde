"""Says again what was decided but perhaps never heard: the winner may have died between storing and emitting."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from storage.ports import JobState, Outcome, VerdictLedger
from streams import topics
from streams.delivery.closing import unpack
from streams.delivery.producer import Producer, Undeliverable

log = structlog.get_logger("veristream.sweep")

MOST_OPEN = 100_000


async def publish_open_jobs(ledger: VerdictLedger, publish: Callable[[bytes, bytes], Awaitable[object]]) -> int:
    """From the journal: what was accepted and has no end yet. Returns how many."""
    jobs = [job for job in await ledger.open_jobs(limit=MOST_OPEN) if job.submission]
    for job in jobs:
        await publish(job.job_id.encode(), job.submission)
    return len(jobs)


class Sweep:
    """One pass over the ledger's outcomes that nobody marked as emitted."""

    def __init__(
        self,
        ledger: VerdictLedger,
        producer: Producer,
        clock: Callable[[], datetime],
        patience: timedelta = timedelta(seconds=15),
    ) -> None:
        self._ledger = ledger
        self._producer = producer
        self._clock = clock
        self._patience = patience

    async def once(self) -> int:
        """Emit again what is overdue; return how many."""
        said = 0
        for outcome in await self._ledger.unemitted(self._clock() - self._patience):
            try:
                await self._emit(outcome)
            except Undeliverable as error:
                # One that can never be sent must not keep the others from being said.
                log.critical("a stored outcome cannot be emitted", job_id=outcome.job_id, detail=str(error))
                continue
            await self._ledger.mark_emitted(outcome.job_id, outcome.attempt)
            said += 1
        if said:
            log.warning("said again what was stored but never seen emitted", outcomes=said)
        return said

    async def start_open_jobs_again(self) -> int:
        """Publish every open job once more: what the embedded broker dropped is among them, and twice is safe."""
        return await publish_open_jobs(
            self._ledger, lambda key, value: self._producer.send(topics.CLAIMS.name, key, value)
        )

    async def _emit(self, outcome: Outcome) -> None:
        if outcome.state is JobState.COMPLETED:
            await self._producer.send(topics.VERDICTS.name, outcome.job_id.encode(), outcome.payload)
        else:
            letter = unpack(outcome.payload)
            await self._producer.send(topics.DEAD_LETTERS.name, letter.key, letter.value, letter.headers)
