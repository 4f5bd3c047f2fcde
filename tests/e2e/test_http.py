"""The HTTP door: claims in, verdicts and events out, and refusals that say what to do."""

import json
import uuid
from typing import Any

import httpx
import pytest

from agents.claims.package import VerdictPackage
from storage.ports import sub_job_id
from streams import metrics
from tests.e2e.conftest import System

CLAIM = "Kelderwick General Hospital has 312 beds."

# The first test of a system waits for it to start, and for its claims to travel.
pytestmark = pytest.mark.timeout(400)


@pytest.fixture(scope="module")
def client(system: System) -> Any:
    with system.client() as client:
        yield client


def new_id() -> str:
    return f"http-test-{uuid.uuid4()}"


def whole(document: dict[str, Any]) -> VerdictPackage:
    return VerdictPackage.model_validate_json(json.dumps(document))


def test_a_claim_is_answered_with_its_package(client: httpx.Client) -> None:
    job_id = new_id()
    answer = client.post("/worker/verify", params={"wait": 60}, json={"job_id": job_id, "claim": CLAIM})
    assert answer.status_code == 200
    document = answer.json()
    assert document.pop("confidence") == document["verdict_confidence"]
    assert whole(document).job_id == job_id


def test_a_newsroom_is_answered_in_its_own_words_under_an_id_that_is_made_for_it(client: httpx.Client) -> None:
    answer = client.post("/verify", params={"wait": 60}, json={"claim": CLAIM}).json()
    package = whole(answer["package"])
    assert answer["verdict"] == package.label
    assert answer["reasoning"] == package.rationale
    assert len(answer["citations"]) == len(package.citations)
    assert answer["job_id"] == package.job_id


def test_who_does_not_wait_gets_the_jobs_address_and_finds_the_verdict_there(client: httpx.Client) -> None:
    job_id = new_id()
    accepted = client.post("/worker/verify", params={"wait": 0}, json={"job_id": job_id, "claim": CLAIM})
    assert (accepted.status_code, accepted.headers["location"]) == (202, f"/jobs/{job_id}")
    events = events_of(client, f"/jobs/{job_id}/events")
    assert [name for name, _ in events][-2:] == ["decided", "closed"]
    job = client.get(accepted.headers["location"]).json()
    assert (job["state"], job["attempt"]) == ("completed", 1)
    assert job["result"]["job_id"] == job_id


def test_a_jobs_steps_are_told_in_order_as_they_happen(client: httpx.Client) -> None:
    job_id = new_id()
    client.post("/worker/verify", params={"wait": 0}, json={"job_id": job_id, "claim": CLAIM})
    stages = [data["stage"] for name, data in events_of(client, f"/jobs/{job_id}/events") if name != "closed"]
    order = ["intake", "retrieval", "ranking", "trust", "adjudication"]
    assert [stage for stage in stages if stage in order][:1] == ["intake"]
    assert stages[-1] == "adjudication"
    assert set(order) <= set(stages)


def test_the_steps_of_a_claims_parts_are_told_with_its_own(client: httpx.Client) -> None:
    job_id = new_id()
    claim = f"{CLAIM} The population of Kelderwick was 48,215 in June 2025."
    client.post("/worker/verify", params={"wait": 0}, json={"job_id": job_id, "claim": claim})
    told = [(data["job_id"], name) for name, data in events_of(client, f"/jobs/{job_id}/events")]
    first, second = (sub_job_id(job_id, number) for number in (1, 2))
    assert {one for one, _ in told} == {job_id, first, second}
    assert [name for one, name in told if one == job_id][-2:] == ["decided", "closed"]
    for part in (first, second):
        steps = [name for one, name in told if one == part]
        assert (steps[0], steps[-1]) == ("retrieved", "part_decided")
        assert told.index((job_id, "accepted")) < told.index((part, "retrieved"))
        assert told.index((part, "part_decided")) < told.index((job_id, "decided"))


