"""A gateway over a real ledger and real keys, without a broker: the app as it is, asked in this process."""

import json
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx

from agents.claims.submission import Submission
from storage.embedded.keys import SqliteKeyRing
from storage.embedded.ledger import SqliteLedger
from storage.ports import JobState, KeyLimits, Outcome, Scope
from streams.admission import Admission
from streams.gateway.access import Guard
from streams.gateway.app import create_app
from streams.gateway.desk import Desk
from streams.gateway.hub import Hub
from streams.gateway.tokens import make
from streams.probes import listen, serving
from streams.settings import Settings

ROOT = Path(__file__).parents[3]
PACKAGE = (ROOT / "tests" / "data" / "golden" / "verdict_package.v1.json").read_bytes()
NOW = datetime(2026, 3, 1, tzinfo=UTC)
LOOPBACK = ("127.0.0.1", 50_000)


class Recorder:
    """Stands where the producer stands and keeps what is published."""

    def __init__(self) -> None:
        self.sent: list[tuple[str, bytes, bytes]] = []

    async def send_and_wait(self, topic: str, *, key: bytes, value: bytes) -> None:
        self.sent.append((topic, key, value))


@asynccontextmanager
async def gateway(
    folder: Path,
    *,
    peer: tuple[str, int] = LOOPBACK,
    clock: Callable[[], float] = time.monotonic,
    producer: Any = None,
    first_look_seconds: float = 1.0,
    **options: Any,
) -> AsyncIterator[tuple[httpx.AsyncClient, Desk]]:
    """A client of a gateway with these settings, and its desk; nobody needs a key unless the settings say so."""
    settings = Settings(data_dir=folder, broker="kafka://127.0.0.1:1", **{"gateway_keys": "off", **options})
    ledger = await SqliteLedger.open(folder / "ledger.db")
    ring = await SqliteKeyRing.open(folder / "ledger.db")
    admission = Admission(ledger, settings, lambda: NOW)
    guard = Guard(settings, ring, clock)
    hub = Hub(settings)
    desk = Desk(settings, ledger, admission, producer or Recorder(), hub, guard, first_look_seconds=first_look_seconds)

    @asynccontextmanager
    async def opened() -> AsyncIterator[Desk]:
        yield desk

    app = create_app(opened, settings.cors_origins)
    transport = httpx.ASGITransport(app, client=peer)
    try:
        async with (
            app.router.lifespan_context(app),
            httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8080") as client,
        ):
            yield client, desk
    finally:
        await ring.close()
        await ledger.close()


@asynccontextmanager
async def served(desk: Desk) -> AsyncIterator[str]:
    """The address of a gateway that is really listened at, over this desk."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Desk]:
        yield desk

    listener = listen("127.0.0.1", 0, "-")
    async with serving(create_app(opened), listener):
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"


async def new_key(folder: Path, name: str, *scopes: Scope, **limits: int) -> dict[str, str]:
    """The header of a key made as `veristream keys create` makes it."""
    ring = await SqliteKeyRing.open(folder / "ledger.db")
    key, token = make(name, scopes, KeyLimits(**limits), NOW)
    await ring.add(key)
    await ring.close()
    return {"Authorization": f"Bearer {token}"}


def asked(job_id: str = "job-1", **more: Any) -> dict[str, Any]:
    """A submission."""
    return {"job_id": job_id, "claim": "A claim.", **more}


async def decided(desk: Desk, body: dict[str, Any]) -> None:
    """The job as it stands after its verdict."""
    await desk.admission.admit(Submission.model_validate(body))
    payload = json.dumps({**json.loads(PACKAGE), "job_id": body["job_id"]}).encode()
    await desk.ledger.decide(Outcome(body["job_id"], 1, JobState.COMPLETED, payload, NOW))
