"""A stage's tap: shut while something it depends on is down, so that lag grows instead of dead letters."""

import asyncio

from streams import metrics


class Gate:
    """Shut by the event that met the outage, reopened by the first one that gets through."""

    def __init__(self, stage: str, base: float = 0.5, longest: float = 5.0) -> None:
        self._stage = stage
        self._base = base
        self._longest = longest
        self._failures = 0
        self._open = asyncio.Event()
        self._open.set()
        self.reason = ""

    @property
    def is_open(self) -> bool:
        return self._open.is_set()

    def shut(self, reason: str) -> None:
        """Stop pulling; `reason` is what readiness shows."""
        self.reason = reason
        self._failures += 1
        self._open.clear()
        metrics.STAGE_PAUSED.labels(self._stage).set(1)

    def reopen(self) -> None:
        """Something got through."""
        if not self._open.is_set():
            self.reason = ""
            self._failures = 0
            self._open.set()
            metrics.STAGE_PAUSED.labels(self._stage).set(0)

    def next_wait(self) -> float:
        """Seconds until the outage is probed again."""
        return float(min(self._longest, self._base * 2 ** min(self._failures, 10)))

    async def passed(self) -> None:
        """Return once the gate is open."""
        await self._open.wait()
