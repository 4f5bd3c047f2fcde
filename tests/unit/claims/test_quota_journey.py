"""The quota of a job through the real stages: it travels in the event, over loops and from worker to worker."""

import dataclasses
from pathlib import Path

import samples
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from agents.language.llm.port import ModelAnswer, ModelRequest
from agents.language.quota import CallTag, QuotaPolicy
from agents.language.service import Language
from agents.services import Services
from tests.unit.claims.conftest import BY_TOPIC, world
from tests.unit.language.models import GullibleModel, asker_of

RUMOUR = next(one.claim for one in samples.load().claims if one.job_id == "sample-20")


class CountingModel(GullibleModel):
    """Sensible as long as nobody gives it orders; keeps the tags of its calls in a list that workers share."""

    def __init__(self, asked: list[CallTag]) -> None:
        super().__init__()
        self._asked = asked

    async def complete(self, request: ModelRequest) -> ModelAnswer:
        self._asked.append(request.tag)
        return await super().complete(request)


async def through_changing_workers(claim: str, workers: list[Services]) -> VerdictPackage:
    """Every event is written to JSON and taken up by the next worker, which has a model and a cache of its own."""
    topic, payload, kind, step = "claims", Submission(job_id="job", claim=claim).model_dump_json(), Submission, 0
    while True:
        event = kind.model_validate_json(payload)
        result = await BY_TOPIC[topic].handle(event, workers[step % len(workers)])
        (send,) = result.sends
        if isinstance(send.value, bytes):
            return VerdictPackage.model_validate_json(send.value)
        topic, payload, kind, step = send.to, send.value.model_dump_json(), type(send.value), step + 1


async def test_a_job_keeps_to_its_calls_and_the_critical_ones_find_their_slots(tmp_path: Path) -> None:
    asked: list[CallTag] = []
    policy = QuotaPolicy(max_calls=2)
    async with world(tmp_path) as services:
        workers = [
            dataclasses.replace(services, language=Language(asker_of(CountingModel(asked), policy))) for _ in range(2)
        ]
        package = await through_changing_workers(RUMOUR, workers)
    assert package.loop.count >= 1
    assert asked == [CallTag.FACTS, CallTag.VERDICT]
    assert (package.language.calls, package.language.tokens) == (2, 2 * 150)
    assert package.language.skipped[0] == "claim: call_quota"
    assert set(package.language.skipped) <= {"claim: call_quota", "facts: call_quota"}
