"""The real client against a server that misbehaves: each case ends in an answer or in the right reason."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest
from pydantic import BaseModel

from agents.breaker import BreakerPolicy, CircuitBreaker
from agents.language.llm.openai_model import Endpoint, OpenAIModel
from agents.language.llm.openai_wire import strict_schema
from agents.language.llm.port import ModelFailedError, ModelRequest
from agents.language.quota import CallTag
from tests.unit.language.fake_openai import FakeOpenAI, Reply, completion, error, serving


class Colour(BaseModel):
    name: str
    title: str = "none"


REQUEST = ModelRequest(CallTag.CLAIM, "Name a colour.", "data", Colour, max_output_tokens=50)
GOOD = completion('{"name": "red"}')


class Waits:
    """Stands in for sleeping: remembers how long it was told to wait, and waits for nothing."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


Setup = tuple[OpenAIModel, FakeOpenAI, Waits]


@asynccontextmanager
async def talking(
    script: Sequence[Reply], clock: Callable[[], float] = lambda: 0.0, **changes: object
) -> AsyncIterator[Setup]:
    waits = Waits()
    async with serving(script) as server:
        fields = {"api_key": "k", "base_url": server.base_url, "timeout": 5.0, **changes}
        model = OpenAIModel(Endpoint(**fields), clock=clock, rng=random.Random(1), sleep=waits)  # type: ignore[arg-type] # fields by name
        yield model, server, waits
        await model.close()


async def reason_of(model: OpenAIModel) -> str:
    with pytest.raises(ModelFailedError) as caught:
        await model.complete(REQUEST)
    return caught.value.reason


async def test_a_good_answer_comes_with_its_tokens_and_was_asked_for_with_a_strict_schema() -> None:
    async with talking([GOOD]) as (model, server, _):
        answer = await model.complete(REQUEST)
    assert (answer.text, answer.tokens_in, answer.tokens_out) == ('{"name": "red"}', 100, 20)
    (sent,) = server.requests
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert sent["max_tokens"] == 50
    assert sent["model"] == "gpt-4o-mini"
    assert server.headers[0]["authorization"] == "Bearer k"


async def test_each_tag_may_have_a_model_of_its_own() -> None:
    async with talking([GOOD], models={CallTag.CLAIM: "large"}) as (model, server, _):
        await model.complete(REQUEST)
    assert server.requests[0]["model"] == "large"


async def test_azure_style_endpoints_get_their_version_and_key_header() -> None:
    async with talking([GOOD], api_version="2025-01-01") as (model, server, _):
        await model.complete(REQUEST)
    assert server.paths[0].endswith("?api-version=2025-01-01")
    assert server.headers[0]["api-key"] == "k"


async def test_an_endpoint_without_schemas_is_asked_in_json_mode_then_in_plain_text_and_remembered() -> None:
    lacks = [error(400, "response_format json_schema is not supported"), error(400, "json_object not supported")]
    async with talking([*lacks, completion("```json\n{}\n```"), GOOD]) as (model, server, _):
        assert (await model.complete(REQUEST)).text.startswith("```")
        await model.complete(REQUEST)
    formats = [request.get("response_format", {}).get("type") for request in server.requests]
    assert formats == ["json_schema", "json_object", None, None]
    assert "JSON schema" in server.requests[2]["messages"][0]["content"]


async def test_a_rate_limit_is_waited_for_as_long_as_the_server_asks() -> None:
    async with talking([error(429, retry_after="3"), GOOD]) as (model, _, waits):
        assert (await model.complete(REQUEST)).text
    assert waits.seconds == [3.0]


async def test_a_pause_that_is_too_long_is_not_waited_for() -> None:
    async with talking([error(429, retry_after="600")]) as (model, _, waits):
        assert await reason_of(model) == "rate_limited"
    assert waits.seconds == []


async def test_server_errors_are_retried_with_growing_jittered_pauses_and_then_given_up() -> None:
    async with talking([error(500), error(503), error(500)]) as (model, server, waits):
        assert await reason_of(model) == "server_error"
    assert len(server.requests) == 3
    first, second = waits.seconds
    assert 0.25 <= first <= 0.75
    assert 0.5 <= second <= 1.5


async def test_half_a_response_is_retried() -> None:
    async with talking([Reply(body=b'{"id": "x", "cho', cut=True), GOOD]) as (model, _, _waits):
        assert (await model.complete(REQUEST)).text == '{"name": "red"}'


async def test_an_endless_response_is_cut_off() -> None:
    async with talking([Reply(endless=True)], max_response_bytes=100_000) as (model, server, _):
        assert await reason_of(model) == "too_long"
    assert len(server.requests) == 1


