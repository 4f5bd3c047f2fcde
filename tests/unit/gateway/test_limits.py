"""How often a key may ask: one key's haste is not another's loss."""

from pathlib import Path

import pytest

from storage.ports import ApiKey, KeyLimits, Scope
from streams import metrics
from streams.gateway.limits import Limiter, Rate, rate_of
from streams.settings import Settings
from tests.unit.gateway.doors import NOW, asked, gateway, new_key
from tests.unit.gateway.test_keys import Clock


def a_key(**limits: int) -> ApiKey:
    return ApiKey("id", "bot", "digest", frozenset(Scope), NOW, limits=KeyLimits(**limits))


async def test_one_key_over_its_limit_leaves_the_other_alone(tmp_path: Path) -> None:
    clock = Clock()
    hasty = await new_key(tmp_path, "hasty", Scope.SUBMIT)
    calm = await new_key(tmp_path, "calm", Scope.SUBMIT)
    limits = {"submissions_per_minute": 60, "submissions_burst": 3}
    async with gateway(tmp_path, gateway_keys="auto", clock=clock, **limits) as (client, desk):

        async def submit(headers: dict[str, str], number: int) -> int:
            body = asked(f"job-{number}")
            return (await client.post("/verify", params={"wait": 0}, json=body, headers=headers)).status_code

        assert [await submit(hasty, number) for number in range(5)] == [202, 202, 202, 429, 429]
        assert [await submit(calm, number) for number in range(10, 14)] == [202, 202, 202, 429]
        clock.now += 1.0
        assert [await submit(hasty, number) for number in range(5, 7)] == [202, 429]
        assert len(desk.producer.sent) == 7


async def test_a_refusal_says_when_to_come_again_and_every_answer_what_is_left(tmp_path: Path) -> None:
    clock, before = Clock(), metrics.RATE_LIMITED.labels("submissions")._value.get()
    headers = await new_key(tmp_path, "bot", Scope.SUBMIT, submissions_per_minute=6, submissions_burst=2)
    async with gateway(tmp_path, gateway_keys="auto", clock=clock) as (client, _):
        answers = [
            await client.post("/verify", params={"wait": 0}, json=asked(f"job-{number}"), headers=headers)
            for number in range(3)
        ]
    told = [[answer.headers[f"ratelimit-{name}"] for name in ("limit", "remaining", "reset")] for answer in answers]
    assert told == [["2", "1", "10"], ["2", "0", "20"], ["2", "0", "20"]]
    refused = answers[2]
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "10")
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.json()["detail"] == "this key may make 6 submissions a minute, 2 at once; try again in 10 s"
    assert metrics.RATE_LIMITED.labels("submissions")._value.get() == before + 1


async def test_reads_and_submissions_are_counted_apart(tmp_path: Path) -> None:
    clock = Clock()
    headers = await new_key(tmp_path, "bot", Scope.SUBMIT, Scope.READ, submissions_burst=1, reads_per_minute=12)
    async with gateway(tmp_path, gateway_keys="auto", clock=clock) as (client, _):
        await client.post("/verify", params={"wait": 0}, json=asked(), headers=headers)
        assert [(await client.get("/jobs", headers=headers)).status_code for _ in range(3)] == [200, 200, 429]


async def test_who_needs_no_key_has_no_limit(tmp_path: Path) -> None:
    async with gateway(tmp_path, embedded=True, gateway_keys="auto", reads_per_minute=1) as (client, _):
        for _ in range(5):
            answer = await client.get("/jobs")
            assert answer.status_code == 200
            assert "ratelimit-limit" not in answer.headers


async def test_a_request_that_the_key_may_not_make_costs_nothing(tmp_path: Path) -> None:
    headers = await new_key(tmp_path, "bot", Scope.READ, reads_per_minute=6)
    async with gateway(tmp_path, gateway_keys="auto", clock=Clock()) as (client, _):
        for _ in range(3):
            assert (await client.post("/verify", json=asked(), headers=headers)).status_code == 403
        assert (await client.get("/jobs", headers=headers)).status_code == 200


@pytest.mark.parametrize(
    ("limits", "kind", "rate"),
    [
        ({}, "submissions", Rate(600, 100)),
        ({}, "reads", Rate(3000, 500)),
        ({"submissions_per_minute": 30}, "submissions", Rate(30, 100)),
        ({"submissions_burst": 5}, "submissions", Rate(600, 5)),
        ({"submissions_per_minute": 0}, "submissions", None),
        ({"reads_per_minute": 3}, "reads", Rate(3, 1)),
        ({"reads_per_minute": 0}, "reads", None),
    ],
)
def test_a_keys_own_limits_stand_before_the_settings(limits: dict[str, int], kind: str, rate: Rate | None) -> None:
    assert rate_of(a_key(**limits), kind, Settings()) == rate  # type: ignore[arg-type]  # fields by name


def test_a_bucket_fills_no_higher_than_its_burst() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    limiter.take("a", "reads", Rate(60, 2))
    clock.now += 3600
    assert [limiter.take("a", "reads", Rate(60, 2)).refused for _ in range(3)] == [False, False, True]


def test_buckets_are_forgotten_beyond_a_bound() -> None:
    limiter = Limiter(Clock(), most=100)
    for number in range(1000):
        limiter.take(f"key-{number}", "reads", Rate(60, 2))
    assert len(limiter) == 100
