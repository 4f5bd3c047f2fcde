"""The FastAPI app: routes over the desk. It holds no state that another gateway would miss."""

import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

import httpx
from fastapi import Body, Depends, FastAPI, Path, Query, Request
from fastapi.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import ValidationError

from agents.claims.submission import SUBMISSION_MAX_BYTES, JobId, Submission
from storage.errors import StoreError
from storage.ports import JobState
from streams import metrics
from streams.gateway import problems
from streams.gateway.desk import Desk, news_answer, worker_answer
from streams.gateway.problems import Problem
from streams.wire import describe

Answer = dict[str, Any]
VERSION = "0.1.0"
Wait = Annotated[float | None, Query(ge=0, le=600, description="Seconds to wait for the verdict before answering 202.")]


def create_app(open_desk: Callable[[], "AsyncContext"]) -> FastAPI:
    """`open_desk` is an async context manager that connects everything and yields the desk."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with open_desk() as desk:
            app.state.desk = desk
            yield

    app = FastAPI(
        title="Veristream",
        version=VERSION,
        summary="Claims in, auditable verdicts out.",
        lifespan=lifespan,
    )
    problems.install(app)
    app.middleware("http")(_bounded_and_counted)
    _job_routes(app)
    _system_routes(app)
    return app


AsyncContext = Any


def _desk(request: Request) -> Desk:
    desk: Desk = request.app.state.desk
    return desk


TheDesk = Annotated[Desk, Depends(_desk)]


async def _bounded_and_counted(request: Request, answer: Callable[[Request], Awaitable[Response]]) -> Response:
    started = time.perf_counter()
    length = request.headers.get("content-length", "0")
    if request.method == "POST" and (not length.isdigit() or int(length) > SUBMISSION_MAX_BYTES):
        detail = f"the body may have at most {SUBMISSION_MAX_BYTES} bytes, and must say its length"
        result: Response = problems.response(413, "The body is too large", detail)
    else:
        result = await answer(request)
    route = getattr(request.scope.get("route"), "path", "unknown")
    metrics.HTTP_REQUESTS.labels(route, request.method, str(result.status_code)).inc()
    metrics.HTTP_DURATION.labels(route).observe(time.perf_counter() - started)
    return result


def _submission(document: Answer) -> Submission:
    try:
        return Submission.model_validate_json(_json(document))
    except ValidationError as error:
        fields = [
            {"field": ".".join(str(part) for part in problem["loc"]) or "body", "message": problem["msg"]}
            for problem in error.errors(include_url=False)
        ]
        raise InvalidSubmission(describe(error), fields) from None


def _json(document: Answer) -> bytes:
    import json

    return json.dumps(document).encode()


class InvalidSubmission(Exception):  # noqa: N818 - it describes the submission
    """422 with the field named."""

    def __init__(self, detail: str, fields: list[dict[str, str]]) -> None:
        super().__init__(detail)
        self.fields = fields


def _job_routes(app: FastAPI) -> None:
    @app.exception_handler(InvalidSubmission)
    async def invalid(_: Request, error: InvalidSubmission) -> JSONResponse:
        return problems.response(422, "The submission is not valid", str(error), errors=error.fields)

    async def run(desk: Desk, submission: Submission, wait: float | None, view: Callable[[Any], Answer]) -> Response:
        outcome = await desk.verify(submission, desk.settings.gateway_wait_seconds if wait is None else wait)
        if outcome is None:
            address = f"/jobs/{submission.job_id}"
            body = {"job_id": submission.job_id, "status": "open", "job": address, "events": f"{address}/events"}
            return JSONResponse(body, status_code=202, headers={"Location": address, "Retry-After": "1"})
        return JSONResponse(view(outcome))

    @app.post("/worker/verify", summary="Verify one claim (000)", response_model=None)
    async def worker_verify(desk: TheDesk, document: Annotated[Answer, Body()], wait: Wait = None) -> Response:
        return await run(desk, _submission(document), wait, worker_answer)

    @app.post("/verify", summary="Verify one claim (004); a job_id is made if none is given", response_model=None)
    async def news_verify(desk: TheDesk, document: Annotated[Answer, Body()], wait: Wait = None) -> Response:
        document.setdefault("job_id", f"http-{uuid.uuid4()}")
        return await run(desk, _submission(document), wait, news_answer)

    @app.get("/jobs/{job_id}", summary="Where a job stands")
    async def job(desk: TheDesk, job_id: Annotated[JobId, Path()]) -> Answer:
        record = await desk.ledger.job(job_id)
        if record is None:
            raise Problem(404, "No such job", f"no job {job_id!r} was submitted here")
        latest = desk.hub.last_event(job_id)
        answer: Answer = {
            "job_id": job_id,
            "state": record.state,
            "attempt": record.attempt,
            "opened_at": record.opened_at.isoformat(),
            "stage": latest.stage if latest else None,
            "loop": latest.loop if latest else None,
        }
        outcome = await desk.ledger.outcome(job_id)
        if outcome is not None and record.state is not JobState.OPEN:
            answer["result"] = worker_answer(outcome)
        return answer

    @app.get("/jobs/{job_id}/events", summary="A job's steps as server-sent events", response_model=None)
    async def events(desk: TheDesk, job_id: Annotated[JobId, Path()]) -> StreamingResponse:
        record = await desk.ledger.job(job_id)
        if record is None:
            raise Problem(404, "No such job", f"no job {job_id!r} was submitted here")
        done = record.state is not JobState.OPEN and desk.hub.last_event(job_id) is None
        return StreamingResponse(
            _sse(desk, job_id, done=done), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
        )


async def _sse(desk: Desk, job_id: str, *, done: bool) -> AsyncIterator[str]:
    """Each progress event, named after what happened; a job that ended before we listened is one `closed` event."""
    if not done:
        async for event in desk.hub.events(job_id):
            yield f"id: {event.id}\nevent: {event.event}\ndata: {event.model_dump_json()}\n\n"
    yield f'event: closed\ndata: {{"job_id": "{job_id}"}}\n\n'


def _system_routes(app: FastAPI) -> None:
    @app.get("/", include_in_schema=False)
    async def root() -> RedirectResponse:
        return RedirectResponse("/docs")

    @app.get("/health", summary="The process answers")
    async def health() -> Answer:
        return {"status": "ok"}

    @app.get("/ready", summary="The gateway can take and answer claims", response_model=None)
    async def ready(desk: TheDesk) -> Response:
        reasons = [] if desk.hub.connected else ["the broker is not connected"]
        try:
            await desk.ledger.open_load()
        except StoreError as error:
            reasons.append(str(error))
        return JSONResponse({"ready": not reasons, "reasons": reasons}, status_code=503 if reasons else 200)

    @app.get("/status", summary="What this system is made of, and how much is open")
    async def status(desk: TheDesk) -> Answer:
        load = await desk.ledger.open_load()
        settings = desk.settings
        answer: Answer = {
            "version": VERSION,
            "mode": "embedded" if settings.embedded else "full",
            "open_jobs": load.jobs,
            "open_bytes": load.bytes,
            "broker_connected": desk.hub.connected,
        }
        if settings.embedded:
            # So that `veristream submit`, `watch` and `dead-letters` on this machine find the running system.
            answer |= {"broker": settings.broker, "data_dir": str(settings.data_dir)}
        return answer

    @app.get("/metrics", include_in_schema=False)
    async def show_metrics(desk: TheDesk) -> Response:
        text = generate_latest(metrics.GATEWAY)
        return Response(text + await _worker_metrics(desk), media_type=CONTENT_TYPE_LATEST)


async def _worker_metrics(desk: Desk) -> bytes:
    """Embedded, one page shows both processes; elsewhere Prometheus asks each of them."""
    url = desk.settings.worker_metrics_url
    if url is None:
        return b""
    try:
        async with httpx.AsyncClient(timeout=2.0) as client:
            return (await client.get(url)).content
    except httpx.HTTPError:
        return b"# the worker does not answer\n"
