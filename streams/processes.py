"""The two kinds of process: a worker and a gateway, from settings to exit code."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import structlog

from streams.bootstrap import open_desk, open_services
from streams.gateway.app import create_app
from streams.joining import wait_for_a_place, wait_for_topics
from streams.probes import listen, serving
from streams.refreshing import refreshing
from streams.settings import Settings
from streams.signals import stop_on_signals
from streams.topology import STAGES, Stage
from streams.worker import Worker

log = structlog.get_logger("veristream.process")

LAST_SECONDS = 2.0
"""What is left to do when the work is over takes milliseconds."""
PARENT_POLL_SECONDS = 0.25
"""Short enough that a supervisor that is started again at once finds its port free."""


async def run_worker(settings: Settings, stages: Sequence[Stage] = STAGES) -> int:
    """A worker until it is told to stop."""
    with stop_on_signals() as stop, ending_with_the_supervisor(settings):
        if not await wait_for_topics(settings, stop):
            return 0
        if not settings.embedded and not await wait_for_a_place(settings, tuple(stages), stop):
            return 0
        code = 1
        try:
            async with open_services(settings) as services, refreshing(settings, services):
                code = await Worker(settings, services, stages).run(stop)
        finally:
            end_for_certain(code)
        return code


async def run_gateway(settings: Settings) -> int:
    """A gateway until it is told to stop."""
    listener = listen(settings.gateway_host, settings.gateway_port, "VERISTREAM_GATEWAY_PORT")
    with stop_on_signals() as stop, ending_with_the_supervisor(settings):
        if not await wait_for_topics(settings, stop):
            return 0
        app = create_app(lambda: open_desk(settings), settings.cors_origins)
        async with serving(app, listener):
            log.info("gateway started", address=f"http://{settings.gateway_host}:{listener.getsockname()[1]}")
            await stop.wait()
    log.info("gateway stopped")
    return 0


def end_for_certain(code: int) -> None:
    """A Faust app that crashed leaves tasks that cannot be cancelled, and the process would wait for them for ever."""
    reaper = threading.Timer(LAST_SECONDS, os._exit, (code,))
    reaper.daemon = True
    reaper.start()


@contextmanager
def ending_with_the_supervisor(settings: Settings) -> Iterator[None]:
    """A child of an embedded system ends with it: without the broker there is nothing that it could still finish.

    A supervisor that was killed cannot say goodbye, and its children would hold the port and the stores for ever.
    """
    if not settings.embedded:
        yield
        return
    watching = asyncio.create_task(_watch_parent(os.getppid()))
    try:
        yield
    finally:
        watching.cancel()


async def _watch_parent(parent: int) -> None:
    while os.getppid() == parent:  # noqa: ASYNC110 - the kernel tells nobody of a new parent
        await asyncio.sleep(PARENT_POLL_SECONDS)
    log.critical("the supervisor is gone; what was open starts again from its journal")
    os._exit(1)
