"""The FastAPI app: routes over the desk. It holds no state that another gateway would miss."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.middleware.cors import CORSMiddleware
from fastapi.responses import Response

from streams import metrics
from streams.gateway import jobs, problems, system
from streams.gateway.desk import Desk
from streams.version import VERSION

OpenDesk = Callable[[], AbstractAsyncContextManager[Desk]]


SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def create_app(open_desk: OpenDesk, cors_origins: Sequence[str] = ()) -> FastAPI:
    """`open_desk` connects everything for the life of the app; no other origin may call it unless it is listed."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_desk() as desk:
            app.state.desk = desk
            yield

    app = FastAPI(title="Veristream", version=VERSION, summary="Claims in, auditable verdicts out.", lifespan=lifespan)
    problems.install(app)
    if cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key"],
        )
    app.middleware("http")(_counted)
    app.include_router(jobs.router)
    app.include_router(system.router)
    return app


async def _counted(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    started = time.perf_counter()
    response = await answer(request)
    for name, value in SECURITY_HEADERS.items():
        response.headers.setdefault(name, value)
    # The route's pattern, never the path: label sets are closed.
    route = getattr(request.scope.get("route"), "path", "unknown")
    metrics.HTTP_REQUESTS.labels(route, request.method, str(response.status_code)).inc()
    metrics.HTTP_DURATION.labels(route).observe(time.perf_counter() - started)
    return response
