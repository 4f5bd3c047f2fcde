"""Our worker with one stage of the test's own, which makes Faust itself crash at the claim named `crash`."""

import asyncio
import sys

import faust

from agents.claims.submission import Submission
from agents.results import Note, Send, StepResult
from agents.services import Services
from streams import topics
from streams.logs import configure_logs
from streams.processes import run_worker
from streams.settings import load_settings
from streams.topology import Stage
from tests.faults.holding import answer


async def handle(submission: Submission, services: Services) -> StepResult:
    if submission.job_id == "crash":
        event = faust.current_event()
        assert event is not None
        await event.app.consumer.crash(RuntimeError("a bug of somebody else's"))
        await asyncio.Event().wait()
    return StepResult((Send(topics.VERDICTS.name, submission.job_id, answer(submission.job_id)),), (Note("answered"),))


async def main() -> int:
    settings = load_settings()
    configure_logs(settings)
    return await run_worker(settings, (Stage("intake", topics.CLAIMS, handle, (topics.VERDICTS,), timeout=600),))


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
