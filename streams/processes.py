"""The two kinds of process: a worker and a gateway, from settings to exit code."""

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import structlog

from streams.admin import cluster_admin
from streams.app import GROUP, group_name
from streams.bootstrap import open_desk, open_services
from streams.errors import BrokerUnreachable, CannotStart
from streams.gateway.app import create_app
from streams.probes import listen, serving
from streams.refreshing import refreshing
from streams.settings import Settings
from streams.signals import stop_on_signals
from streams.topology import STAGES, Stage
from streams.worker import Worker

log = structlog.get_logger("veristream.process")

BROKER_PATIENCE_SECONDS = 300.0
LAST_SECONDS = 2.0
"""What is left to do when the work is over takes milliseconds."""
PARENT_POLL_SECONDS = 0.25
"""Short enough that a supervisor that is started again at once finds its port free."""


async def run_worker(settings: Settings, stages: Sequence[Stage] = STAGES) -> int:
    """A worker until it is told to stop."""
    with stop_on_signals() as stop, ending_with_the_supervisor(settings):
        if not await wait_for_topics(settings, stop):
            return 0
        if not settings.embedded:
            await refuse_mixed_groups(settings, tuple(stages))
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


async def wait_for_topics(settings: Settings, stop: asyncio.Event) -> bool:
    """Wait for the broker and its topics: Faust would subscribe to a missing topic without a word.

    True when all is there, False when `stop` was set first; CannotStart after five minutes.
    """
    clock = asyncio.get_running_loop().time
    end = clock() + BROKER_PATIENCE_SECONDS
    said = ""
    while not stop.is_set():
        obstacle = await _obstacle(settings)
        if obstacle is None:
            return True
        if clock() > end:
            raise CannotStart(f"waited {BROKER_PATIENCE_SECONDS:.0f} s in vain: {obstacle}")
        if obstacle != said:
            log.warning("waiting", reason=obstacle)
            said = obstacle
        try:
            async with asyncio.timeout(1.0):
                await stop.wait()
        except TimeoutError:
            continue
    return False


async def _obstacle(settings: Settings) -> str | None:
    try:
        async with cluster_admin(settings, timeout_seconds=5) as admin:
            missing = [state.full_name for state in await admin.topics() if not state.exists]
    except BrokerUnreachable as error:
        return str(error)
    return f"topics are missing ({', '.join(missing)}); run `veristream topics create`" if missing else None


async def refuse_mixed_groups(settings: Settings, stages: tuple[Stage, ...]) -> None:
    """Two groups that share a stage would both work on every event; more workers than partitions would idle."""
    mine = group_name(settings, stages)
    base = f"{settings.topic_prefix}{GROUP}"
    async with cluster_admin(settings) as admin:
        active = await admin.active_groups(base)
        partitions = min(state.partitions for state in await admin.topics())
    for group, members in active.items():
        if group == mine and members >= partitions:
            raise CannotStart(
                f"{members} workers run already and the topics have {partitions} partitions; add partitions first"
            )
        if group != mine and _shares_stages(group.removeprefix(base), {stage.name for stage in stages}):
            raise CannotStart(
                f"group {group} already works on some of these stages; run either whole workers or `--stages`, not both"
            )


def _shares_stages(suffix: str, mine: set[str]) -> bool:
    theirs = set(suffix.removeprefix(".").split("+")) if suffix else {stage.name for stage in STAGES}
    return bool(theirs & mine)
