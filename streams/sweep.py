"""Says again what was decided but perhaps never heard: the winner may have died between storing and emitting."""

from collections.abc import Callable
from datetime import datetime, timedelta

import structlog

from storage.ports import JobState, Outcome, VerdictLedger
from streams import topics
from streams.delivery.closing import unpack
from streams.delivery.producer import Producer, Undeliverable

log = structlog.get_logger("veristream.sweep")


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

    async def _emit(self, outcome: Outcome) -> None:
        if outcome.state is JobState.COMPLETED:
            await self._producer.send(topics.VERDICTS.name, outcome.job_id.encode(), outcome.payload)
        else:
            letter = unpack(outcome.payload)
            await self._producer.send(topics.DEAD_LETTERS.name, letter.key, letter.value, letter.headers)
