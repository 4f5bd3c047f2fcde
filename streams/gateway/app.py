"""The FastAPI app: routes over the desk. It holds no state that another gateway would miss."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

from fastapi import FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.openapi.utils import get_openapi

from streams.gateway import events, handbook, jobs, problems, system
from streams.gateway.answers import ProblemDocument
from streams.gateway.counting import Counting
from streams.gateway.desk import Desk
from streams.version import VERSION

OpenDesk = Callable[[], AbstractAsyncContextManager[Desk]]

DESCRIPTION = """
Errors are problem documents (RFC 9457). Where a key is needed, send it as `Authorization: Bearer KEY` or
`X-API-Key: KEY`; `veristream keys create` makes one. Every answer to a key carries `RateLimit-*` headers.
"""


def create_app(open_desk: OpenDesk, cors_origins: Sequence[str] = ()) -> FastAPI:
    """`open_desk` connects everything for the life of the app; no other origin may call it unless it is listed."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_desk() as desk:
            app.state.desk = desk
            yield

    app = FastAPI(
        title="Veristream",
        version=VERSION,
        summary="Claims in, auditable verdicts out.",
        description=DESCRIPTION,
        lifespan=lifespan,
        redirect_slashes=False,
        # FastAPI's own pages load their scripts from elsewhere; ours needs none.
        docs_url=None,
        redoc_url=None,
    )
    problems.install(app)
    if cors_origins:
        app.add_middleware(
            CORSMiddleware,
            allow_origins=list(cors_origins),
            allow_methods=["GET", "POST"],
            allow_headers=["Authorization", "Content-Type", "X-API-Key", "Last-Event-ID"],
            expose_headers=["Location", "Retry-After", "RateLimit-Limit", "RateLimit-Remaining", "RateLimit-Reset"],
        )
    app.add_middleware(Counting)
    for module in (jobs, events, system, handbook):
        app.include_router(module.router)
    app.openapi = partial(_document, app)  # type: ignore[method-assign]  # FastAPI's own way to extend it
    return app


def _document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document. Refusals are of another media type than answers, so their schema is added by hand."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, summary=app.summary, description=app.description, routes=app.routes
        )
        problem = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
        made["components"]["schemas"] |= {**problem.pop("$defs"), ProblemDocument.__name__: problem}
        app.openapi_schema = made
    return app.openapi_schema
