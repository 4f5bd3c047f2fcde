"""Notices a stream that has silently stopped: events wait, and the committed offset does not move."""

from collections.abc import Collection, Iterable

from streams.watermarks import Lag

PATIENCE_BEFORE_EXIT = 2.0
"""Not ready after `stall` seconds; after twice as long the process ends, so that a supervisor starts a fresh one."""


class Watchdog:
    """Fed with lags; says which topics stand still. Time is passed in."""

    def __init__(self, stall_seconds: float) -> None:
        self._stall = stall_seconds
        self._moved: dict[tuple[str, int], tuple[int | None, float]] = {}
        self.stalled: list[str] = []
        self.hopeless = False

    def look(self, lags: Iterable[Lag], assigned: Collection[object], now: float, *, paused: Collection[str]) -> None:
        """Only partitions that are ours can stall here; the stages that read the `paused` topics wait on purpose."""
        ours = {(getattr(tp, "topic", ""), getattr(tp, "partition", -1)) for tp in assigned}
        still: dict[str, float] = {}
        for lag in lags:
            place = (lag.topic, lag.partition)
            committed, since = self._moved.get(place, (None, now))
            mine = any(topic.endswith(lag.topic) and part == lag.partition for topic, part in ours)
            waits = lag.topic in paused or not mine or lag.waiting == 0
            if waits or place not in self._moved or committed != lag.committed:
                since = now
            self._moved[place] = (lag.committed, since)
            if now - since >= self._stall:
                still[lag.topic] = max(still.get(lag.topic, 0.0), now - since)
        self.stalled = sorted(still)
        self.hopeless = any(seconds >= self._stall * PATIENCE_BEFORE_EXIT for seconds in still.values())
