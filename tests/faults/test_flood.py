"""Everybody submits at once: no request is answered with an error of ours, every job ends, and memory stays bounded.

`VERISTREAM_SOAK_ROUNDS=10` makes it 2,000 submissions.
"""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

import samples
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from tests.support.processes import Process, running, settings_of, veristream

ROUNDS = int(os.environ.get("VERISTREAM_SOAK_ROUNDS", "1"))
SUBMISSIONS = 200 * ROUNDS
START_SECONDS = 120
LIMIT_SECONDS = 150 + 120 * ROUNDS
"""A bound, not a promise: on two cores that others use as well, two hundred claims took half of this."""
GROWTH_MB = 300
"""What gateway and worker may each grow by. Keeping every package, event and answer of 2,000 jobs would take more.

Counted once every sample claim has been decided: by then models, tables and caches are loaded, which is no growth."""

pytestmark = [pytest.mark.faults, pytest.mark.timeout(LIMIT_SECONDS + START_SECONDS)]


@dataclass(slots=True)
class Crowd:
    """What became of everybody."""

    statuses: Counter[int] = field(default_factory=Counter)
    answers: dict[str, dict[str, Any]] = field(default_factory=dict)


@pytest.fixture
def up(tmp_path: Path) -> Iterator[Process]:
    own = {"VERISTREAM_DATA_DIR": str(tmp_path / "data")}
    environment = own | {"CREDIBLE_DOMAINS": ",".join(trusting_the_town(settings_of(own)).credible_domains)}
    asyncio.run(load_knowledge_base(settings_of(environment)))
    with running(veristream(["up", "--port", "0"], environment, tmp_path / "up.log")) as process:
        yield process
        assert process.terminate() == 0


async def test_many_submissions_at_once_all_end_without_an_error_of_ours(up: Process) -> None:
    text = up.wait_for_text("API at", START_SECONDS)
    url = next(word for word in text.split() if word.startswith("http://"))
    claims = [claim.claim for claim in samples.load().claims]
    crowd = Crowd()
    limits = httpx.Limits(max_connections=None)
    async with (
        asyncio.timeout(LIMIT_SECONDS),
        httpx.AsyncClient(base_url=url, timeout=120, limits=limits) as client,
    ):
        await asyncio.gather(*(_one(client, Crowd(), f"first-{n}", claim) for n, claim in enumerate(claims)))
        async with _memory_of(_children(up.pid)) as memory:
            await asyncio.gather(
                *(_one(client, crowd, f"flood-{number}", claims[number % len(claims)]) for number in range(SUBMISSIONS))
            )
        status = (await client.get("/status")).json()
    said = {name: f"{first} to {most} MB" for name, (first, most) in memory.items()}
    print(f"\n{SUBMISSIONS} submissions: answers {dict(sorted(crowd.statuses.items()))}, memory {said}")

    assert [code for code in crowd.statuses if code >= 500] == []
    assert set(crowd.statuses) <= {200, 202, 429}
    assert len(crowd.answers) == SUBMISSIONS
    ends = Counter(answer["status"] for answer in crowd.answers.values())
    assert set(ends) <= {"completed", "completed_from_cache", "failed"}
    assert ends["failed"] == 0
    assert status["open_jobs"] == 0
    assert set(memory) == {"gateway", "worker"}
    assert all(most - first < GROWTH_MB for first, most in memory.values()), said


async def _one(client: httpx.AsyncClient, crowd: Crowd, job_id: str, claim: str) -> None:
    """A client as it should be: it waits as long as it is told, and sends the same again."""
    body = {"job_id": job_id, "claim": claim}
    while job_id not in crowd.answers:
        answer = await client.post("/worker/verify", params={"wait": 60}, json=body)
        crowd.statuses[answer.status_code] += 1
        if answer.status_code == 200:
            crowd.answers[job_id] = answer.json()
        elif answer.status_code == 429:
            await asyncio.sleep(int(answer.headers["retry-after"]))
        else:
            assert answer.status_code == 202, answer.text


def _children(parent: int) -> dict[str, int]:
    """The supervisor's worker and gateway."""
    pids = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    for thread in Path(f"/proc/{parent}/task").iterdir():
        pids += (thread / "children").read_text().split()
    commands = {int(pid): Path(f"/proc/{pid}/cmdline").read_text().split("\0") for pid in pids}
    return {name: pid for pid, command in commands.items() for name in ("worker", "gateway") if name in command}


@asynccontextmanager
async def _memory_of(processes: dict[str, int]) -> AsyncIterator[dict[str, tuple[int, int]]]:
    """Resident memory at first and at most, in MB."""
    memory = {name: (_resident(pid), 0) for name, pid in processes.items()}

    async def watch() -> None:
        while True:
            for name, pid in processes.items():
                first, most = memory[name]
                memory[name] = (first, max(most, _resident(pid)))
            await asyncio.sleep(0.5)

    watching = asyncio.create_task(watch())
    try:
        yield memory
    finally:
        watching.cancel()


def _resident(pid: int) -> int:
    line = next(line for line in Path(f"/proc/{pid}/status").read_text().splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) // 1024