async def test_a_slow_server_is_given_up_after_the_attempts() -> None:
    async with talking([Reply(hang=True), Reply(hang=True)], timeout=0.05, attempts=2) as (model, _, _waits):
        assert await reason_of(model) == "timeout"


async def test_a_request_that_nobody_waits_for_any_longer_counts_against_the_endpoint() -> None:
    now = [0.0]
    policy = BreakerPolicy(failures=1, open_seconds=10)
    script = [Reply(hang=True), Reply(hang=True), completion('{"name": "red"}')]
    async with talking(script, clock=lambda: now[0], breaker=policy) as (model, server, _):
        for trial in (1, 2):
            asking = asyncio.ensure_future(model.complete(REQUEST))
            async with asyncio.timeout(30):
                while len(server.requests) < trial:
                    await asyncio.sleep(0.01)
            asking.cancel()
            await asyncio.wait([asking])
            assert asking.cancelled()
            assert model.breaker.state == "open"
            now[0] += 300.0
        await model.complete(REQUEST)
        assert model.breaker.state == "closed"


async def test_a_wrong_key_is_not_retried() -> None:
    async with talking([error(401, "bad key")]) as (model, server, waits):
        assert await reason_of(model) == "wrong_key"
    assert len(server.requests) == 1
    assert waits.seconds == []


@pytest.mark.parametrize(
    ("status", "reason"), [(404, "unknown_model"), (400, "refused_request"), (422, "refused_request")]
)
async def test_requests_that_cannot_succeed_are_not_repeated(status: int, reason: str) -> None:
    async with talking([error(status)]) as (model, server, _):
        assert await reason_of(model) == reason
    assert len(server.requests) == 1


async def test_a_refusal_and_a_cut_off_answer_are_marked() -> None:
    async with talking([completion("", refusal="I cannot"), completion('{"na', finish="length")]) as (model, _, _waits):
        assert (await model.complete(REQUEST)).refusal == "I cannot"
        assert not (await model.complete(REQUEST)).complete


@pytest.mark.parametrize("body", [b"", b"not json", b"[]", b'{"choices": []}', b"<html>busy</html>"])
async def test_a_body_that_is_no_completion_is_an_empty_answer(body: bytes) -> None:
    async with talking([Reply(body=body)]) as (model, _, _waits):
        answer = await model.complete(REQUEST)
    assert answer.text == ""
    assert not answer.complete


async def test_an_endpoint_that_keeps_failing_is_left_alone_and_tried_again_later() -> None:
    now = [0.0]
    script = [error(500)] * 4 + [GOOD]
    policy = BreakerPolicy(failures=4, open_seconds=30)
    async with talking(script, clock=lambda: now[0], attempts=2, breaker=policy) as (model, server, _):
        assert await reason_of(model) == "server_error"
        assert await reason_of(model) == "server_error"
        assert await reason_of(model) == "circuit_open"
        assert len(server.requests) == 4
        now[0] = 31.0
        assert (await model.complete(REQUEST)).text
        assert model.breaker.state == "closed"


def test_a_half_open_breaker_lets_one_trial_through_and_waits_longer_after_it_fails() -> None:
    now = [0.0]
    breaker = CircuitBreaker(lambda: now[0], BreakerPolicy(failures=1, open_seconds=10, max_open_seconds=15))
    breaker.failed()
    assert not breaker.allows()
    now[0] = 10.0
    assert [breaker.allows(), breaker.allows()] == [True, False]
    breaker.failed()
    now[0] = 24.0
    assert not breaker.allows()
    now[0] = 25.0
    assert breaker.allows()
    breaker.succeeded()
    assert breaker.state == "closed"


async def test_no_more_requests_run_at_once_than_allowed() -> None:
    gate = asyncio.Event()
    held = replace(GOOD, gate=gate)
    async with talking([held] * 6, max_concurrency=2) as (model, server, _):
        asked = asyncio.gather(*(model.complete(REQUEST) for _ in range(6)))
        while len(server.requests) < 2:
            await asyncio.sleep(0.001)
        await asyncio.sleep(0.05)  # a third request would have had its chance
        at_once = len(server.requests)
        gate.set()
        await asked
    assert at_once == 2
    assert len(server.requests) == 6


def test_a_strict_schema_requires_every_property_and_keeps_one_that_is_called_title() -> None:
    schema = strict_schema(Colour.model_json_schema())
    assert schema["required"] == ["name", "title"]
    assert schema["additionalProperties"] is False
    assert "default" not in schema["properties"]["title"]
    assert json.dumps(schema)
