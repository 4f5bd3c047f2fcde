"""`veristream up` as a whole: it shows the samples, survives its children, and what it accepted survives it."""

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

import samples
from tests.e2e.conftest import embedded_url
from tests.support.processes import Process, call, running, veristream
from tests.support.town import claims

PATIENCE = 120.0
# The small embedder starts at once, and a dead worker's partitions are free after three seconds instead of fifteen.
QUICK = {"VERISTREAM_EMBEDDER": "static", "VERISTREAM_STANCE": "rules", "VERISTREAM_KAFKA_SESSION_TIMEOUT_SECONDS": "3"}

pytestmark = pytest.mark.timeout(300)


def children(process: Process) -> dict[str, int]:
    """The supervisor's children by what they are: `worker` and `gateway`."""
    pids = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0") for pid in pids}
    return {command[3].decode(): pid for pid, command in commands.items() if len(command) > 3}


def until(what: str, so: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not so():
        if time.monotonic() > end:
            raise AssertionError(f"waited {PATIENCE:.0f} s in vain until {what}")
        time.sleep(0.1)


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_up_shows_every_sample_verdict_and_ctrl_c_stops_everything_cleanly(tmp_path: Path) -> None:
    environment = {**QUICK, "TMPDIR": str(tmp_path)}
    with running(veristream(["up", "--samples", "--fresh", "--port", "0"], environment, tmp_path / "up.log")) as up:
        text = up.wait_for_text("Ctrl-C stops everything", PATIENCE)
        expected = len(samples.load().claims)
        assert f"{expected} verdicts: " in text
        for claim in samples.load().claims:
            assert claim.claim in text
        for stage in ("intake", "retrieval", "ranking", "trust", "search-expansion", "adjudication"):
            assert stage in text
        family = children(up)
        assert set(family) == {"worker", "gateway"}
        up.send(signal.SIGINT)
        assert up.wait(PATIENCE) == 0
    assert up.text().rstrip().endswith("stopped")
    assert "Traceback" not in up.text()
    assert [pid for pid in family.values() if not gone(pid)] == []
    assert list(tmp_path.glob("veristream-*")) == [], "the fresh data folder was left behind"


def start(folder: Path, port: str = "0") -> Process:
    log = folder / f"up-{port}.log"
    environment = {**QUICK, "VERISTREAM_DATA_DIR": str(folder / "data")}
    return veristream(["up", "--port", port], environment, log)


def test_a_crashed_worker_is_started_again_and_what_a_killed_supervisor_accepted_is_finished_by_the_next(
    tmp_path: Path,
) -> None:
    with running(start(tmp_path)) as up:
        url = embedded_url(up)
        worker = children(up)["worker"]
        os.kill(worker, signal.SIGKILL)
        until("the worker was started again", lambda: children(up).get("worker") not in {None, worker})
        answer = httpx.post(
            f"{url}/verify", params={"wait": 60}, json={"claim": "The bridge is closed."}, timeout=PATIENCE
        )
        assert answer.status_code == 200

        accepted = _submit(tmp_path, url)
        assert httpx.get(f"{url}/status").json()["open_jobs"] > 0, "everything was done before it could be killed"
        orphans = list(children(up).values())
        up.kill()
    until("the children of the killed supervisor ended too", lambda: all(gone(pid) for pid in orphans))

    with running(start(tmp_path, url.rpartition(":")[2])) as again:
        assert embedded_url(again) == url
        with httpx.Client(base_url=url) as client:
            until("no job is open any more", lambda: client.get("/status").json()["open_jobs"] == 0)
            states = {job_id: client.get(f"/jobs/{job_id}").json()["state"] for job_id in accepted}
        assert set(states.values()) == {"completed"}
        assert again.terminate(PATIENCE) == 0


def _submit(folder: Path, url: str) -> list[str]:
    pairs = list(claims(60, "journal"))
    lines = folder / "claims.jsonl"
    lines.write_text("\n".join(f'{{"job_id": "{job_id}", "claim": "{claim}"}}' for job_id, claim in pairs))
    environment = {"VERISTREAM_GATEWAY_PORT": url.rpartition(":")[2]}
    submitted = call(["submit", str(lines)], environment)
    assert submitted.stdout.strip() == "accepted 60, repeated 0, refused 0"
    return [job_id for job_id, _ in pairs]
