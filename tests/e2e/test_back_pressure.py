"""The embedded broker drops what is not read in time: the door keeps that from happening, and if it happens it is said.

The broker runs inside pytest; the gateway is the real one, the worker is slow on purpose.
"""

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from streams.embedded.broker import EmbeddedBroker
from tests.support.processes import Process, call, free_port, running, script, veristream
from tests.support.wire import Outputs, Raw, publish

PATIENCE = 90.0
FITS = 8

pytestmark = pytest.mark.timeout(300)


@dataclass(frozen=True, slots=True)
class Slow:
    """A slow system: where its parts are, and how to let its held claim go."""

    broker: str
    gateway: str
    worker: str
    environment: dict[str, str]
    processes: tuple[Process, ...]
    release: Path

    def check(self) -> None:
        for process in self.processes:
            process.check()

    def lost(self) -> float:
        text = httpx.get(f"{self.worker}/metrics").text
        return sum(float(number) for number in re.findall(r"veristream_lost_events_total\{[^}]*\} (\S+)", text))


@pytest.fixture
def slow(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Slow]:
    metrics = free_port()
    with EmbeddedBroker() as broker, ExitStack() as stack:
        environment = {
            "VERISTREAM_BROKER": broker.url,
            "VERISTREAM_EMBEDDED": "true",
            "VERISTREAM_EMBEDDER": "static",
            "VERISTREAM_STANCE": "rules",
            "VERISTREAM_DATA_DIR": str(tmp_path / "data"),
            "VERISTREAM_GATEWAY_PORT": "0",
            "VERISTREAM_METRICS_PORT": str(metrics),
            "VERISTREAM_JOB_RESERVE_BYTES": "1000",
            "VERISTREAM_OPEN_BYTES_LIMIT": str(FITS * 1100),
            "VERISTREAM_IN_FLIGHT": "1",
            "SLOW_SECONDS": str(request.param),
            "SLOW_RELEASE": str(tmp_path / "release"),
        }
        worker = stack.enter_context(running(script("tests.e2e.slow_worker", environment, tmp_path / "worker.log")))
        gateway = stack.enter_context(running(veristream(["gateway"], environment, tmp_path / "gateway.log")))
        worker.wait_for_text("worker started", PATIENCE)
        log = gateway.wait_for_text("gateway started", PATIENCE)
        address = next(json.loads(line)["address"] for line in log.splitlines() if "gateway started" in line)
        yield Slow(
            broker.address,
            address,
            f"http://127.0.0.1:{metrics}",
            environment,
            (worker, gateway),
            tmp_path / "release",
        )


@pytest.mark.parametrize("slow", [0.2], indirect=True)
async def test_a_full_door_answers_politely_and_who_waits_gets_everything_in(slow: Slow, tmp_path: Path) -> None:
    accepted = await _knock_until_refused(slow)
    assert 1 <= len(accepted) <= FITS

    ids = [f"file-{number}" for number in range(40)]
    lines = tmp_path / "claims.jsonl"
    lines.write_text("\n".join(json.dumps({"job_id": job_id, "claim": "A claim."}) for job_id in ids))
    submitted = await asyncio.to_thread(call, ["submit", str(lines)], slow.environment, seconds=PATIENCE)
    assert submitted.stdout.strip() == "accepted 40, repeated 0, refused 0"

    async with Outputs(slow.broker, ["verdicts"], slow.check) as verdicts:
        await verdicts.until_keys("verdicts", {"hold", *accepted, *ids}, PATIENCE)
    assert slow.lost() == 0
    assert httpx.get(f"{slow.worker}/ready").json()["reasons"] == []
    assert "veristream_admission_refused_total 1.0" in httpx.get(f"{slow.gateway}/metrics").text


async def _knock_until_refused(slow: Slow) -> list[str]:
    """Submit without waiting, behind a claim that is held, until the door says that it is full."""
    accepted: list[str] = []
    async with httpx.AsyncClient(base_url=slow.gateway, timeout=PATIENCE) as client:
        for number in range(FITS + 1):
            job_id = "hold" if number == 0 else f"knock-{number}"
            body = {"job_id": job_id, "claim": "A claim."}
            answer = await client.post("/worker/verify", params={"wait": 0}, json=body)
            if answer.status_code == 429:
                assert int(answer.headers["retry-after"]) >= 1
                assert "try again" in answer.json()["detail"]
                slow.release.touch()
                return accepted
            assert answer.status_code == 202
            accepted.append(job_id)
    raise AssertionError(f"the door took {len(accepted)} claims and was never full")


@pytest.mark.parametrize("slow", [0.0], indirect=True)
async def test_events_that_the_broker_dropped_unread_are_named_aloud(slow: Slow) -> None:
    filler = "x" * 40_000
    hold = Raw(b'{"job_id": "hold", "claim": "Held."}', b"hold", 0)
    flood = [
        Raw(json.dumps({"job_id": f"flood-{number}", "claim": "A claim.", "padding": filler}).encode(), None, 0)
        for number in range(700)
    ]
    # Past the door, straight to one partition: 28 MB where 5 MB are kept, behind a claim that nobody lets go.
    await publish(slow.broker, "claims", [hold])
    await publish(slow.broker, "claims", flood)
    # Read along from the start: the broker drops old verdicts as it drops old claims.
    async with Outputs(slow.broker, ["verdicts"], slow.check) as verdicts:
        slow.release.touch()
        await verdicts.until_keys("verdicts", {"hold", "flood-699"}, PATIENCE)

    log = slow.processes[0].text()
    said = [json.loads(line) for line in log.splitlines() if '"events were lost: ' in line]
    assert said
    assert {line["level"] for line in said} == {"critical"}
    gone = sum(_length(line["lost"]) for line in said)
    assert slow.lost() == gone > 0
    ready = httpx.get(f"{slow.worker}/ready")
    assert ready.status_code == 503
    # The worker may read on between two droppings, so there may be more than one gap; readiness shows the last three.
    assert ready.json()["reasons"] == [f"lost {line['lost']}" for line in said[-3:]]


def _length(lost: str) -> int:
    """How many offsets `claims[0] offsets 9..20` names."""
    found = re.fullmatch(r"claims\[0\] offsets (\d+)\.\.(\d+)", lost)
    assert found is not None, lost
    return int(found[2]) - int(found[1]) + 1
