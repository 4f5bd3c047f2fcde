"""A circuit breaker: an endpoint that keeps failing is left alone for a while, then tried with a single call."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

State = Literal["closed", "open", "half_open"]


@dataclass(frozen=True, slots=True)
class BreakerPolicy:
    """When to stop calling, and for how long."""

    failures: int = 5
    """Failed requests in a row. Fewer would open on one bad minute of a busy provider."""
    open_seconds: float = 30.0
    """The first pause; it doubles with every trial that fails, up to the longest."""
    max_open_seconds: float = 300.0


class CircuitBreaker:
    """One per endpoint, shared by all jobs of a worker. `clock` is a monotonic clock in seconds."""

    def __init__(self, clock: Callable[[], float], policy: BreakerPolicy | None = None) -> None:
        self._clock, self._policy = clock, policy or BreakerPolicy()
        self._failures = 0
        self._pauses = 0
        self._closed_again_at = 0.0
        self._trial_running = False

    @property
    def state(self) -> State:
        if self._pauses == 0:
            return "closed"
        return "open" if self._clock() < self._closed_again_at else "half_open"

    def allows(self) -> bool:
        """Whether a request may be sent. In the half-open state only the first asker gets through."""
        if self.state == "closed":
            return True
        if self.state == "open" or self._trial_running:
            return False
        self._trial_running = True
        return True

    def succeeded(self) -> None:
        self._failures = self._pauses = 0
        self._trial_running = False

    def failed(self) -> None:
        """A request that failed on the endpoint's side. A trial that fails opens the circuit again, for longer."""
        self._failures += 1
        if self._trial_running or self._failures >= self._policy.failures:
            pause = min(self._policy.open_seconds * 2**self._pauses, self._policy.max_open_seconds)
            self._pauses += 1
            self._closed_again_at = self._clock() + pause
            self._failures = 0
        self._trial_running = False
