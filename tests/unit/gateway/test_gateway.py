"""The HTTP door over a real ledger, without a broker: what is decided already can be asked for."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest

from agents.claims.submission import Submission
from storage.ports import JobState, Outcome
from streams.delivery.closing import pack
from streams.delivery.dead_letters import Message, Reason, dead_letter
from streams.gateway.counting import SECURITY_HEADERS
from streams.gateway.desk import Desk
from tests.support.parts import decomposed, end, services_over
from tests.unit.gateway.doors import NOW, ROOT, asked, decided, gateway


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
        (asked(top_k=0), "top_k"),
        (asked(top_k=21), "top_k"),
        (asked(top_k="5"), "top_k"),
        (asked(room_id=""), "room_id"),
        (asked(domain=7), "domain"),
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


async def test_every_answer_carries_the_security_headers(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, _ = door
    asked_for = [
        client.get("/health"),
        client.get("/docs"),
        client.get("/nowhere"),
        client.post("/worker/verify", content=b"nonsense"),
        client.post("/worker/verify", params={"wait": 0}, json=asked()),
        client.get("/jobs/job-1"),
    ]
    for answer in await asyncio.gather(*asked_for):
        told = {name: answer.headers.get(name) for name in SECURITY_HEADERS}
        assert told == SECURITY_HEADERS, answer.url
        assert "server" not in answer.headers


async def test_a_listed_origin_may_ask_first_what_it_may_send(tmp_path: Path) -> None:
    asks = {
        "Origin": "https://extension.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    async with gateway(tmp_path, cors_origins=("https://extension.example",)) as (client, _):
        allowed = await client.options("/verify", headers=asks)
        assert (allowed.status_code, allowed.headers["access-control-allow-methods"]) == (200, "GET, POST")
        refused = await client.options("/verify", headers=asks | {"Origin": "https://elsewhere.example"})
        assert refused.status_code == 400
        assert "access-control-allow-origin" not in refused.headers


async def test_no_other_origin_may_call_unless_it_is_listed(tmp_path: Path) -> None:
    origin = "https://extension.example"
    async with gateway(tmp_path / "closed") as (client, _):
        answer = await client.get("/health", headers={"Origin": origin})
        assert "access-control-allow-origin" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
    async with gateway(tmp_path / "open", cors_origins=(origin,)) as (client, _):
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


async def test_the_jobs_of_a_room_come_page_by_page(door: tuple[httpx.AsyncClient, Desk]) -> None:
    client, desk = door
    for number in range(5):
        await desk.admission.admit(Submission.model_validate(asked(f"job-{number}", room_id="the café & co")))
    listed: list[str] = []
    # Composed and decomposed spellings are one room, as they are when a claim is submitted.
    address: str | None = "/jobs?room_id=the%20cafe%CC%81%20%26%20co&limit=2"
    sizes = []
    while address is not None:
        page = (await client.get(address)).json()
        sizes.append(len(page["jobs"]))
        listed += [job["job_id"] for job in page["jobs"]]
        address = page["next"]
    assert listed == ["job-4", "job-3", "job-2", "job-1", "job-0"]
    assert sizes == [2, 2, 1]


async def test_many_at_once_under_one_id_are_one_job_and_other_content_is_a_conflict(
    door: tuple[httpx.AsyncClient, Desk],
) -> None:
    client, desk = door

    async def submit(claim: str) -> int:
        return (await client.post("/verify", params={"wait": 0}, json=asked(claim=claim))).status_code

    same = await asyncio.gather(*(submit("A claim.") for _ in range(30)))
    assert set(same) == {202}
    mixed = await asyncio.gather(*(submit(f"Claim {number}.") for number in range(10)), submit(" A  claim. "))
    assert sorted(mixed) == [202, *[409] * 10]
    assert len(desk.producer.sent) == 1


async def test_a_method_that_nobody_knows_is_one_label(door: tuple[httpx.AsyncClient, Desk]) -> None:
    for method in ("BREW", "WHEN"):
        assert (await door[0].request(method, "/health")).status_code == 405
    text = (await door[0].get("/metrics")).text
    assert 'method="other"' in text
    assert "BREW" not in text


async def test_the_documentation_names_every_route_and_needs_nothing_from_elsewhere(
    door: tuple[httpx.AsyncClient, Desk],
) -> None:
    client, _ = door
    answer = await client.get("/docs")
    assert answer.headers["content-security-policy"].startswith("default-src 'none'")
    assert "<script" not in answer.text
    assert "src=" not in answer.text
    for path in (await client.get("/openapi.json")).json()["paths"]:
        assert path in answer.text
    assert "curl http://127.0.0.1:8080/jobs/story-4711/events" in answer.text
    for name, given, bounds in (
        ("top_k", "<code>5</code> if not given", "1 to 20"),
        ("claim", "required", "1 to 2000 characters"),
        ("room_id", "optional", "1 to 256 characters"),
    ):
        assert re.search(rf"<td>{name}<td>{given}<td>[^<]*\b{bounds}\.", answer.text), name
    assert "Successful Response" not in answer.text
