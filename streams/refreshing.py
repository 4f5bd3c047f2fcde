"""The refresh of the knowledge base beside a worker's stages, as often as the settings say."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import structlog

from agents.knowledge.needs import RefreshNeeds
from agents.knowledge.schedule import RefreshSchedule
from streams.settings import Settings

log = structlog.get_logger("veristream.worker")


@asynccontextmanager
async def refreshing(settings: Settings, services: RefreshNeeds) -> AsyncIterator[None]:
    """Keep current affairs current for the length of the block; off unless VERISTREAM_REFRESH_HOURS is set."""
    if not settings.refresh_hours:
        yield
        return
    schedule = RefreshSchedule(services, timedelta(hours=settings.refresh_hours), me=uuid.uuid4().hex)
    running = asyncio.create_task(schedule.run(), name="knowledge refresh")
    running.add_done_callback(_report)
    try:
        yield
    finally:
        running.cancel()
        await asyncio.wait({running})


def _report(task: "asyncio.Task[None]") -> None:
    """A refresh that breaks in an unforeseen way must not take the stages with it, and must not pass unnoticed."""
    if not task.cancelled() and (error := task.exception()) is not None:
        log.error("the knowledge base is no longer refreshed", error=str(error) or type(error).__name__)
