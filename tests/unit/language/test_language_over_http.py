"""A claim read through the real client: wherever an endpoint fails, the claim is read, and the job says how."""

import json
import random
from dataclasses import dataclass

import pytest

from agents.language.llm.openai_model import Endpoint, OpenAIModel
from agents.language.quota import CallTag, QuotaPolicy, QuotaState
from agents.language.service import Language
from agents.language.tasks.claim import ClaimText
from tests.unit.language.fake_openai import Reply, completion, error, serving
from tests.unit.language.models import asker_of

CLAIM = ClaimText("The council raised taxes by 4 percent and closed two libraries in Linden.")
GOOD = json.dumps({"kind": "causal", "queries": ["Linden council taxes", "Linden libraries closed"], "subclaims": []})


@dataclass(frozen=True)
class Case:
    """What the endpoint does, and where the claim call ends: read by whom, after how many calls, for which reason."""

    name: str
    script: tuple[Reply, ...]
    read_by: str
    calls: int
    reason: str = ""


CASES = [
    Case("good answer", (completion(GOOD),), "model", 1),
    Case("malformed JSON, then repaired", (completion('{"kind": '), completion(GOOD)), "model", 2),
    Case("wrong schema, then repaired", (completion('{"kind": 7}'), completion(GOOD)), "model", 2),
    Case("malformed twice", (completion("no"), completion("no")), "rules", 2, "unusable_answer"),
    Case("cut off twice", (completion("{", finish="length"), completion("{", finish="length")), "rules", 2, "cut_off"),
    Case("refusal", (completion("", refusal="no"),), "rules", 1, "refusal"),
    Case("429 with Retry-After, then good", (error(429, retry_after="1"), completion(GOOD)), "model", 1),
    Case("429 for too long", (error(429, retry_after="900"),), "rules", 1, "rate_limited"),
    Case("500, then good", (error(500), completion(GOOD)), "model", 1),
    Case("500 three times", (error(500), error(502), error(503)), "rules", 1, "server_error"),
    Case("half a response, then good", (Reply(body=b'{"id"', cut=True), completion(GOOD)), "model", 1),
    Case("half a response three times", (Reply(body=b"{", cut=True),) * 3, "rules", 1, "connection"),
    Case("endless response", (Reply(endless=True),), "rules", 1, "too_long"),
    Case("slow", (Reply(hang=True),) * 3, "rules", 1, "timeout"),
    Case("wrong key", (error(401),), "rules", 1, "wrong_key"),
    Case("no completion at all, then good", (Reply(body=b"<html>"), completion(GOOD)), "model", 2),
    Case(
        "no schemas, no JSON mode",
        (error(400, "response_format"), error(400, "json_object"), completion(GOOD)),
        "model",
        1,
    ),
]


async def no_wait(_: float) -> None:
    """Pauses are tested elsewhere."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
async def test_the_claim_is_read_and_the_reason_is_on_record(case: Case) -> None:
    async with serving(case.script) as server:
        endpoint = Endpoint(
            "k", server.base_url, timeout=0.3 if "slow" in case.name else 10, max_response_bytes=200_000
        )
        model = OpenAIModel(endpoint, clock=lambda: 0.0, rng=random.Random(1), sleep=no_wait)
        reading, state = await Language(asker_of(model)).read_claim(CLAIM, QuotaState())
        await model.close()
    assert reading.sources["kind"] == case.read_by
    assert len(reading.queries) >= 2
    assert reading.subclaims == (
        "The council raised taxes by 4 percent.",
        "The council closed two libraries in Linden.",
    )
    assert state.calls == case.calls
    assert [one.reason for one in state.skipped] == ([case.reason] if case.reason else [])


async def test_a_job_degrades_after_repeated_failures_and_still_asks_for_its_verdict() -> None:
    async with serving([error(401)] * 10) as server:
        endpoint = Endpoint("k", server.base_url)
        model = OpenAIModel(endpoint, clock=lambda: 0.0, rng=random.Random(1), sleep=no_wait)
        language = Language(asker_of(model, QuotaPolicy(max_calls=20, degrade_after=2)))
        state = QuotaState()
        for _ in range(4):
            _, state = await language.read_claim(CLAIM, state)
        await model.close()
    assert state.degraded
    assert [one.reason for one in state.skipped] == ["wrong_key", "wrong_key", "degraded", "degraded"]
    assert len(server.requests) == 2
    assert all(one.tag is CallTag.CLAIM for one in state.skipped)
