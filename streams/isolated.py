"""A pipeline with stores and topics of its own and no web: an evaluation meddles with nobody else's work."""

import asyncio
import os
import uuid
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

from streams.admin import cluster_admin
from streams.bootstrap import open_desk
from streams.embedded.broker import EmbeddedBroker
from streams.embedded.children import Child
from streams.embedded.supervisor import STOP_SECONDS, environment, free_port, until_ready
from streams.gateway.desk import Desk
from streams.settings import PREFIX, Settings

OF_ITS_OWN: dict[str, object] = {
    "weaviate_url": None,
    "neo4j_url": None,
    "sample_web_url": None,
    "search_providers": ("none",),
    "match_claims": False,
}
"""An evaluation has stores of its own and no web, and judges every claim itself, whatever the environment says."""


@asynccontextmanager
async def isolated_system(settings: Settings) -> AsyncIterator[Desk]:
    """A broker, a worker, and a desk in this process."""
    async with AsyncExitStack() as stack:
        inner = await stack.enter_async_context(_broker(settings))
        inner = inner.model_copy(update={"metrics_port": free_port()})
        worker = Child(["worker"], _environment(inner), quiet=True)
        await worker.start()
        stack.push_async_callback(worker.stop, STOP_SECONDS)
        watching = asyncio.create_task(worker.keep_running())
        stack.callback(watching.cancel)
        await until_ready(f"http://{inner.metrics_host}:{inner.metrics_port}/ready")
        yield await stack.enter_async_context(open_desk(inner))


@asynccontextmanager
async def _broker(settings: Settings) -> AsyncIterator[Settings]:
    """The embedded broker, or topics of our own on the named one, deleted afterwards."""
    if settings.broker is None:
        broker = EmbeddedBroker(settings.topic_prefix)
        await asyncio.to_thread(broker.start)
        try:
            yield settings.model_copy(update={"broker": broker.url, "embedded": True})
        finally:
            broker.stop()
        return
    prefix = f"{settings.topic_prefix}evaluate-{uuid.uuid4().hex[:8]}-"
    inner = settings.model_copy(update={"topic_prefix": prefix})
    async with cluster_admin(inner) as admin:
        await admin.create_missing()
    try:
        yield inner
    finally:
        async with cluster_admin(inner) as admin:
            await admin.delete_all()


def _environment(settings: Settings) -> dict[str, str]:
    """The worker's: ours, without the servers and the web that an evaluation does without."""
    without = {f"{PREFIX}{name.upper()}" for name in OF_ITS_OWN}
    inherited = {name: value for name, value in os.environ.items() if name.upper() not in without}
    return {**inherited, **environment(settings), f"{PREFIX}SEARCH_PROVIDERS": "none", f"{PREFIX}MATCH_CLAIMS": "false"}
