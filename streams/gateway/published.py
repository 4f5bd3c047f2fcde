"""Which jobs the broker has: a submission that comes again, at once or later, is not published again."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine
from typing import Any

REMEMBERED = 10_000


class Published:
    """The jobs that this gateway has seen the broker take, as many as it remembers, and those on their way to it."""

    def __init__(self, most: int = REMEMBERED) -> None:
        self._most = most
        self._ids: OrderedDict[str, None] = OrderedDict()
        self._under_way: dict[str, asyncio.Task[None]] = {}

    async def once(self, job_id: str, publish: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Publish the job unless that is done; whoever comes while it is under way shares its end.

        A client that goes away does not take the publishing with it: others may wait for the same.
        """
        if job_id in self._ids:
            return
        task = self._under_way.get(job_id)
        if task is None:
            task = self._under_way[job_id] = asyncio.create_task(self._publish(job_id, publish))
        await asyncio.shield(task)

    async def _publish(self, job_id: str, publish: Callable[[], Coroutine[Any, Any, None]]) -> None:
        try:
            await publish()
            self._ids[job_id] = None
            if len(self._ids) > self._most:
                self._ids.popitem(last=False)
        finally:
            del self._under_way[job_id]

    def __contains__(self, job_id: str) -> bool:
        return job_id in self._ids
