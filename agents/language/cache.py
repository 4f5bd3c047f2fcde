"""Answers of models, kept for a while: the same model, prompt version and input need not be paid for twice."""

import hashlib
import json
from collections.abc import Callable
from datetime import datetime, timedelta

from storage.errors import StoreError
from storage.ports import AnswerStore


def cache_key(model: str, task: str, version: str, content: str) -> str:
    """One key per model, task, prompt version and input. JSON keeps the parts apart, so none can pose as another."""
    parts = json.dumps([model, task, version, content], ensure_ascii=False)
    return hashlib.sha256(parts.encode("utf-8", "backslashreplace")).hexdigest()


class AnswerCache:
    """What the store keeps, for those who ask. A store that fails is a miss, never an error of the job."""

    def __init__(self, store: AnswerStore, clock: Callable[[], datetime]) -> None:
        self._store, self._clock = store, clock

    async def get(self, key: str) -> str | None:
        """The text kept under `key`, if it is there and not too old."""
        try:
            return await self._store.get(key, now=self._clock())
        except StoreError:
            return None

    async def put(self, key: str, text: str, ttl: timedelta) -> None:
        """Keeps `text` for `ttl`, if the store can; without any time it is not kept at all."""
        if not ttl:
            return
        now = self._clock()
        try:
            await self._store.put(key, text, until=now + ttl, now=now)
        except StoreError:
            return
