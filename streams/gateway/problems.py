"""Errors as problem documents (RFC 9457): one type, one title, one sentence that says what to do."""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

MEDIA_TYPE = "application/problem+json"


class Problem(Exception):  # noqa: N818 - the RFC's word
    """Raise it anywhere in a request."""

    def __init__(self, status: int, title: str, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status = status
        self.title = title
        self.detail = detail
        self.headers = headers


def response(status: int, title: str, detail: str, headers: dict[str, str] | None = None, **more: Any) -> JSONResponse:
    """A problem document."""
    body = {"type": "about:blank", "title": title, "status": status, "detail": detail, **more}
    return JSONResponse(body, status_code=status, media_type=MEDIA_TYPE, headers=headers)


def install(app: FastAPI) -> None:
    """Make every error of the app a problem document."""

    @app.exception_handler(Problem)
    async def problem(_: Request, error: Problem) -> JSONResponse:
        return response(error.status, error.title, error.detail, error.headers)

    @app.exception_handler(HTTPException)
    async def http(_: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return response(error.status_code, "Request refused", str(error.detail), headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        fields = [
            {
                "field": ".".join(str(part) for part in problem["loc"] if part != "body") or "body",
                "message": problem["msg"],
            }
            for problem in error.errors()
        ]
        detail = "; ".join(f"{field['field']}: {field['message']}" for field in fields)
        return response(422, "The request is not valid", detail, errors=fields)
