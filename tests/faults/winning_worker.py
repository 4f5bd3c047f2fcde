"""Our worker with all its stages, except that who decides a verdict stops for ever once the ledger has it.

`WINNER_MARK` is a file that says so.
"""

import asyncio
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from agents.claims import adjudication
from agents.claims.job import ClaimJob
from agents.results import StepResult
from agents.services import Services
from storage.ports import Outcome, VerdictLedger
from streams.logs import configure_logs
from streams.processes import run_worker
from streams.settings import load_settings
from streams.topology import STAGES


class StoppingLedger:
    """The ledger, but whoever has stored a verdict hears nothing more."""

    def __init__(self, ledger: VerdictLedger, mark: Path) -> None:
        self._ledger = ledger
        self._mark = mark

    def __getattr__(self, name: str) -> Any:
        return getattr(self._ledger, name)

    async def decide(self, outcome: Outcome) -> Outcome:
        await self._ledger.decide(outcome)
        self._mark.touch()
        await asyncio.Event().wait()
        raise AssertionError("never reached")


async def main() -> int:
    mark = Path(os.environ["WINNER_MARK"])

    async def handle(job: ClaimJob, services: Services) -> StepResult:
        ledger = cast("VerdictLedger", StoppingLedger(services.ledger, mark))
        return await adjudication.handle(job, replace(services, ledger=ledger))

    settings = load_settings()
    configure_logs(settings)
    stages = tuple(replace(one, handle=handle) if one.name == "adjudication" else one for one in STAGES)
    return await run_worker(settings, stages)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
