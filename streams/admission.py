"""Who may come in: one door for HTTP and the command line, shut politely while too much is open."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from agents.claims.intake import job_record
from agents.claims.submission import Submission
from storage.ports import JobRecord, VerdictLedger
from streams.settings import Settings


@dataclass(frozen=True, slots=True)
class Admitted:
    """The job as the ledger has it; `new` tells a first submission from a repeated one."""

    record: JobRecord
    new: bool


class TooMuchOpen(Exception):  # noqa: N818 - reads as what happened
    """Nothing was taken; try again after `retry_after` seconds."""

    def __init__(self, jobs: int, retry_after: float) -> None:
        super().__init__(f"{jobs} jobs are open, which is all that fits; try again in {retry_after:.0f} s")
        self.retry_after = retry_after


class JobIdTaken(Exception):  # noqa: N818 - reads as what happened
    """Another claim was submitted under this id."""

    def __init__(self, job_id: str) -> None:
        super().__init__(f"job_id {job_id!r} belongs to another submission; choose a new one")


class Admission:
    """Writes the job into the ledger before it is published: what was accepted is never forgotten."""

    def __init__(self, ledger: VerdictLedger, settings: Settings, clock: Callable[[], datetime]) -> None:
        self._ledger = ledger
        self._settings = settings
        self._clock = clock
        self._door = asyncio.Lock()

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
            raise TooMuchOpen(load.jobs, retry_after=1.0)
