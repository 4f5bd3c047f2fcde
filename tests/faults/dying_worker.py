"""Our worker, which dies by kill -9 the first time it has decided a decomposed claim: stored, and not emitted yet.

`DIE_MARK` is a file that says it has died; where it is there already, the worker lives.
"""

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from agents.claims.job import SubEnd
from agents.claims.parts import aggregation
from agents.results import StepResult
from agents.services import Services
from streams.logs import configure_logs
from streams.processes import run_worker
from streams.settings import load_settings
from streams.topology import STAGES

MARK = Path(os.environ["DIE_MARK"])


async def handle(end: SubEnd, services: Services) -> StepResult:
    result = await aggregation.handle(end, services)
    if result.sends and not MARK.exists():
        MARK.write_bytes(result.sends[0].value if isinstance(result.sends[0].value, bytes) else b"")
        os.kill(os.getpid(), signal.SIGKILL)
    return result


async def main() -> int:
    settings = load_settings()
    configure_logs(settings)
    stages = [replace(stage, handle=handle) if stage.name == "aggregation" else stage for stage in STAGES]
    return await run_worker(settings, stages)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
