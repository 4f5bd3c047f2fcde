"""The HTTP door over a real ledger, without a broker: what is decided already can be asked for."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.claims.submission import Submission
from storage.embedded.ledger import SqliteLedger
from storage.ports import JobState, Outcome
from streams.admission import Admission
from streams.delivery.closing import pack
from streams.delivery.dead_letters import Message, Reason, dead_letter
from streams.gateway.app import create_app
from streams.gateway.desk import Desk
from streams.gateway.hub import Hub
from streams.settings import Settings
from tests.support.parts import decomposed, end, services_over

ROOT = Path(__file__).parents[3]
PACKAGE = (ROOT / "tests" / "data" / "golden" / "verdict_package.v1.json").read_bytes()
NOW = datetime(2026, 3, 1, tzinfo=UTC)


class Recorder:
    """Stands where the producer stands and keeps what is published."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, bytes]] = []

    async def send_and_wait(self, topic: str, *, key: bytes, value: bytes) -> None:
        self.sent.append((topic, key, value))


@asynccontextmanager
async def gateway(
    folder: Path, cors: tuple[str, ...] = (), **options: Any
) -> AsyncIterator[tuple[httpx.AsyncClient, Desk]]:
    settings = Settings(data_dir=folder, broker="kafka://127.0.0.1:1", **options)
    ledger = await SqliteLedger.open(folder / "ledger.db")
    desk = Desk(
        settings, ledger, Admission(ledger, settings, lambda: NOW), Recorder(), Hub(settings), "lexical-rules-1"
    )

    @asynccontextmanager
    async def opened() -> AsyncIterator[Desk]:
        yield desk

    app = create_app(opened, cors)
    transport = httpx.ASGITransport(app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://gate") as client,
    ):
        yield client, desk
    await ledger.close()


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Desk]]:
    async with gateway(tmp_path) as both:
        yield both


def asked(job_id: str = "job-1", **more: Any) -> dict[str, Any]:
    return {"job_id": job_id, "claim": "A claim.", **more}


async def decided(desk: Desk, body: dict[str, Any]) -> None:
    """The job as it stands after its verdict."""
    await desk.admission.admit(Submission.model_validate(body))
    payload = json.dumps({**json.loads(PACKAGE), "job_id": body["job_id"]}).encode()
    await desk.ledger.decide(Outcome(body["job_id"], 1, JobState.COMPLETED, payload, NOW))


