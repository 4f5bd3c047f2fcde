"""A job's events over a real socket: resumed, bounded, with a heartbeat, and freed when the reader is gone."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx

from agents.claims.submission import Submission
from storage.ports import JobState, Outcome, sub_job_id
from streams.contracts import ProgressEvent
from streams.gateway.desk import Desk
from streams.gateway.hub import EVENTS_PER_JOB, LISTENER_QUEUE, REMEMBERED_JOBS, Hub
from streams.settings import Settings
from tests.unit.gateway.doors import NOW, asked, gateway, served

STAGES = ("intake", "retrieval", "ranking", "trust")
PATIENCE = 30.0


def event(stage: str, name: str = "started", *, job_id: str = "job-1", attempt: int = 1) -> ProgressEvent:
    return ProgressEvent(
        id=f"{job_id}/{attempt}/0/{stage}/{name}",
        job_id=job_id,
        attempt=attempt,
        loop=0,
        stage=stage,
        event=name,
        at=NOW,
    )


DECIDED = event("adjudication", "decided")


@asynccontextmanager
async def listened(folder: Path, **options: object) -> AsyncIterator[tuple[httpx.AsyncClient, Desk]]:
    async with gateway(folder, **options) as (_, desk), served(desk) as url:
        await desk.admission.admit(Submission.model_validate(asked()))
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            yield client, desk


async def read(client: httpx.AsyncClient, last: str | None = None) -> list[dict[str, str]]:
    """Every event until the stream ends."""
    headers = {"Last-Event-ID": last} if last else {}
    async with client.stream("GET", "/jobs/job-1/events", headers=headers) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        text = (await answer.aread()).decode()
    blocks = [block for block in text.split("\n\n") if block and not block.startswith(":")]
    return [dict(line.split(": ", 1) for line in block.splitlines()) for block in blocks]


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.01)


async def test_what_was_heard_is_told_and_then_what_comes(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, desk):
        desk.hub.hear(event("intake"))
        reading = asyncio.create_task(read(client))
        await until(lambda: desk.hub._streams == 1)
        desk.hub.hear(event("retrieval"))
        desk.hub.hear(DECIDED)
        told = await reading
    assert [one["event"] for one in told] == ["started", "started", "decided", "closed"]
    assert [one["id"] for one in told] == [
        *(event(stage).id for stage in ("intake", "retrieval")),
        DECIDED.id,
        "job-1/1/closed",
    ]


async def test_a_reader_that_comes_back_gets_what_it_missed_and_nothing_twice(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, desk):
        for stage in STAGES:
            desk.hub.hear(event(stage))
        desk.hub.hear(DECIDED)
        resumed = await read(client, event("retrieval").id)
        assert [one["id"] for one in resumed] == [
            event("ranking").id,
            event("trust").id,
            DECIDED.id,
            "job-1/1/closed",
        ]
        unknown = await read(client, "of another gateway")
        assert len(unknown) == len(STAGES) + 2


async def test_who_has_seen_the_end_is_told_to_stop_asking(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, desk):
        await desk.ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b"{}", NOW))
        answer = await client.get("/jobs/job-1/events", headers={"Last-Event-ID": "job-1/1/closed"})
        assert (answer.status_code, answer.content) == (204, b"")
        assert [one["event"] for one in await read(client, DECIDED.id)] == ["closed"]


async def test_the_end_of_a_failed_attempt_is_not_the_end_of_the_next(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, desk):
        await desk.ledger.decide(Outcome("job-1", 1, JobState.FAILED, b"{}", NOW))
        await desk.ledger.next_attempt("job-1")
        desk.hub.hear(event("ranking", "failed"))
        reading = asyncio.create_task(read(client))
        await until(lambda: desk.hub._streams == 1)
        desk.hub.hear(event("adjudication", "decided", attempt=2))
        assert [one["event"] for one in await reading] == ["failed", "decided", "closed"]


async def test_the_steps_of_the_parts_are_told_between_those_of_their_claim(tmp_path: Path) -> None:
    first, second, other = (sub_job_id(parent, n) for parent, n in (("job-1", 1), ("job-1", 2), ("job-10", 1)))
    family = [
        event("retrieval", "decomposed"),
        event("ranking", "ranked", job_id=first),
        event("ranking", "ranked", job_id=second),
        event("adjudication", "part_decided", job_id=first),
        event("ranking", "failed", job_id=second),
        event("aggregation:1", "joined"),
    ]
    async with listened(tmp_path) as (client, desk):
        for one in family[:2]:
            desk.hub.hear(one)
        reading = asyncio.create_task(read(client))
        await until(lambda: desk.hub._streams == 1)
        for one in (*family[2:], event("ranking", "ranked", job_id=other), DECIDED):
            desk.hub.hear(one)
        told = await reading
        assert [one["id"] for one in told] == [*(one.id for one in family), DECIDED.id, "job-1/1/closed"]
        assert [json.loads(one["data"])["job_id"] for one in told] == [
            *(one.job_id for one in family),
            "job-1",
            "job-1",
        ]
        resumed = await read(client, family[3].id)
        assert [one["id"] for one in resumed] == [one["id"] for one in told[4:]]
        # A part has a stream of its own, and the claim stands where it itself stands.
        latest = desk.hub.last_event("job-1")
        assert latest is not None
        assert latest.id == DECIDED.id


async def test_while_nothing_happens_a_heartbeat_is_sent_and_the_ledger_is_asked(tmp_path: Path) -> None:
    async with (
        listened(tmp_path, first_look_seconds=0.01) as (client, desk),
        client.stream("GET", "/jobs/job-1/events") as answer,
    ):
        lines = answer.aiter_lines()
        assert await anext(lines) == ": nothing new"
        # Decided, and the hub never heard of it.
        await desk.ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b"{}", NOW))
        assert "event: closed" in [line async for line in lines]


async def test_a_reader_that_goes_away_is_forgotten(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, desk):
        for _ in range(3):
            async with client.stream("GET", "/jobs/job-1/events") as answer:
                await until(lambda: desk.hub._streams == 1)
                assert answer.status_code == 200
            await until(lambda: desk.hub._streams == 0)
        assert desk.hub._listeners == {}


async def test_no_more_streams_than_fit_are_kept(tmp_path: Path) -> None:
    async with listened(tmp_path, gateway_streams=1) as (client, desk):
        async with client.stream("GET", "/jobs/job-1/events"):
            await until(lambda: desk.hub._streams == 1)
            refused = await client.get("/jobs/job-1/events")
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "5")
        await until(lambda: desk.hub._streams == 0)
        desk.hub.hear(DECIDED)
        assert [one["event"] for one in await read(client)] == ["decided", "closed"]


async def test_a_reader_that_is_too_slow_is_cut_off_without_the_closing_word() -> None:
    hub = Hub(Settings())
    with hub.listening("job-1") as listener:
        for number in range(LISTENER_QUEUE + 1):
            hub.hear(event("intake", f"step-{number}"))
        assert listener.is_behind
        for _ in range(LISTENER_QUEUE):
            assert await listener.next(1) is not None
        assert listener.is_empty
    with hub.listening("job-1") as listener:
        assert not listener.is_behind


async def test_what_is_remembered_is_bounded() -> None:
    hub = Hub(Settings())
    for number in range(REMEMBERED_JOBS + 100):
        hub.hear(event("intake", job_id=f"job-{number}"))
    for number in range(EVENTS_PER_JOB + 100):
        hub.hear(event("intake", f"step-{number}", job_id="job-x"))
    assert len(hub._recent) == REMEMBERED_JOBS
    assert len(hub._recent["job-x"]) == EVENTS_PER_JOB


async def test_who_waits_for_a_verdict_and_goes_away_is_forgotten(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, desk):
        waiting = asyncio.create_task(client.post("/verify", params={"wait": 600}, json=asked()))
        await until(lambda: bool(desk.hub._waiting))
        waiting.cancel()
        await asyncio.wait({waiting})
        await until(lambda: not desk.hub._waiting)


async def test_who_hangs_up_in_the_middle_of_a_request_breaks_nothing(tmp_path: Path) -> None:
    async with listened(tmp_path) as (client, _):
        port = client.base_url.port
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /verify HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\n{")
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        async with asyncio.timeout(PATIENCE):
            while 'route="/verify",status="499"' not in (await client.get("/metrics")).text:
                await asyncio.sleep(0.01)
