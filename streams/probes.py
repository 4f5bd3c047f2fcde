"""The worker's small HTTP door: metrics, health and readiness. Also how uvicorn runs inside a loop of ours."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import uvicorn
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from streams import metrics
from streams.errors import PortInUse

GRACE_SECONDS = 5
START_SECONDS = 60.0
KEEP_ALIVE_SECONDS = 75
"""Longer than clients and proxies keep an idle connection: whoever closes first must be the one who knows that no
request is on its way, or requests are lost with it."""
BACKLOG = 4096
"""Connections that wait to be accepted, when a crowd comes at once."""


def listen(host: str, port: int, setting: str) -> socket.socket:
    """A bound socket, or one line that says which setting to change."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, because asyncio switches Nagle's delay off only for sockets that say so.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise PortInUse(f"cannot listen on {host}:{port} ({error.strerror}); set {setting} to another port") from None
    return listener


class _QuietServer(uvicorn.Server):
    """Leaves signals to the process that serves, and says when it listens."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = asyncio.Event()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@asynccontextmanager
async def serving(app: Any, listener: socket.socket) -> AsyncIterator[None]:
    """Serve an ASGI app on a bound socket for the length of the block."""
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=GRACE_SECONDS,
        # The peer is who holds the other end of the socket, whatever a header says.
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=KEEP_ALIVE_SECONDS,
        backlog=BACKLOG,
    )
    server = _QuietServer(config)
    running = asyncio.create_task(server.serve(sockets=[listener]))
    listening = asyncio.create_task(server.listening.wait())
    try:
        await asyncio.wait({running, listening}, timeout=START_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            await running
        if not server.listening.is_set():
            raise RuntimeError("the HTTP server did not start")
        yield
    finally:
        listening.cancel()
        server.should_exit = True
        await running
        listener.close()


def probes(readiness: Callable[[], list[str]]) -> Starlette:
    """`readiness` gives the reasons why no work is taken right now; none means ready."""

    async def show_metrics(_: Request) -> Response:
        return Response(generate_latest(metrics.WORKER), media_type=CONTENT_TYPE_LATEST)

    async def health(_: Request) -> Response:
        return JSONResponse({"status": "ok"})

    async def ready(_: Request) -> Response:
        reasons = readiness()
        return JSONResponse({"ready": not reasons, "reasons": reasons}, status_code=503 if reasons else 200)

    return Starlette(
        routes=[Route("/metrics", show_metrics), Route("/health", health), Route("/ready", ready)],
    )