async def test_a_decided_job_is_answered_at_once_and_not_published_again(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    await decided(desk, asked())
    answer = await client.post("/worker/verify", json=asked())
    assert answer.status_code == 200
    assert answer.json()["confidence"] == answer.json()["verdict_confidence"]
    assert desk.producer.sent == []


async def test_the_newsroom_answer_has_the_label_and_nests_the_package(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    await decided(desk, asked())
    answer = (await client.post("/verify", json=asked())).json()
    assert answer["verdict"] == answer["package"]["label"]
    assert set(answer) >= {"reasoning", "citations", "sub_results", "package"}


async def test_claim_review_is_answered_to_who_asks_for_it(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    await decided(desk, asked())
    for answer in (
        await client.post("/worker/verify", json=asked(), headers={"Accept": "application/ld+json"}),
        await client.get("/jobs/job-1", headers={"Accept": "application/ld+json"}),
    ):
        assert answer.headers["content-type"].startswith("application/ld+json")
        assert answer.json()["@type"] == "ClaimReview"


async def test_a_new_job_is_published_and_answered_with_its_address(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    answer = await client.post("/worker/verify", params={"wait": 0}, json=asked())
    assert (answer.status_code, answer.headers["location"]) == (202, "/jobs/job-1")
    ((topic, key, value),) = desk.producer.sent
    assert (topic, key, json.loads(value)["claim"]) == ("claims", b"job-1", "A claim.")


async def test_a_failed_job_says_so_and_carries_no_verdict(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    await desk.admission.admit(Submission.model_validate(asked()))
    letter = dead_letter(Message("ranking", 0, 7, b"job-1", b"{}"), Reason("permanent", "E", "no", "ranking", "job-1"))
    await desk.ledger.decide(Outcome("job-1", 1, JobState.FAILED, pack(letter), NOW))
    answer = (await client.post("/worker/verify", json=asked())).json()
    assert answer["status"] == "failed"
    assert answer["error"] == {"stage": "ranking", "reason": "permanent", "message": "no"}
    assert "verdict" not in answer


async def test_the_jobs_of_a_room_are_listed_with_their_verdicts(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    await decided(desk, asked("job-1", room_id="room"))
    await desk.admission.admit(Submission.model_validate(asked("job-2", room_id="room")))
    await desk.admission.admit(Submission.model_validate(asked("job-3", room_id="other")))
    jobs = (await client.get("/jobs", params={"room_id": "room"})).json()["jobs"]
    assert {job["job_id"]: job.get("verdict") for job in jobs} == {"job-1": "TRUE", "job-2": None}


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (asked(claim=""), "claim"),
        (asked(claim="x" * 2001), "claim"),
        (asked("bad id"), "job_id"),
        (asked(top_k=21), "top_k"),
        ({"claim": "x"}, "job_id"),
    ],
)
async def test_a_bad_submission_is_a_problem_that_names_the_field(
    door: tuple[httpx.AsyncClient, Desk], body: dict[str, Any], field: str
) -> None:
    answer = await door[0].post("/worker/verify", json=body)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert field in [error["field"] for error in answer.json()["errors"]]


@pytest.mark.parametrize("body", [b"", b"nonsense", b"[]", b"\xff\xfe", b"{" * 10_000])
async def test_what_is_no_json_object_is_refused(door: tuple[httpx.AsyncClient, Desk], body: bytes) -> None:
    assert (await door[0].post("/verify", content=body)).status_code == 422


async def test_a_body_over_the_limit_is_refused(door: tuple[httpx.AsyncClient, Desk]) -> None:
    answer = await door[0].post("/worker/verify", json=asked(source="x" * 70_000))
    assert (answer.status_code, answer.json()["title"]) == (413, "The body is too large")


async def test_another_claim_under_a_taken_id_is_a_conflict(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, _ = door
    await client.post("/worker/verify", params={"wait": 0}, json=asked())
    assert (await client.post("/worker/verify", params={"wait": 0}, json=asked(claim="Other."))).status_code == 409


async def test_the_door_shuts_politely_while_too_much_is_open(tmp_path: Path) -> None:
    async with gateway(tmp_path, embedded=True, open_bytes_limit=70_000) as (client, desk):
        for number in range(2):
            assert (await client.post("/verify", params={"wait": 0}, json=asked(f"job-{number}"))).status_code == 202
        answer = await client.post("/verify", params={"wait": 0}, json=asked("job-2"))
        assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
        assert len(desk.producer.sent) == 2


async def test_an_unknown_job_is_not_found(door: tuple[httpx.AsyncClient, Desk]) -> None:
    for path in ("/jobs/nobody", "/jobs/nobody/events", "/nowhere"):
        answer = await door[0].get(path)
        assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")


async def test_the_published_schema_is_the_one_in_the_handbook(door: tuple[httpx.AsyncClient, Desk]) -> None:
    served = (await door[0].get("/schemas/verdict/v1")).json()
    assert served == json.loads((ROOT / "docs" / "reference" / "verdict.v1.schema.json").read_text())


async def test_no_other_origin_may_call_unless_it_is_listed(tmp_path: Path) -> None:
    origin = "https://extension.example"
    async with gateway(tmp_path / "closed") as (client, _):
        answer = await client.get("/health", headers={"Origin": origin})
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
    async with gateway(tmp_path / "open", cors=(origin,)) as (client, _):
        answer = await client.get("/health", headers={"Origin": origin})
        assert answer.headers["access-control-allow-origin"] == origin


async def test_a_decomposed_job_shows_its_sub_jobs_and_they_are_asked_for_by_their_ids(
    door: tuple[httpx.AsyncClient, Desk],
) -> None:
    client, desk = door
    services = services_over(desk.ledger)
    first, _ = await decomposed(services, "job-1", 2)
    await end(first, services)
    shown = (await client.get("/jobs/job-1")).json()
    assert shown["sub_jobs"] == [{"job_id": "job-1~1", "state": "completed"}, {"job_id": "job-1~2", "state": "open"}]
    part = (await client.get("/jobs/job-1~1")).json()
    assert (part["parent_job_id"], part["result"]["parent_job_id"]) == ("job-1", "job-1")
    assert [job["job_id"] for job in (await client.get("/jobs")).json()["jobs"]] == ["job-1"]
    refused = await client.post("/worker/verify", json=asked("job-1~1"))
    assert refused.status_code == 422


async def test_a_newsroom_reads_sub_results_in_its_own_words(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    await decided(desk, asked())
    answer = (await client.post("/verify", json=asked())).json()
    (part,) = answer["sub_results"]
    assert set(part) == {"job_id", "claim", "verdict", "reasoning", "citations"}
    assert part["verdict"] == "Supported"
