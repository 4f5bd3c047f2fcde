"""One GET with every bound that a request to somebody else's server needs, and its failures in our words."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from urllib.parse import urljoin

import httpx

from agents.errors import DependencyDown, Transient
from agents.evidence.ports import FetchedPage, PageUnavailable

HTML_TYPES = ("text/html", "application/xhtml+xml", "text/plain")


@dataclass(frozen=True, slots=True)
class FetchPolicy:
    """What one request may take and bring."""

    max_bytes: int = 5_000_000
    max_redirects: int = 5
    # A page that has not moved for this long will rarely come at all.
    idle_timeout_s: float = 10.0
    # All redirects and the whole body together, so that a server which drips bytes cannot hold a job.
    deadline_s: float = 30.0


class BoundedHttp:
    """Sends GET requests for one service; `service` is the name that DependencyDown reports."""

    def __init__(
        self,
        client: httpx.AsyncClient,
        service: str,
        policy: FetchPolicy | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._client = client
        self._service = service
        self._policy = policy or FetchPolicy()
        self._now = now

    async def get(self, url: str, route: Callable[[str], str], content_types: tuple[str, ...]) -> FetchedPage:
        """Fetch `url`, following redirects. `route` says which address to ask for a url, or refuses it by raising."""
        with self._translated(url):
            async with asyncio.timeout(self._policy.deadline_s):
                return await self._follow(url, route, content_types)

    async def _follow(self, url: str, route: Callable[[str], str], content_types: tuple[str, ...]) -> FetchedPage:
        current = url
        for _ in range(self._policy.max_redirects + 1):
            # No compression: a small body that inflates to gigabytes could not be counted while it arrives.
            headers = {"Accept": ", ".join(content_types), "Accept-Encoding": "identity"}
            async with self._client.stream(
                "GET", route(current), headers=headers, timeout=self._policy.idle_timeout_s, follow_redirects=False
            ) as response:
                if not response.has_redirect_location:
                    self._check_status(url, response)
                    content_type = _check_content_type(url, response, content_types)
                    body = await self._read(url, response)
                    return FetchedPage(url, current, content_type, response.charset_encoding, body)
                current = urljoin(current, response.headers["location"])
        message = f"more than {self._policy.max_redirects} redirects"
        raise PageUnavailable("too_many_redirects", url, message)

    async def _read(self, url: str, response: httpx.Response) -> bytes:
        limit = self._policy.max_bytes
        too_large = PageUnavailable("too_large", url, f"larger than {limit} bytes")
        if int(response.headers.get("content-length", 0)) > limit:
            raise too_large
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > limit:
                raise too_large
        return bytes(body)

    def _check_status(self, url: str, response: httpx.Response) -> None:
        status = response.status_code
        if status == httpx.codes.OK:
            return
        if status in {httpx.codes.NOT_FOUND, httpx.codes.GONE}:
            raise PageUnavailable("not_found", url, f"there is no such page (status {status})")
        if status in {httpx.codes.REQUEST_TIMEOUT, httpx.codes.TOO_MANY_REQUESTS} or status >= 500:
            wait = retry_after_seconds(response.headers.get("retry-after"), self._now())
            raise Transient(f"{url}: {self._service} answered with status {status}", retry_after=wait)
        raise PageUnavailable("bad_status", url, f"the server answered with status {status}")

    @contextmanager
    def _translated(self, url: str) -> Iterator[None]:
        try:
            yield
        except httpx.ConnectError as error:
            raise DependencyDown(self._service, f"cannot connect ({error})") from error
        except (TimeoutError, httpx.TimeoutException) as error:
            raise Transient(f"{url}: {self._service} did not answer in time") from error
        except httpx.TransportError as error:
            raise Transient(f"{url}: {type(error).__name__}: {error}") from error
        except (httpx.InvalidURL, ValueError) as error:
            raise PageUnavailable("refused", url, f"not a usable address or answer: {error}") from error


def open_client() -> httpx.AsyncClient:
    """A client that ignores proxies of the environment: what we fetch is decided by settings alone."""
    return httpx.AsyncClient(trust_env=False, follow_redirects=False)


def retry_after_seconds(value: str | None, now: datetime) -> float | None:
    """A Retry-After header in seconds from `now`; None if there is none or it cannot be understood."""
    if value is None:
        return None
    if value.strip().isascii() and value.strip().isdigit():
        return float(value)
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0.0, (moment - now).total_seconds())


def _check_content_type(url: str, response: httpx.Response, allowed: tuple[str, ...]) -> str:
    content_type: str = response.headers.get("content-type", "").split(";")[0].strip().lower()
    if content_type not in allowed:
        found = content_type or "no content type"
        raise PageUnavailable("content_type", url, f"{found} cannot be read here, only {', '.join(allowed)}")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise PageUnavailable("content_type", url, "compressed although we asked for plain bytes")
    return content_type
