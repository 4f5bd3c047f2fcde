"""Answers of models, kept for a while: the same model, prompt version and input need not be paid for twice."""

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Protocol


class ResponseCache(Protocol):
    """Where answers are kept. A store that fails to answer is a miss, never an error of the job."""

    async def get(self, key: str) -> str | None:
        """The text kept under `key`, if it is there and not too old."""
        ...

    async def put(self, key: str, text: str, ttl: timedelta) -> None:
        """Keeps `text` for `ttl`."""
        ...


def cache_key(model: str, task: str, version: str, content: str) -> str:
    """One key per model, task, prompt version and input. JSON keeps the parts apart, so none can pose as another."""
    parts = json.dumps([model, task, version, content], ensure_ascii=False)
    return hashlib.sha256(parts.encode()).hexdigest()


class MemoryCache:
    """Bounded, in this process: the least recently used answers go first."""

    def __init__(self, clock: Callable[[], datetime], max_entries: int = 2_048) -> None:
        self._clock, self._max = clock, max_entries
        self._entries: OrderedDict[str, tuple[datetime, str]] = OrderedDict()

    async def get(self, key: str) -> str | None:
        entry = self._entries.get(key)
        if entry is None:
            return None
        if entry[0] <= self._clock():
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry[1]

    async def put(self, key: str, text: str, ttl: timedelta) -> None:
        self._entries[key] = (self._clock() + ttl, text)
        self._entries.move_to_end(key)
        while len(self._entries) > self._max:
            self._entries.popitem(last=False)
