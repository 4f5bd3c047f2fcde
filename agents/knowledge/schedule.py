"""Runs the refresh every so often in whichever worker comes first; the others see that it is taken."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import timedelta

import structlog

from agents.errors import StageError
from agents.knowledge.needs import RefreshNeeds
from agents.knowledge.refresh import RefreshFailed, RefreshPolicy, refresh
from storage.errors import StoreError

log = structlog.get_logger("veristream.knowledge")

JOB = "knowledge-refresh"


@dataclass(frozen=True, slots=True)
class SchedulePolicy:
    """How a refresh that failed is tried again within its turn."""

    tries: int = 3
    retry_after: timedelta = timedelta(minutes=15)
    """Long enough for a search provider to recover, short against the hours between refreshes."""


class RefreshSchedule:
    """Time is cut into turns of equal length, counted from 1970, so that all workers mean the same one."""

    def __init__(
        self,
        services: RefreshNeeds,
        every: timedelta,
        *,
        me: str,
        policy: RefreshPolicy | None = None,
        schedule: SchedulePolicy | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._services = services
        self._seconds = every.total_seconds()
        self._me = me.encode()
        self._policy = policy or RefreshPolicy()
        self._schedule = schedule or SchedulePolicy()
        self._sleep = sleep

    async def run(self) -> None:
        """One refresh per turn, beginning with the present one, until cancelled."""
        taken = -1
        while True:
            turn = self._turn()
            if turn != taken:  # a timer may ring a little early
                taken = turn
                try:
                    await self.take_turn(turn)
                except StoreError as error:
                    log.warning("the refresh could not begin", detail=str(error))
            await self._sleep(max(0.0, (turn + 1) * self._seconds - self._services.clock().timestamp()))

    def _turn(self) -> int:
        return int(self._services.clock().timestamp() // self._seconds)

    async def take_turn(self, turn: int) -> bool:
        """Refresh unless another worker has taken this turn; true if it was refreshed here."""
        for number in range(self._schedule.tries):
            # First write wins: exactly one worker finds itself in what is kept.
            if await self._services.ledger.remember(JOB, turn, number, "refresh", self._me) != self._me:
                return False
            if await self._refreshed():
                return True
            if number + 1 < self._schedule.tries:
                await self._sleep(self._schedule.retry_after.total_seconds())
        return False

    async def _refreshed(self) -> bool:
        try:
            done = await refresh(self._services, self._policy)
        except (RefreshFailed, StageError, StoreError) as error:
            log.warning("the knowledge base was not refreshed", detail=str(error))
            return False
        log.info("knowledge base refreshed", pages=done.pages, passages=done.passages, skipped=done.skipped.total())
        return True
