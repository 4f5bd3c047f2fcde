"""What a job took: the time it spent in each stage, which travels with it, and the sum of all it used."""

import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TypeVar

from pydantic import BaseModel

from agents.claims.job import ClaimJob
from agents.claims.package import CostRow, LanguageRow, LoopRow, SubResult
from agents.results import Send, StepResult
from agents.services import Services

END_TO_END = "end_to_end_seconds"
Message = TypeVar("Message", bound=BaseModel)
Handler = Callable[[Message, Services], Awaitable[StepResult]]


def timed(stage: str) -> Callable[[Handler[Message]], Handler[Message]]:
    """A stage's handler whose time is added to the job that it sends on; the parts of a claim begin with none.

    What went before a retry is not the job's: only the try that came through is measured.
    """

    def measured(handle: Handler[Message]) -> Handler[Message]:
        @functools.wraps(handle)
        async def handle_and_measure(message: Message, services: Services) -> StepResult:
            began = services.clock()
            result = await handle(message, services)
            now, own = services.clock(), getattr(message, "job_id", None)
            return replace(result, sends=tuple(_marked(send, own, stage, began, now) for send in result.sends))

        return handle_and_measure

    return measured


def _marked(send: Send, job_id: str | None, stage: str, began: datetime, now: datetime) -> Send:
    if isinstance(send.value, ClaimJob) and send.value.job_id == job_id:
        return replace(send, value=spent(send.value, stage, began, now))
    return send


def spent(job: ClaimJob, stage: str, began: datetime, now: datetime) -> ClaimJob:
    """The job with so much more time in a stage. A clock that was set back takes nothing away."""
    name = f"{stage}_ms"
    more = max(0.0, (now - began).total_seconds() * 1_000)
    return job.model_copy(update={"timings": {**job.timings, name: round(job.timings.get(name, 0.0) + more, 3)}})


def timings(job: ClaimJob, now: datetime) -> dict[str, float]:
    """From acceptance to this moment, and the time in each stage, summed over loops."""
    return {END_TO_END: (now - job.accepted_at).total_seconds(), **job.timings}


def stage_times(timings: Mapping[str, float]) -> dict[str, float]:
    """The times of the stages among the timings of a package."""
    return {name: value for name, value in timings.items() if name != END_TO_END}


def cost_row(
    language: LanguageRow, loop: LoopRow, timings: Mapping[str, float], subs: Sequence[SubResult] = ()
) -> CostRow:
    """The sum of everything; the rows of a decomposed claim hold what its parts used, but not their time."""
    outside = sum(step.cost_usd for step in loop.steps)
    extracting = sum(step.extraction_cost_usd for step in loop.steps)
    parts = sum(sub.package.cost.stages_ms for sub in subs if sub.package is not None)
    return CostRow(
        model_calls=language.calls,
        tokens=language.tokens,
        searches=loop.count,
        extracts=sum(step.pages for step in loop.steps),
        bytes=sum(step.bytes for step in loop.steps),
        model_usd=language.cost_usd,
        search_usd=outside - extracting,
        extract_usd=extracting,
        usd=language.cost_usd + outside,
        stages_ms=sum(stage_times(timings).values()) + parts,
    )
