"""How often a key may ask: one token bucket per key and kind of request, in this gateway's memory."""

import math
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from storage.ports import ApiKey
from streams.settings import Settings

Kind = Literal["submissions", "reads"]

REMEMBERED = 20_000
"""Buckets kept. One that was not used for longest is full again long before so many other keys come by."""
READ_BURST_SECONDS = 10
"""Reads have no burst of their own: this long a pause may be made up for."""


@dataclass(frozen=True, slots=True)
class Rate:
    """So many a minute, so many at once."""

    per_minute: int
    burst: int


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a key stands after a request."""

    limit: int
    remaining: int
    reset_seconds: int
    """Until the bucket is full."""
    retry_seconds: int = 0
    """Until the next request passes; 0 when this one did."""

    @property
    def refused(self) -> bool:
        return self.retry_seconds > 0

    def headers(self) -> dict[str, str]:
        """As the drafts of `RateLimit header fields for HTTP` up to 06 spell them, which is what clients know."""
        told = {
            "RateLimit-Limit": str(self.limit),
            "RateLimit-Remaining": str(self.remaining),
            "RateLimit-Reset": str(self.reset_seconds),
        }
        return told | ({"Retry-After": str(self.retry_seconds)} if self.refused else {})


def rate_of(key: ApiKey, kind: Kind, settings: Settings) -> Rate | None:
    """The key's own rate, else the setting's; None for no limit."""
    own = key.limits
    if kind == "submissions":
        per_minute = _first(own.submissions_per_minute, settings.submissions_per_minute)
        burst = _first(own.submissions_burst, settings.submissions_burst)
    else:
        per_minute = _first(own.reads_per_minute, settings.reads_per_minute)
        burst = max(1, per_minute * READ_BURST_SECONDS // 60)
    return Rate(per_minute, burst) if per_minute else None


def _first(own: int | None, setting: int) -> int:
    return setting if own is None else own


class Limiter:
    """Takes a token for every request that passes; a refused one costs nothing."""

    def __init__(self, clock: Callable[[], float], most: int = REMEMBERED) -> None:
        self._clock = clock
        self._most = most
        self._buckets: OrderedDict[tuple[str, Kind], tuple[float, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key_id: str, kind: Kind, rate: Rate) -> Standing:
        now, per_second = self._clock(), rate.per_minute / 60
        tokens, at = self._buckets.get((key_id, kind), (float(rate.burst), now))
        tokens = min(float(rate.burst), tokens + (now - at) * per_second)
        refused = tokens < 1
        left = tokens if refused else tokens - 1
        self._keep((key_id, kind), (left, now))
        return Standing(
            limit=rate.burst,
            remaining=int(left),
            reset_seconds=math.ceil((rate.burst - left) / per_second),
            retry_seconds=max(1, math.ceil((1 - left) / per_second)) if refused else 0,
        )

    def _keep(self, bucket: tuple[str, Kind], state: tuple[float, float]) -> None:
        self._buckets[bucket] = state
        self._buckets.move_to_end(bucket)
        if len(self._buckets) > self._most:
            self._buckets.popitem(last=False)
