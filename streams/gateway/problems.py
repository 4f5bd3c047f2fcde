"""Errors as problem documents (RFC 9457): one type, one title, one sentence that says what to do."""

from typing import Any

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from storage.errors import StoreError, StoreRefused
from streams.gateway.answers import PROBLEM

log = structlog.get_logger("veristream.gateway")

CLIENT_GONE = 499
"""nginx's number for a client that hung up in the middle of its request."""


class Problem(Exception):  # noqa: N818 - the RFC's word
    """Raise it anywhere in a request; `more` are further members of the document."""

    def __init__(
        self, status: int, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers
        self.more = more

    def response(self) -> JSONResponse:
        body = {"type": "about:blank", "title": self.title, "status": self.status, "detail": self.detail, **self.more}
        return JSONResponse(body, status_code=self.status, media_type=PROBLEM, headers=self.headers)


def install(app: FastAPI) -> None:
    """Make every error of the app a problem document."""

    @app.exception_handler(Problem)
    async def problem(_: Request, error: Problem) -> JSONResponse:
        return error.response()

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return Problem(error.status_code, "Request refused", str(error.detail), headers).response()

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        fields = [
            {"field": ".".join(str(part) for part in problem["loc"][1:]) or "body", "message": problem["msg"]}
            for problem in error.errors()
        ]
        detail = "; ".join(f"{field['field']}: {field['message']}" for field in fields)
        return Problem(422, "The request is not valid", detail, errors=fields).response()

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, __: ClientDisconnect) -> Response:
        return Response(status_code=CLIENT_GONE)  # for the count; nobody reads it

    @app.exception_handler(StoreError)
    async def store(_: Request, error: StoreError) -> JSONResponse:
        if isinstance(error, StoreRefused):
            return Problem(422, "The request is not valid", str(error)).response()
        # Where the store is and what it said is for the operator's eyes.
        log.error("a store could not answer a request", detail=str(error))
        return Problem(503, "A store is down", "the stores do not answer; try again", {"Retry-After": "5"}).response()

    @app.exception_handler(Exception)
    async def unexpected(_: Request, error: Exception) -> JSONResponse:
        log.error("a request broke the gateway", exc_info=error)
        return Problem(500, "Something broke", "this is a fault of the gateway; its log says more").response()
