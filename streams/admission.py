"""Who may come in: one door for HTTP and the command line, shut politely while too much is open."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from agents.claims.intake import job_record
from agents.claims.submission import Submission
from storage.ports import JobRecord, VerdictLedger
from streams.settings import Settings

LONGEST_WAIT = 60.0
"""Seconds; what is asked of a client that is refused must stay bearable."""
FIRST_GUESS = 10.0
SLOWEST = 1.0
"""Jobs that end per second: before any were seen to, and where none seem to."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """The job as the ledger has it; `new` tells a first submission from a repeated one."""

    record: JobRecord
    new: bool


class TooMuchOpen(Exception):  # noqa: N818 - reads as what happened
    """Nothing was taken; try again after `retry_after` seconds."""

    def __init__(self, jobs: int, retry_after: float) -> None:
        self.retry_after = max(1.0, retry_after)
        super().__init__(f"{jobs} jobs are open, which is all that fits; try again in {self.retry_after:.0f} s")


class JobIdTaken(Exception):  # noqa: N818 - reads as what happened
    """Another claim was submitted under this id."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"job_id {job_id!r} belongs to another submission; choose a new one")


class Line:
    """When whoever is refused should come again: one after the other, as fast as jobs end, instead of all at once.

    Without it a crowd comes back every second, is refused again, and takes the processor from the work it waits for.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ended_per_second = FIRST_GUESS
        self._looked_at = clock()
        self._open_then = 0
        self._admitted_since = 0
        self._next_place = 0.0

    def admitted(self) -> None:
        self._admitted_since += 1

    def place(self, open_jobs: int) -> float:
        """Seconds until this one's turn, at most LONGEST_WAIT; who would wait longer is spread over its second half."""
        now = self._clock()
        if now - self._looked_at >= 1.0:
            self._look(now, open_jobs)
        self._next_place = max(now, self._next_place) + 1 / self._ended_per_second
        wait = self._next_place - now
        return wait if wait <= LONGEST_WAIT else LONGEST_WAIT / 2 + wait % (LONGEST_WAIT / 2)

    def _look(self, now: float, open_jobs: int) -> None:
        ended = self._admitted_since + self._open_then - open_jobs
        self._ended_per_second = max(SLOWEST, ended / (now - self._looked_at))
        self._looked_at, self._open_then, self._admitted_since = now, open_jobs, 0


class Admission:
    """Writes the job into the ledger before it is published: what was accepted is never forgotten."""

    def __init__(self, ledger: VerdictLedger, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._settings = settings
        self._clock = clock
        self._door = asyncio.Lock()
        self._line = Line(time.monotonic)

    async def admit(self, submission: Submission) -> Admitted:
        """Journal the submission, or raise TooMuchOpen or JobIdTaken."""
        fingerprint = submission.fingerprint()
        deadline = timedelta(seconds=self._settings.job_deadline_seconds)
        known = await self._ledger.job(submission.job_id)
        if known is None:
            async with self._door:
                await self._check_room(len(submission.claim.encode()))
                known = await self._ledger.open_job(job_record(submission, self._clock(), deadline))
            new = True
        else:
            new = False
        if known.fingerprint != fingerprint:
            raise JobIdTaken(submission.job_id)
        return Admitted(known, new)

    async def _check_room(self, size: int) -> None:
        """Only the embedded broker evicts what was not read; a real one keeps it, so nothing is refused there."""
        if not self._settings.embedded:
            return
        load = await self._ledger.open_load()
        needed = (load.jobs + 1) * self._settings.job_reserve_bytes + load.bytes + size
        if needed > self._settings.open_bytes_limit:
            raise TooMuchOpen(load.jobs, retry_after=self._line.place(load.jobs))
        self._line.admitted()
