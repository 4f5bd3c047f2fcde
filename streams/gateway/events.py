"""A job's steps as server-sent events: bounded, with a heartbeat, and resumed where a client left off."""

from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Header
from fastapi.responses import Response, StreamingResponse

from storage.ports import JobRecord, JobState
from streams.gateway.access import Reader
from streams.gateway.answers import problems
from streams.gateway.desk import Desk
from streams.gateway.hub import TooManyStreams
from streams.gateway.jobs import TheDesk, TheJob, record_of
from streams.gateway.problems import Problem

router = APIRouter(tags=["claims"])

EVENT_STREAM = "text/event-stream"
HEARTBEAT = ": nothing new\n\n"
"""A comment, which clients ignore: proxies see life, and a connection whose client is gone breaks."""

EVENT: dict[str, Any] = {
    "type": "object",
    "properties": {name: {"type": "string"} for name in ("id", "event", "data")},
    "required": ["id", "event", "data"],
    "description": "`data` is a ProgressEvent as JSON; the last event is `closed`.",
}
LastEvent = Annotated[
    str | None, Header(alias="Last-Event-ID", max_length=512, description="Resume after the event with this id.")
]


@router.get(
    "/jobs/{job_id}/events",
    summary="A job's steps as server-sent events",
    response_class=StreamingResponse,
    responses={
        **problems(401, 403, 404, 422, 429, 503),
        200: {"description": "The events", "content": {EVENT_STREAM: {"schema": EVENT}}},
        204: {"description": "Last-Event-ID was the last one: a browser stops asking"},
    },
)
async def events(desk: TheDesk, _: Reader, job_id: TheJob, last_event_id: LastEvent = None) -> Response:
    """Every progress event as it comes, then one `closed` event. A stream that ends without it should be resumed."""
    record = await record_of(desk, job_id)
    if last_event_id == _closed_id(record) and record.state is not JobState.OPEN:
        return Response(status_code=204)
    if desk.hub.is_full:
        detail = f"this gateway keeps {desk.settings.gateway_streams} event streams; try again, or ask /jobs/{job_id}"
        raise Problem(429, "Too many event streams", detail, {"Retry-After": "5"})
    return StreamingResponse(
        _server_sent(desk, record, last_event_id),
        media_type=EVENT_STREAM,
        # Buffering proxies (nginx) would hold events back until they had a page of them.
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _closed_id(record: JobRecord) -> str:
    return f"{record.job_id}/{record.attempt}/closed"


async def _server_sent(desk: Desk, record: JobRecord, after: str | None) -> AsyncIterator[str]:
    try:
        with desk.hub.listening(record.job_id, after) as listener:
            async for event in desk.follow(record, listener):
                if event is None:
                    yield HEARTBEAT
                else:
                    yield f"id: {event.id}\nevent: {event.event}\ndata: {event.model_dump_json()}\n\n"
            if listener.is_behind:
                return  # it missed some: without `closed` its client asks again, from the last one it has
    except TooManyStreams:
        return
    yield f'id: {_closed_id(record)}\nevent: closed\ndata: {{"job_id": "{record.job_id}"}}\n\n'
