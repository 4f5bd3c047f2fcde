"""The routes about jobs: submit one, ask after it, list those of a room."""

import asyncio
import uuid
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse, Response

from agents.claims.package import VerdictPackage
from agents.claims.package.claimreview import Publisher, claim_review
from agents.claims.submission import AnyJobId, JobId, ShortText, Submission
from storage.ports import JobRecord, JobState, Outcome, parent_of
from streams.gateway.access import Reader, Submitter
from streams.gateway.answers import Accepted, Failed, Job, Jobs, NewsVerdict, WorkerVerdict, problems
from streams.gateway.desk import Desk, news_answer, package, worker_answer
from streams.gateway.problems import Problem
from streams.gateway.requests import EXAMPLE, body_schema, document, gone, submission

router = APIRouter(tags=["claims"])


def desk_of(request: Request) -> Desk:
    """The desk that the app's lifespan opened."""
    desk: Desk = request.app.state.desk
    return desk


LD_JSON = "application/ld+json"
CLAIM_REVIEW: dict[str, Any] = {LD_JSON: {"schema": {"type": "object", "required": ["@context", "@type"]}}}


def _answers(model: Any, description: str) -> dict[str, Any]:
    """An answer that is a ClaimReview to who asks for one."""
    return {"model": model, "description": description, "content": CLAIM_REVIEW}


TheDesk = Annotated[Desk, Depends(desk_of)]
TheJob = Annotated[
    AnyJobId,
    Path(description="The id that the job was submitted under, or a sub-job's.", examples=[EXAMPLE["job_id"]]),
]
Wait = Annotated[float | None, Query(ge=0, le=600, description="Seconds to wait for the verdict before answering 202.")]

SUBMITTING = problems(401, 403, 409, 413, 422, 429, 503) | {202: {"model": Accepted, "description": "The job goes on"}}


@router.post(
    "/worker/verify",
    summary="Verify one claim",
    response_model=None,
    responses={**SUBMITTING, 200: _answers(WorkerVerdict | Failed, "The verdict package, or why there is none")},
    openapi_extra=body_schema(with_id=True),
)
async def worker_verify(request: Request, desk: TheDesk, _: Submitter, wait: Wait = None) -> Response:
    """Answers the verdict package, or 202 with the job's address when the wait is over first."""
    return await _verify(request, desk, submission(await document(request)), wait, worker_answer)


@router.post(
    "/verify",
    summary="Verify one claim, in a newsroom's words",
    response_model=None,
    responses={**SUBMITTING, 200: _answers(NewsVerdict | Failed, "The verdict, or why there is none")},
    openapi_extra=body_schema(with_id=False),
)
async def news_verify(request: Request, desk: TheDesk, _: Submitter, wait: Wait = None) -> Response:
    """Answers label, reasoning, citations and sub-results; makes a job_id if none is given."""
    value = await document(request)
    value.setdefault("job_id", f"http-{uuid.uuid4()}")
    return await _verify(request, desk, submission(value), wait, news_answer)


async def _verify(
    request: Request, desk: Desk, wanted: Submission, wait: float | None, view: Callable[[Outcome], dict[str, Any]]
) -> Response:
    seconds = desk.settings.gateway_wait_seconds if wait is None else wait
    outcome = await desk.verify(wanted, seconds, partial(gone, request))
    if outcome is not None and wants_claim_review(request) and outcome.state is JobState.COMPLETED:
        return _claim_review(desk, outcome)
    if outcome is not None:
        return JSONResponse(view(outcome))
    address = f"/jobs/{wanted.job_id}"
    body = {"job_id": wanted.job_id, "status": "open", "job": address, "events": f"{address}/events"}
    return JSONResponse(body, status_code=202, headers={"Location": address, "Retry-After": "1"})


