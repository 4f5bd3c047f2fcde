"""The FastAPI app: routes over the desk. It holds no state that another gateway would miss."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

from fastapi import FastAPI, Request
from fastapi.responses import Response

from streams import metrics
from streams.gateway import jobs, problems, system
from streams.gateway.desk import Desk
from streams.version import VERSION

OpenDesk = Callable[[], AbstractAsyncContextManager[Desk]]


def create_app(open_desk: OpenDesk) -> FastAPI:
    """`open_desk` connects everything for the life of the app."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_desk() as desk:
            app.state.desk = desk
            yield

    app = FastAPI(title="Veristream", version=VERSION, summary="Claims in, auditable verdicts out.", lifespan=lifespan)
    problems.install(app)
    app.middleware("http")(_counted)
    app.include_router(jobs.router)
    app.include_router(system.router)
    return app


async def _counted(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    started = time.perf_counter()
    response = await answer(request)
    # The route's pattern, never the path: label sets are closed.
    route = getattr(request.scope.get("route"), "path", "unknown")
    metrics.HTTP_REQUESTS.labels(route, request.method, str(response.status_code)).inc()
    metrics.HTTP_DURATION.labels(route).observe(time.perf_counter() - started)
    return response
