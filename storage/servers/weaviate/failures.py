"""Translates what the Weaviate client reports into the stores' own errors, one clear line each."""

from collections.abc import Iterator

import httpx
from weaviate.exceptions import (
    AuthenticationFailedError,
    InsufficientPermissionsError,
    UnexpectedStatusCodeError,
    WeaviateBaseError,
    WeaviateClosedClientError,
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateRetryError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
    WeaviateUnsupportedFeatureError,
)

from storage.errors import StoreError, StoreFull, StoreMismatch, StoreUnavailable
from storage.servers.config import WeaviateServer

REPORTED = (WeaviateBaseError, httpx.HTTPError, OSError)
"""Everything that the client lets through."""

DOWN = (
    WeaviateClosedClientError,
    WeaviateConnectionError,
    WeaviateGRPCUnavailableError,
    WeaviateRetryError,
    WeaviateStartUpError,
    WeaviateTimeoutError,
    httpx.HTTPError,
    OSError,
)
DOWN_CODES = {"UNAVAILABLE", "DEADLINE_EXCEEDED", "CANCELLED", "ABORTED", "RESOURCE_EXHAUSTED"}
FORBIDDEN = (AuthenticationFailedError, InsufficientPermissionsError)
UNAUTHORIZED, FORBIDDEN_STATUS, NOT_FOUND, UNPROCESSABLE, TOO_MANY, SERVER_FAULT = 401, 403, 404, 422, 429, 500
GONE = "could not find class"
"""What every gRPC call says about a collection that does not exist."""
LOADING = "non-existing index"
"""What a server that has just started says of a collection it knows and has not opened yet."""
BUSY = ("leader not found", "shutdown", "shutting down", "not ready", "memory pressure", "context deadline", LOADING)
READ_ONLY = ("read-only", "readonly", "no space left")


def translated(error: Exception, server: WeaviateServer) -> StoreError:
    """The StoreError that says what happened at `server` and what to do."""
    where = f"Weaviate at {server.url}"
    said = str(error).lower()
    if _is_forbidden(error, said):
        return StoreMismatch(f"{where} refuses the API key; set VERISTREAM_WEAVIATE_API_KEY right")
    if isinstance(error, WeaviateUnsupportedFeatureError) or "is not supported" in said:
        return StoreMismatch(f"{where} is too old: {_line(error)}")
    if any(words in said for words in READ_ONLY):
        return StoreFull(f"{where} has no room left and accepts no writes; free some disk space, then try again")
    if _is_down(error, said):
        return StoreUnavailable(f"{where} cannot be reached ({_line(error)}); check that it runs")
    return StoreError(f"{where}: {_line(error)}")


def is_gone(error: BaseException) -> bool:
    """Whether the collection asked for does not exist (any more)."""
    return GONE in str(error) or status_of(error) == NOT_FOUND


def status_of(error: BaseException) -> int | None:
    """The HTTP status that an error reports, if it does."""
    return error.status_code if isinstance(error, UnexpectedStatusCodeError) else None


def _is_forbidden(error: Exception, said: str) -> bool:
    return (
        isinstance(error, FORBIDDEN)
        or status_of(error) in {UNAUTHORIZED, FORBIDDEN_STATUS}
        or "UNAUTHENTICATED" in _codes(error)
        or "unauthorized" in said
    )


def _is_down(error: Exception, said: str) -> bool:
    status = status_of(error) or 0
    return (
        isinstance(error, DOWN)
        or status == TOO_MANY
        or status >= SERVER_FAULT
        or bool(DOWN_CODES & set(_codes(error)))
        or any(words in said for words in BUSY)
    )


def _codes(error: BaseException | None) -> Iterator[str]:
    """The gRPC status codes behind an error: the client keeps only their text in its own."""
    while error is not None:
        code = getattr(error, "code", None)
        if callable(code):
            yield str(getattr(code(), "name", ""))
        error = error.__cause__ or error.__context__


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:200] or type(error).__name__