@router.get(
    "/jobs",
    summary="Jobs of a room, newest first",
    response_model=None,
    responses={**problems(401, 403, 422, 429, 503), 200: {"model": Jobs, "description": "A page of them"}},
)
async def jobs(
    desk: TheDesk,
    _: Reader,
    room_id: Annotated[ShortText | None, Query(description="Only jobs of this room.")] = None,
    state: Annotated[JobState | None, Query(description="Only jobs in this state.")] = None,
    limit: Annotated[int, Query(ge=1, le=200, description="Jobs on a page.")] = 50,
    after: Annotated[JobId | None, Query(description="The last job_id of the page before.")] = None,
) -> dict[str, Any]:
    """What a moderation bot asks: what was said in this room, and what came of it."""
    # One more than asked for tells whether there is a next page.
    records = await desk.ledger.jobs(room_id=room_id, state=state, limit=limit + 1, after=after)
    page = records[:limit]
    asked = {"room_id": room_id, "state": state, "limit": limit, "after": page[-1].job_id if page else None}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return {
        "jobs": await asyncio.gather(*(_line(desk, record) for record in page)),
        "next": f"/jobs?{query}" if len(records) > limit else None,
    }


async def _line(desk: Desk, record: JobRecord) -> dict[str, Any]:
    line: dict[str, Any] = {
        "job_id": record.job_id,
        "state": record.state,
        "room_id": record.room_id or None,
        "opened_at": record.opened_at.isoformat(),
    }
    outcome = await desk.ledger.outcome(record.job_id) if record.state is JobState.COMPLETED else None
    if outcome is not None:
        document = package(outcome)
        line |= {name: document[name] for name in ("claim", "verdict", "label", "verdict_confidence")}
    return line


@router.get(
    "/jobs/{job_id}",
    summary="Where a job stands",
    response_model=None,
    responses={**problems(401, 403, 404, 422, 429, 503), 200: _answers(Job, "The job")},
)
async def job(request: Request, desk: TheDesk, _: Reader, job_id: TheJob) -> dict[str, Any] | Response:
    """State, stage and loop; the result once there is one, as ClaimReview if that is asked for."""
    record = await record_of(desk, job_id)
    latest = desk.hub.last_event(job_id)
    answer: dict[str, Any] = {
        "job_id": job_id,
        "state": record.state,
        "attempt": record.attempt,
        "opened_at": record.opened_at.isoformat(),
        "stage": latest.stage if latest else None,
        "loop": latest.loop if latest else None,
    }
    answer |= await _family(desk, job_id)
    outcome = await desk.ledger.outcome(job_id)
    if outcome is not None and record.state is not JobState.OPEN:
        if wants_claim_review(request) and outcome.state is JobState.COMPLETED:
            return _claim_review(desk, outcome)
        answer["result"] = worker_answer(outcome)
    return answer


async def _family(desk: Desk, job_id: str) -> dict[str, Any]:
    """A decomposed job with its sub-jobs, a sub-job with its parent; nothing for any other."""
    parent_id = parent_of(job_id)
    if parent_id is not None:
        return {"parent_job_id": parent_id}
    registered = await desk.ledger.parent(job_id)
    if registered is None:
        return {}
    records = [await desk.ledger.job(child) for child in registered.children]
    shown = [{"job_id": one.job_id, "state": one.state} for one in records if one is not None]
    return {"sub_jobs": shown, "sub_jobs_until": registered.deadline.isoformat()}


def wants_claim_review(request: Request) -> bool:
    """Whether the client asks for JSON-LD."""
    return LD_JSON in request.headers.get("accept", "")


def _claim_review(desk: Desk, outcome: Outcome) -> JSONResponse:
    publisher = Publisher(desk.settings.publisher_name, desk.settings.publisher_url or "")
    made = VerdictPackage.model_validate_json(outcome.payload)
    return JSONResponse(claim_review(made, publisher), media_type=LD_JSON)


async def record_of(desk: Desk, job_id: str) -> JobRecord:
    """The job, or a 404."""
    record = await desk.ledger.job(job_id)
    if record is None:
        raise Problem(404, "No such job", f"no job {job_id!r} was submitted here")
    return record
