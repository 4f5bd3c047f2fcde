"""What a request's body must be, and how it is refused when it is not."""

import json
from typing import Any

from fastapi import Request
from pydantic import ValidationError

from agents.claims.submission import SUBMISSION_MAX_BYTES, Submission
from streams.gateway.problems import Problem
from streams.wire import describe


async def document(request: Request) -> dict[str, Any]:
    """The JSON object of a request, read within the limit whatever its headers say."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > SUBMISSION_MAX_BYTES:
            raise Problem(413, "The body is too large", f"the body may have at most {SUBMISSION_MAX_BYTES} bytes")
    try:
        value = json.loads(bytes(body))
    except (ValueError, RecursionError):
        raise Problem(422, "The submission is not valid", "the body is not JSON") from None
    if not isinstance(value, dict):
        raise Problem(422, "The submission is not valid", "the body must be a JSON object")
    return value


async def gone(request: Request) -> None:
    """Returns when the client hangs up; its body must have been read."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


def submission(value: dict[str, Any]) -> Submission:
    """The submission that a document stands for; a 422 names each wrong field."""
    try:
        return Submission.model_validate_json(json.dumps(value))
    except ValidationError as error:
        fields = [
            {"field": ".".join(str(part) for part in problem["loc"]) or "body", "message": problem["msg"]}
            for problem in error.errors(include_url=False)
        ]
        raise Problem(422, "The submission is not valid", describe(error), errors=fields) from None


EXAMPLE = {"job_id": "story-4711", "claim": "Kelderwick General Hospital has 312 beds.", "room_id": "newsroom"}


def body_schema(*, with_id: bool) -> dict[str, Any]:
    """The body for the OpenAPI document, which cannot see it: it is read by hand, bounded and strict."""
    schema, example = Submission.model_json_schema(), dict(EXAMPLE)
    if not with_id:
        schema["required"] = [name for name in schema["required"] if name != "job_id"]
        del example["job_id"]
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}}
