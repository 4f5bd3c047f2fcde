"""What must be so before a process joins in: a broker that answers, its topics, and a place in the group."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import structlog
from aiokafka.errors import KafkaError

from streams.admin import cluster_admin
from streams.app import GROUP, group_name
from streams.errors import BrokerUnreachable, CannotStart
from streams.settings import Settings
from streams.topology import STAGES, Stage

log = structlog.get_logger("veristream.process")

BROKER_PATIENCE_SECONDS = 300.0
LOOK_AGAIN_SECONDS = 1.0
SESSIONS_OF_PATIENCE = 3.0
"""A worker that was killed counts as a member until its session ends, and a broker may take a while to notice."""

Obstacle = Callable[[], Awaitable[str | None]]


async def wait_for_topics(settings: Settings, stop: asyncio.Event) -> bool:
    """Wait for the broker and its topics: Faust would subscribe to a missing topic without a word.

    True when all is there, False when `stop` was set first; CannotStart after five minutes.
    """
    return await until_clear(partial(_missing, settings), stop, BROKER_PATIENCE_SECONDS)


async def wait_for_a_place(settings: Settings, stages: tuple[Stage, ...], stop: asyncio.Event) -> bool:
    """Wait until the group has room for one more; CannotStart when it has none, or another group does this work.

    Two groups that share a stage would both work on every event; more workers than partitions would idle.
    """
    patience = settings.kafka_session_timeout_seconds * SESSIONS_OF_PATIENCE
    return await until_clear(partial(_no_place, settings, stages), stop, patience)


async def until_clear(
    obstacle: Obstacle, stop: asyncio.Event, patience: float, again: float = LOOK_AGAIN_SECONDS
) -> bool:
    """Ask again and again what is in the way: True when nothing is, False when `stop` was set, else CannotStart."""
    clock = asyncio.get_running_loop().time
    end = clock() + patience
    said = ""
    while not stop.is_set():
        try:
            found = await obstacle()
        except (BrokerUnreachable, KafkaError, OSError) as error:
            # A broker that is just starting answers with all kinds of errors.
            found = str(error) or type(error).__name__
        if found is None:
            return True
        if clock() > end:
            raise CannotStart(f"waited {patience:.0f} s in vain: {found}")
        if found != said:
            log.warning("waiting", reason=found)
            said = found
        try:
            async with asyncio.timeout(again):
                await stop.wait()
        except TimeoutError:
            continue
    return False


async def _missing(settings: Settings) -> str | None:
    async with cluster_admin(settings, timeout_seconds=5) as admin:
        missing = [state.full_name for state in await admin.topics() if not state.exists]
    return f"topics are missing ({', '.join(missing)}); run `veristream topics create`" if missing else None


async def _no_place(settings: Settings, stages: tuple[Stage, ...]) -> str | None:
    mine = group_name(settings, stages)
    base = f"{settings.topic_prefix}{GROUP}"
    async with cluster_admin(settings) as admin:
        active = await admin.active_groups(base)
        partitions = min(state.partitions for state in await admin.topics())
    for group in active:
        if group != mine and _shares_stages(group.removeprefix(base), {stage.name for stage in stages}):
            raise CannotStart(
                f"group {group} already works on some of these stages; run either whole workers or `--stages`, not both"
            )
    members = active.get(mine, 0)
    if members >= partitions:
        return f"{members} workers run already and the topics have {partitions} partitions; add partitions first"
    return None


def _shares_stages(suffix: str, mine: set[str]) -> bool:
    theirs = set(suffix.removeprefix(".").split("+")) if suffix else {stage.name for stage in STAGES}
    return bool(theirs & mine)
