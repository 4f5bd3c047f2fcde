"""What a claim costs in processor time, stage by stage: one claim after the other, without a broker."""

import time
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from typing import Any

from agents.claims.submission import Submission
from agents.services import Services
from streams.bootstrap import open_services
from streams.settings import Settings
from streams.topology import STAGES


async def stage_costs(settings: Settings, claims: Sequence[str]) -> Mapping[str, float]:
    """Processor milliseconds per claim by stage, models and stores included. Stores are warm: a run came before."""
    spent: Counter[str] = Counter()
    async with open_services(settings) as services:
        await services.embedder.embed(["warm"])
        for number, claim in enumerate(claims):
            await _walk(Submission(job_id=f"costs-{number}", claim=claim), services, spent)
    return {name: round(ns / 1e6 / len(claims), 2) for name, ns in spent.items()}


async def _walk(submission: Submission, services: Services, spent: Counter[str]) -> None:
    """From stage to stage; processor time of all threads, by stage."""
    stages = {stage.reads.name: stage for stage in STAGES}
    waiting: deque[tuple[str, Any]] = deque([("claims", submission)])
    while waiting:
        topic, value = waiting.popleft()
        stage = stages[topic]
        began = time.process_time_ns()
        result = await stage.handle(value, services)
        spent[stage.name] += time.process_time_ns() - began
        waiting += [(send.to, send.value) for send in result.sends if send.to in stages]
