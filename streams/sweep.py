"""Says again what was decided but perhaps never heard: the winner may have died between storing and emitting."""

from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta

import structlog

from agents.claims.decided import say
from agents.claims.job import SubEnd
from agents.results import Send
from storage.ports import JobState, Outcome, VerdictLedger
from streams import topics
from streams.delivery.closing import burial
from streams.delivery.producer import Producer, Undeliverable
from streams.wire import encode

log = structlog.get_logger("veristream.sweep")

MOST_OPEN = 100_000


async def publish_open_jobs(ledger: VerdictLedger, publish: Callable[[bytes, bytes], Awaitable[object]]) -> int:
    """From the journal: what was accepted and has no end yet. Returns how many."""
    jobs = [job for job in await ledger.open_jobs(limit=MOST_OPEN) if job.submission]
    for job in jobs:
        await publish(job.job_id.encode(), job.submission)
    return len(jobs)


class Sweep:
    """One pass over the ledger: outcomes that nobody marked as emitted, and claims that waited long for their parts."""

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
        self._waiting: frozenset[str] = frozenset()

    async def once(self) -> int:
        """Emit again what is overdue; return how many."""
        await self._close_parents()
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

    async def _close_parents(self) -> None:
        """Decomposed claims whose time is over, and those that have all parts and still no end.

        Whoever joined the last part is deciding right now, so only what was found twice in a row is helped along.
        """
        overdue = await self._ledger.close_overdue(self._clock())
        stranded = frozenset(await self._ledger.stranded_parents(self._clock() - self._patience))
        for parent_id in (*overdue, *sorted(stranded & self._waiting - frozenset(overdue))):
            log.warning("closing a claim without waiting for its parts any longer", job_id=parent_id)
            await self._send(Send(topics.AGGREGATION.name, parent_id, SubEnd(job_id=parent_id)))
        self._waiting = stranded

    async def _emit(self, outcome: Outcome) -> None:
        if outcome.state is JobState.COMPLETED:
            await self._send(say(outcome))
            return
        said = burial(outcome)
        await self._producer.send(topics.DEAD_LETTERS.name, said.letter.key, said.letter.value, said.letter.headers)
        if said.tells is not None:
            await self._send(said.tells)

    async def _send(self, send: Send) -> None:
        await self._producer.send(send.to, send.key.encode(), encode(send.value))
