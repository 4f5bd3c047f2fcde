"""Who comes in: keys, scopes, and what counts as this machine itself."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from storage.embedded.keys import SqliteKeyRing
from storage.errors import StoreUnavailable
from storage.ports import KeyLimits, Scope
from streams.gateway.access import KNOWN_SECONDS
from streams.gateway.tokens import TOKEN, digest_of, key_id_of, make, opens
from tests.unit.gateway.doors import asked, decided, gateway, new_key

NOW = datetime(2026, 3, 1, tzinfo=UTC)
OPEN_TO_ALL = ["/health", "/ready", "/metrics", "/docs", "/openapi.json", "/schemas/verdict/v1"]
ELSEWHERE = ("203.0.113.9", 40_000)


class Clock:
    """Monotonic seconds, moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def is_refused(answer: httpx.Response, status: int) -> bool:
    return (
        answer.status_code == status
        and answer.headers["content-type"] == "application/problem+json"
        and answer.headers["www-authenticate"].startswith('Bearer realm="veristream"')
    )


def test_a_token_is_recognised_by_its_digest_alone() -> None:
    key, token = make("bot", [Scope.SUBMIT], KeyLimits(), NOW)
    other, _ = make("bot", [Scope.SUBMIT], KeyLimits(), NOW)
    assert TOKEN.fullmatch(token)
    assert key_id_of(token) == key.key_id
    assert opens(token, key)
    assert not opens(token, other)
    assert not opens(token[:-1] + ("A" if token[-1] != "A" else "B"), key)
    secret = token.split("_", 2)[2]
    assert key.digest == digest_of(secret)
    assert secret not in repr(key) + key.digest


@pytest.mark.parametrize("text", ["", "vsk_", "vsk_0123456789abcdef_short", "x" * 10_000, "vsk_é", "vsk_0\n_"])
def test_what_cannot_be_a_token_is_not_looked_up(text: str) -> None:
    assert key_id_of(text) is None


async def test_without_a_key_only_the_probes_and_the_documents_are_open(tmp_path: Path) -> None:
    async with gateway(tmp_path, gateway_keys="auto") as (client, _):
        for path in OPEN_TO_ALL:
            assert (await client.get(path)).status_code in {200, 503}, path
        for path in ("/status", "/jobs", "/jobs/job-1", "/jobs/job-1/events"):
            assert is_refused(await client.get(path), 401), path
        for path in ("/verify", "/worker/verify"):
            answer = await client.post(path, json=asked())
            assert is_refused(answer, 401)
            assert "veristream keys create" in answer.json()["detail"]


async def test_a_body_is_not_read_before_the_key(tmp_path: Path) -> None:
    async def endless() -> Any:
        raise AssertionError("the body was asked for")
        yield b""

    async with gateway(tmp_path, gateway_keys="required") as (client, _):
        assert is_refused(await client.post("/verify", content=endless()), 401)


async def test_a_key_opens_what_its_scopes_say_in_either_header(tmp_path: Path) -> None:
    submits = await new_key(tmp_path, "submits", Scope.SUBMIT)
    reads = await new_key(tmp_path, "reads", Scope.READ)
    admin = await new_key(tmp_path, "admin", Scope.ADMIN)
    async with gateway(tmp_path, gateway_keys="auto") as (client, desk):
        await decided(desk, asked())
        for headers, may_submit, may_read in ((submits, True, False), (reads, False, True), (admin, True, True)):
            for header in (headers, {"X-API-Key": headers["Authorization"].removeprefix("Bearer ")}):
                submitted = await client.post("/worker/verify", json=asked(), headers=header)
                read = await client.get("/jobs/job-1", headers=header)
                assert submitted.status_code == 200 if may_submit else is_refused(submitted, 403)
                assert read.status_code == 200 if may_read else is_refused(read, 403)
        refused = await client.get("/jobs", headers=submits)
        assert 'error="insufficient_scope", scope="read"' in refused.headers["www-authenticate"]
        assert "has submit" in refused.json()["detail"]


async def test_a_wrong_a_foreign_and_a_revoked_key_are_told_the_same(tmp_path: Path) -> None:
    good = await new_key(tmp_path, "bot", Scope.ADMIN)
    revoked = await new_key(tmp_path, "old", Scope.ADMIN)
    ring = await SqliteKeyRing.open(tmp_path / "ledger.db")
    await ring.revoke("old", NOW)
    await ring.close()
    _, foreign = make("foreign", [Scope.ADMIN], KeyLimits(), NOW)
    wrong = good["Authorization"][:-4] + "AAAA"
    async with gateway(tmp_path, gateway_keys="auto") as (client, _):
        answers = [
            await client.get("/jobs", headers={"Authorization": value})
            for value in (wrong, revoked["Authorization"], f"Bearer {foreign}", "Bearer nonsense")
        ]
        assert all(is_refused(answer, 401) for answer in answers)
        assert len({answer.text for answer in answers}) == 1
        assert 'error="invalid_token"' in answers[0].headers["www-authenticate"]


async def test_a_revoked_key_stops_working_when_the_gateway_looks_again(tmp_path: Path) -> None:
    headers, clock = await new_key(tmp_path, "bot", Scope.READ), Clock()
    async with gateway(tmp_path, gateway_keys="auto", clock=clock) as (client, _):
        assert (await client.get("/jobs", headers=headers)).status_code == 200
        ring = await SqliteKeyRing.open(tmp_path / "ledger.db")
        await ring.revoke("bot", NOW)
        await ring.close()
        clock.now += KNOWN_SECONDS
        assert is_refused(await client.get("/jobs", headers=headers), 401)


