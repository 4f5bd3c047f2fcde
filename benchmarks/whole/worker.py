"""The product's worker, whose requests to its local models are written to the file named as its only argument."""

import asyncio
import sys
from pathlib import Path

from benchmarks.whole.hearing import heard
from streams.bootstrap import open_services
from streams.joining import wait_for_a_place, wait_for_topics
from streams.logs import configure_logs
from streams.processes import end_for_certain
from streams.settings import load_settings
from streams.signals import stop_on_signals
from streams.topology import STAGES
from streams.worker import Worker


async def work(into: Path) -> int:
    """As `streams.processes.run_worker` does it."""
    settings = load_settings()
    configure_logs(settings)
    with stop_on_signals() as stop, into.open("w") as lines:
        if not await wait_for_topics(settings, stop):
            return 0
        if not settings.embedded and not await wait_for_a_place(settings, STAGES, stop):
            return 0
        async with open_services(settings) as services:
            code = await Worker(settings, heard(services, lines)).run(stop)
        end_for_certain(code)
        return code


if __name__ == "__main__":
    sys.exit(asyncio.run(work(Path(sys.argv[1]))))
