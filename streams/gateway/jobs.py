"""The routes about jobs: submit one, ask after it, follow it."""

import uuid
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response, StreamingResponse

from agents.claims.submission import JobId, Submission
from storage.ports import JobRecord, JobState, Outcome
from streams.gateway.desk import Desk, news_answer, worker_answer
from streams.gateway.problems import Problem
from streams.gateway.requests import OPENAPI_BODY, document, submission

router = APIRouter()


def desk_of(request: Request) -> Desk:
    """The desk that the app's lifespan opened."""
    desk: Desk = request.app.state.desk
    return desk


TheDesk = Annotated[Desk, Depends(desk_of)]
TheJob = Annotated[JobId, Path(description="The id that the job was submitted under.")]
Wait = Annotated[float | None, Query(ge=0, le=600, description="Seconds to wait for the verdict before answering 202.")]


@router.post("/worker/verify", summary="Verify one claim", response_model=None, openapi_extra=OPENAPI_BODY)
async def worker_verify(request: Request, desk: TheDesk, wait: Wait = None) -> Response:
    """Answers the verdict package, or 202 with the job's address when the wait is over first."""
    return await _verify(desk, submission(await document(request)), wait, worker_answer)


@router.post(
    "/verify", summary="Verify one claim, in a newsroom's words", response_model=None, openapi_extra=OPENAPI_BODY
)
async def news_verify(request: Request, desk: TheDesk, wait: Wait = None) -> Response:
    """Answers label, reasoning, citations and sub-results; makes a job_id if none is given."""
    value = await document(request)
    value.setdefault("job_id", f"http-{uuid.uuid4()}")
    return await _verify(desk, submission(value), wait, news_answer)


async def _verify(
    desk: Desk, wanted: Submission, wait: float | None, view: Callable[[Outcome], dict[str, Any]]
) -> Response:
    outcome = await desk.verify(wanted, desk.settings.gateway_wait_seconds if wait is None else wait)
    if outcome is not None:
        return JSONResponse(view(outcome))
    address = f"/jobs/{wanted.job_id}"
    body = {"job_id": wanted.job_id, "status": "open", "job": address, "events": f"{address}/events"}
    return JSONResponse(body, status_code=202, headers={"Location": address, "Retry-After": "1"})


@router.get("/jobs/{job_id}", summary="Where a job stands")
async def job(desk: TheDesk, job_id: TheJob) -> dict[str, Any]:
    """State, stage and loop; the result once there is one."""
    record = await _record(desk, job_id)
    latest = desk.hub.last_event(job_id)
    answer: dict[str, Any] = {
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


@router.get("/jobs/{job_id}/events", summary="A job's steps as server-sent events", response_class=StreamingResponse)
async def events(desk: TheDesk, job_id: TheJob) -> StreamingResponse:
    """Every progress event as it comes, then one `closed` event."""
    record = await _record(desk, job_id)
    over = record.state is not JobState.OPEN
    return StreamingResponse(
        _server_sent(desk, job_id, over=over), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _record(desk: Desk, job_id: str) -> JobRecord:
    record = await desk.ledger.job(job_id)
    if record is None:
        raise Problem(404, "No such job", f"no job {job_id!r} was submitted here")
    return record


async def _server_sent(desk: Desk, job_id: str, *, over: bool) -> AsyncIterator[str]:
    async for event in desk.follow(job_id, over=over):
        yield f"id: {event.id}\nevent: {event.event}\ndata: {event.model_dump_json()}\n\n"
    yield f'event: closed\ndata: {{"job_id": "{job_id}"}}\n\n'
