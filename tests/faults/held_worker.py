"""Our worker with one stage of the test's own: it answers claims directly, and holds one of them."""

import asyncio
import sys

from agents.claims.submission import Submission
from agents.results import Note, Send, StepResult
from agents.services import Services
from streams import topics
from streams.logs import configure_logs
from streams.processes import run_worker
from streams.settings import load_settings
from streams.topology import Stage
from tests.faults.holding import Hold, answer


async def main() -> int:
    hold = Hold.from_environment()

    async def handle(submission: Submission, services: Services) -> StepResult:
        await hold.maybe(submission.job_id)
        said = Send(topics.VERDICTS.name, submission.job_id, answer(submission.job_id))
        return StepResult((said,), (Note("answered"),))

    settings = load_settings()
    configure_logs(settings)
    stages = (Stage("intake", topics.CLAIMS, handle, (topics.VERDICTS,), timeout=600),)
    return await run_worker(settings, stages)


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