async def test_a_store_that_is_down_is_not_a_wrong_key(tmp_path: Path) -> None:
    headers = await new_key(tmp_path, "bot", Scope.READ)
    async with gateway(tmp_path, gateway_keys="auto") as (client, desk):
        await desk.guard._known._ring.close()
        answer = await client.get("/jobs", headers=headers)
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "5")
        assert "ledger.db" not in answer.text
        with pytest.raises(StoreUnavailable):
            await desk.guard._known._ring.keys()


class TestThisMachine:
    """Embedded, whoever sits at this machine needs no key; whoever only seems to, does."""

    async def test_a_request_straight_from_here_needs_none(self, tmp_path: Path) -> None:
        async with gateway(tmp_path, embedded=True, gateway_keys="auto") as (client, _):
            for host in ("127.0.0.1:8080", "localhost:8080", "[::1]:8080", "localhost"):
                answer = await client.get("/status", headers={"Host": host})
                assert answer.status_code == 200, host
                assert answer.json()["data_dir"] == str(tmp_path)

    @pytest.mark.parametrize("peer", ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"])
    async def test_every_loopback_address_is_here(self, tmp_path: Path, peer: str) -> None:
        async with gateway(tmp_path, embedded=True, gateway_keys="auto", peer=(peer, 1)) as (client, _):
            assert (await client.get("/jobs")).status_code == 200

    @pytest.mark.parametrize("peer", ["203.0.113.9", "10.0.0.7", "::ffff:10.0.0.7", "fe80::1", "testclient"])
    async def test_another_machine_needs_one_whatever_it_claims(self, tmp_path: Path, peer: str) -> None:
        async with gateway(tmp_path, embedded=True, gateway_keys="auto", peer=(peer, 1)) as (client, _):
            for headers in ({}, {"X-Forwarded-For": "127.0.0.1"}, {"Forwarded": "for=127.0.0.1"}):
                assert is_refused(await client.get("/jobs", headers=headers), 401)

    @pytest.mark.parametrize(
        ("headers", "reason"),
        [
            ({"X-Forwarded-For": "127.0.0.1"}, "a proxy passed it on"),
            ({"Forwarded": "for=127.0.0.1"}, "a proxy passed it on"),
            ({"X-Real-IP": "127.0.0.1"}, "a proxy passed it on"),
            ({"Via": "1.1 proxy"}, "a proxy passed it on"),
            ({"Host": "rebound.example:8080"}, "Host header"),
            ({"Host": ""}, "Host header"),
            ({"Origin": "https://evil.example"}, "another origin"),
            ({"Origin": "null"}, "another origin"),
            ({"Origin": "http://127.0.0.1:3000"}, "another origin"),
        ],
    )
    async def test_what_was_passed_on_or_comes_from_a_page_elsewhere_needs_one(
        self, tmp_path: Path, headers: dict[str, str], reason: str
    ) -> None:
        async with gateway(tmp_path, embedded=True, gateway_keys="auto") as (client, desk):
            answer = await client.post("/verify", params={"wait": 0}, json=asked(), headers=headers)
            assert is_refused(answer, 401)
            assert reason in answer.json()["detail"]
            assert desk.producer.sent == []

    async def test_the_documentations_own_page_and_listed_origins_need_none(self, tmp_path: Path) -> None:
        listed = "https://extension.example"
        async with gateway(tmp_path, embedded=True, gateway_keys="auto", cors_origins=(listed,)) as (client, _):
            for origin in ("http://127.0.0.1:8080", listed):
                assert (await client.get("/jobs", headers={"Origin": origin})).status_code == 200

    async def test_a_key_that_is_sent_counts_here_too(self, tmp_path: Path) -> None:
        headers = await new_key(tmp_path, "bot", Scope.SUBMIT)
        async with gateway(tmp_path, embedded=True, gateway_keys="auto") as (client, _):
            assert is_refused(await client.get("/jobs", headers=headers), 403)
            assert is_refused(await client.get("/jobs", headers={"X-API-Key": "nonsense"}), 401)

    async def test_required_means_here_too_and_off_means_nowhere(self, tmp_path: Path) -> None:
        async with gateway(tmp_path, embedded=True, gateway_keys="required") as (client, _):
            assert is_refused(await client.get("/jobs"), 401)
        async with gateway(tmp_path, gateway_keys="off", peer=ELSEWHERE) as (client, _):
            assert (await client.get("/jobs")).status_code == 200

    async def test_on_a_real_broker_this_machine_needs_one(self, tmp_path: Path) -> None:
        async with gateway(tmp_path, gateway_keys="auto") as (client, _):
            assert is_refused(await client.get("/jobs"), 401)


async def test_where_the_system_lies_is_told_to_administrators_only(tmp_path: Path) -> None:
    reads = await new_key(tmp_path, "reads", Scope.READ)
    admin = await new_key(tmp_path, "admin", Scope.ADMIN)
    async with gateway(tmp_path, embedded=True, gateway_keys="auto", peer=ELSEWHERE) as (client, _):
        assert "data_dir" not in (await client.get("/status", headers=reads)).json()
        assert (await client.get("/status", headers=admin)).json()["data_dir"] == str(tmp_path)


async def test_the_document_says_which_routes_need_a_key(tmp_path: Path) -> None:
    async with gateway(tmp_path) as (client, _):
        paths = (await client.get("/openapi.json")).json()["paths"]
    secured = {path for path, methods in paths.items() for one in methods.values() if one.get("security")}
    assert secured == {"/verify", "/worker/verify", "/jobs", "/jobs/{job_id}", "/jobs/{job_id}/events", "/status"}


async def test_nothing_that_is_kept_opens_anything(tmp_path: Path) -> None:
    headers = await new_key(tmp_path, "bot", Scope.ADMIN)
    secret = headers["Authorization"].split("_", 2)[2]
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"bot" in kept
    assert secret.encode() not in kept
