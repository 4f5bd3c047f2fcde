"""How patiently a step is tried again: exponential backoff with full jitter, bounded in number and in time."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """`limit` retries after the first try; no wait is longer than `longest` seconds unless the other side asked."""

    limit: int = 4
    base: float = 0.2
    longest: float = 5.0
    longest_asked: float = 60.0
    """The most we honour of a Retry-After: beyond it the event becomes a dead letter sooner than its turn."""
    within: float = 90.0
    """Seconds after the first try in which the last one may begin. Longer than the watchdog's patience, and an event
    that is merely slow to fail would end the worker, come back, and end the next one."""

    def gives_up(self, retry: int, elapsed: float, wait: float) -> bool:
        """Whether retry number `retry`, after `wait` more seconds, would be one too many or too late."""
        return retry >= self.limit or elapsed + wait > self.within

    def wait(self, retry: int, rng: random.Random, asked: float | None = None) -> float:
        """Seconds before retry number `retry` (0 for the first)."""
        if asked is not None:
            return min(asked, self.longest_asked)
        ceiling = min(self.longest, self.base * 2.0 ** min(retry, 30))
        # Never zero: a burst of failures must not come back as a burst of retries.
        return ceiling * (0.5 + 0.5 * rng.random())
