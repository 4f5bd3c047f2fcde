"""What the HTTP providers share: one bounded GET for JSON, failures in our words, dates as engines write them."""

import asyncio
import json
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from agents.evidence.http import retry_after_seconds
from agents.evidence.search.values import SearchFailed

# Twenty results with long snippets are some 50 KB; forty times that is not an answer to our question.
MAX_ANSWER_BYTES = 2_000_000
# What engines accept: longer queries add common words only.
MAX_QUERY_CHARS = 400
USER_AGENT = "Veristream/0.1 (automated fact checking)"

Params = dict[str, str | int]
Now = Callable[[], datetime]
Item = TypeVar("Item", bound=BaseModel)


def utc_now() -> datetime:
    """The default clock of the providers."""
    return datetime.now(UTC)


def checked_query(query: str, limit: int) -> str:
    """The query as it may be sent; blank ones and limits below 1 are the caller's mistake."""
    if limit < 1 or not query.strip():
        raise ValueError(f"a search needs a query and a limit of at least 1, got {query!r} and {limit}")
    return " ".join(query.split())[:MAX_QUERY_CHARS]


async def get_json(
    client: httpx.AsyncClient,
    url: str,
    params: Params,
    *,
    headers: Mapping[str, str] | None = None,
    timeout_s: float,
    now: Now = utc_now,
) -> dict[str, Any]:
    """The JSON object behind `url`, or SearchFailed."""
    try:
        async with asyncio.timeout(timeout_s):
            body = await _read(client, url, params, headers or {}, now)
    except (TimeoutError, httpx.TimeoutException) as error:
        raise SearchFailed("timeout", f"no answer within {timeout_s:g} s") from error
    except httpx.HTTPError as error:
        raise SearchFailed("unavailable", f"{type(error).__name__}: {error}") from error
    try:
        answer = json.loads(body)
    except ValueError as error:
        raise SearchFailed("bad_answer", "the answer is not JSON") from error
    if not isinstance(answer, dict):
        raise SearchFailed("bad_answer", "the answer is not a JSON object")
    return answer


async def _read(client: httpx.AsyncClient, url: str, params: Params, headers: Mapping[str, str], now: Now) -> bytes:
    sent = {"User-Agent": USER_AGENT, "Accept": "application/json"} | dict(headers)
    async with client.stream("GET", url, params=params, headers=sent, follow_redirects=False) as response:
        check_status(response, now())
        body = bytearray()
        async for piece in response.aiter_bytes(65_536):
            body += piece
            if len(body) > MAX_ANSWER_BYTES:
                raise SearchFailed("bad_answer", f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
        return bytes(body)


def check_status(response: httpx.Response, now: datetime) -> None:
    """SearchFailed for everything but 200."""
    status = response.status_code
    if status == httpx.codes.OK:
        return
    message = f"status {status}"
    if status in {httpx.codes.TOO_MANY_REQUESTS, httpx.codes.SERVICE_UNAVAILABLE}:
        wait = retry_after_seconds(response.headers.get("retry-after"), now)
        raise SearchFailed("rate_limited" if status == 429 else "unavailable", message, retry_after=wait)
    if status in {httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN}:
        raise SearchFailed("unauthorized", f"{message}: check the key and what it may do")
    raise SearchFailed("unavailable" if status >= 500 else "refused", message)


def items_of(answer: Mapping[str, Any], key: str, model: type[Item], *, required: bool = True) -> list[Item]:
    """The entries of a list in the answer; those that cannot be read are left out, no list at all is a failure."""
    entries = answer.get(key, None if required else [])
    if not isinstance(entries, list):
        raise SearchFailed("bad_answer", f"the answer has no list of {key}")
    found = []
    for entry in entries:
        try:
            found.append(model.model_validate(entry))
        except ValidationError:  # one bad entry must not cost the others
            continue
    return found


def date_of(text: str | None) -> date | None:
    """The day in an ISO or mail date; None for everything else ("3 days ago", nothing)."""
    if not text:
        return None
    try:
        return date.fromisoformat(text.strip()[:10])
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(text).date()
    except ValueError:
        return None
