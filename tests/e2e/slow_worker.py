"""A worker with one stage of the test's own: it takes its time over every claim, and over one of them longest.

`SLOW_SECONDS` is how long each claim takes. The claim named `hold` is in hand until the file `SLOW_RELEASE` exists.
"""

import asyncio
import os
import sys
from pathlib import Path

from agents.claims.submission import Submission
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import JobState, Outcome
from streams import topics
from streams.logs import configure_logs
from streams.processes import run_worker
from streams.settings import load_settings
from streams.topology import Stage


async def main() -> int:
    seconds = float(os.environ["SLOW_SECONDS"])
    release = Path(os.environ["SLOW_RELEASE"])

    async def handle(submission: Submission, services: Services) -> StepResult:
        await asyncio.sleep(seconds)
        while submission.job_id == "hold" and not release.exists():
            await asyncio.sleep(0.05)
        answer = Outcome(submission.job_id, 1, JobState.COMPLETED, b'{"slow": true}', services.clock())
        stored = await services.ledger.decide(answer)
        said = Send(topics.VERDICTS.name, submission.job_id, stored.payload, settles=(stored.job_id, 1))
        return StepResult((said,), (Note("answered"),))

    settings = load_settings()
    configure_logs(settings)
    stages = (Stage("intake", topics.CLAIMS, handle, (topics.VERDICTS,), timeout=600),)
    return await run_worker(settings, stages)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