def test_the_same_submission_again_gets_the_same_verdict(client: httpx.Client) -> None:
    body = {"job_id": new_id(), "claim": CLAIM}
    first = client.post("/worker/verify", params={"wait": 60}, json=body)
    second = client.post("/worker/verify", params={"wait": 60}, json=body)
    assert first.json() == second.json()


def test_another_claim_under_a_taken_id_is_refused(client: httpx.Client) -> None:
    job_id = new_id()
    client.post("/worker/verify", params={"wait": 0}, json={"job_id": job_id, "claim": CLAIM})
    refused = client.post("/worker/verify", params={"wait": 0}, json={"job_id": job_id, "claim": "Another claim."})
    assert refused.status_code == 409
    assert job_id in refused.json()["detail"]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"claim": ""}, "claim"),
        ({"claim": "x" * 2001}, "claim"),
        ({"claim": "a\u0000b"}, "claim"),
        ({"claim": 7}, "claim"),
        ({"job_id": "not a safe id"}, "job_id"),
        ({"job_id": None}, "job_id"),
        ({"top_k": 0}, "top_k"),
        ({"top_k": 21}, "top_k"),
        ({"top_k": "5"}, "top_k"),
        ({"trust_mode": "blind"}, "trust_mode"),
    ],
)
def test_a_bad_submission_is_refused_by_the_name_of_its_field(
    client: httpx.Client, change: dict[str, Any], field: str
) -> None:
    refused = client.post("/worker/verify", json={"job_id": new_id(), "claim": CLAIM, **change})
    assert refused.status_code == 422
    assert refused.headers["content-type"] == "application/problem+json"
    assert [error["field"] for error in refused.json()["errors"]] == [field]


def test_an_unknown_job_is_not_found(client: httpx.Client) -> None:
    for path in ("/jobs/nobody-asked", "/jobs/nobody-asked/events", "/nowhere"):
        assert client.get(path).status_code == 404


def test_health_readiness_and_status(client: httpx.Client, system: System) -> None:
    assert client.get("/health").json() == {"status": "ok"}
    ready = client.get("/ready")
    assert (ready.status_code, ready.json()["reasons"]) == (200, [])
    status = client.get("/status").json()
    assert status["mode"] == ("embedded" if system.kind == "embedded" else "full")
    assert status["broker_connected"] is True


def test_the_interface_is_documented(client: httpx.Client) -> None:
    document = client.get("/openapi.json").json()
    assert {"/worker/verify", "/verify", "/jobs/{job_id}", "/jobs/{job_id}/events"} <= set(document["paths"])
    assert client.get("/docs").status_code == 200


def test_the_declared_metrics_are_shown(client: httpx.Client, system: System) -> None:
    client.post("/worker/verify", params={"wait": 60}, json={"job_id": new_id(), "claim": CLAIM})
    text = client.get("/metrics").text
    families = {family.name for registry in _registries(system) for family in registry.collect()}
    assert {name for name in families if f"# TYPE {name}" not in text} == set()
    assert 'veristream_http_requests_total{method="POST",route="/worker/verify",status="200"}' in text
    if system.kind == "embedded":
        assert "veristream_verdicts_total{" in text
        assert 'veristream_consumer_lag{topic="claims"}' in text


def _registries(system: System) -> list[Any]:
    """Embedded, the gateway shows both processes; elsewhere each shows its own."""
    return [metrics.GATEWAY, metrics.WORKER] if system.kind == "embedded" else [metrics.GATEWAY]


def events_of(client: httpx.Client, path: str) -> list[tuple[str, dict[str, Any]]]:
    """Every server-sent event until the stream ends."""
    with client.stream("GET", path) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        blocks = "".join(answer.iter_text()).strip().split("\n\n")
    fields = [dict(line.split(": ", 1) for line in block.splitlines()) for block in blocks]
    return [(field["event"], json.loads(field["data"])) for field in fields]
