"""One GET to one checked destination: the head within its limits, then the body piece by piece within its own.

No redirect is followed here, no cookie kept, no connection used twice.
"""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass

import httpcore
import httpx

from agents.evidence.web.dialling import Dialler, Meter, PinnedBackend, WireLimit
from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import WebPolicy
from agents.evidence.web.resolver import Resolver, checked_addresses
from agents.evidence.web.targets import Target
from agents.evidence.web.unpacking import BoundedBody

# What httpcore may have read of the body when the head ends: its own buffer.
_READ_AHEAD = 65_536


@dataclass(frozen=True, slots=True)
class Answer:
    """The head of an answer, with what reads its body."""

    status: int
    headers: Mapping[str, str]
    pieces: AsyncIterator[bytes]


class Exchange:
    """Sends the requests of one fetcher."""

    def __init__(
        self,
        policy: WebPolicy,
        resolver: Resolver,
        dialler: Dialler,
        ssl_context: ssl.SSLContext,
        clock: Callable[[], float],
    ) -> None:
        self._policy = policy
        self._resolver = resolver
        self._dialler = dialler
        self._ssl_context = ssl_context
        self._clock = clock

    @asynccontextmanager
    async def get(self, target: Target, accept: tuple[str, ...]) -> AsyncIterator[Answer]:
        """The answer to one GET; the connection is closed at the end of the block, read or not."""
        addresses = await checked_addresses(target, self._resolver, self._policy)
        sizes = self._policy.sizes
        # Framing (chunk sizes, trailers) may at most double the body; more than that is an attack on the parser.
        meter = Meter(sizes.headers + _READ_AHEAD, sizes.headers + _READ_AHEAD + 2 * sizes.body)
        origin = httpcore.Origin(target.origin.scheme.encode(), target.origin.host.encode(), target.origin.port)
        connection = httpcore.AsyncHTTPConnection(
            origin, ssl_context=self._ssl_context, network_backend=PinnedBackend(addresses, self._dialler, meter)
        )
        try:
            with _translated(target.url):
                response = await self._head(connection, self._request(target, accept))
                meter.in_head = False
                yield Answer(response.status, self._headers(response, target.url), response.aiter_stream())
        finally:
            await connection.aclose()

    async def read(self, answer: Answer, url: str, limit: int | None = None) -> bytes:
        """The body. With `limit`, what lies behind it is cut off instead of refused."""
        times = self._policy.times
        body = BoundedBody(answer.headers.get("content-encoding", "").strip().lower(), url, self._policy.sizes)
        self._check_announced(answer, url, limit)
        begun = self._clock()
        async for piece in answer.pieces:
            body.feed(piece)
            if limit is not None and body.size >= limit:
                return body.so_far()[:limit]
            elapsed = self._clock() - begun
            if elapsed > times.drip_grace and body.received < elapsed * times.drip_rate:
                rate = body.received / elapsed
                raise FetchFailed("slow_drip", url, f"comes at {rate:.0f} bytes a second, less than can be waited for")
        return body.finish()

    def _request(self, target: Target, accept: tuple[str, ...]) -> httpcore.Request:
        times = self._policy.times
        headers: list[tuple[bytes | str, bytes | str]] = [
            ("Host", target.host_header),
            ("User-Agent", self._policy.manners.user_agent),
            ("Accept", ", ".join(accept)),
            ("Accept-Encoding", "gzip"),
            ("Connection", "close"),
        ]
        timeouts = {"connect": times.connect, "read": times.idle, "write": times.idle, "pool": times.connect}
        url = httpcore.URL(
            scheme=target.origin.scheme.encode(),
            host=target.origin.host.encode(),
            port=target.origin.port,
            target=target.path.encode(),
        )
        return httpcore.Request("GET", url, headers=headers, extensions={"timeout": timeouts})

    async def _head(self, connection: httpcore.AsyncHTTPConnection, request: httpcore.Request) -> httpcore.Response:
        """The answer's head. Its bytes may drip for no longer than the first byte of a good answer takes."""
        limit = self._policy.times.first_byte
        try:
            async with asyncio.timeout(limit):
                return await connection.handle_async_request(request)
        except TimeoutError as error:
            url = request.url
            shown = f"{url.scheme.decode()}://{url.host.decode()}{url.target.decode()}"
            raise FetchFailed("first_byte_timeout", shown, f"no complete answer head within {limit:g} s") from error

    def _headers(self, response: httpcore.Response, url: str) -> dict[str, str]:
        limit = self._policy.sizes.headers
        if sum(len(name) + len(value) + 4 for name, value in response.headers) > limit:
            raise FetchFailed("headers_too_large", url, f"the answer's head is larger than {limit} bytes")
        found: dict[str, str] = {}
        for raw_name, value in response.headers:
            name = raw_name.decode("latin-1").lower()
            text = value.decode("latin-1")
            # Two different answers to one question are a smuggling attempt or a broken server.
            if name in {"location", "content-type", "content-length"} and found.get(name, text) != text:
                raise FetchFailed("protocol", url, f"the answer has two different {name} headers")
            found[name] = f"{found[name]}, {text}" if name == "content-encoding" and name in found else text
        return found

    def _check_announced(self, answer: Answer, url: str, limit: int | None) -> None:
        announced = answer.headers.get("content-length", "")
        largest = self._policy.sizes.body
        if limit is None and announced.isascii() and announced.isdigit() and int(announced[:20]) > largest:
            raise FetchFailed("too_large", url, f"larger than {largest} bytes")


@contextmanager
def _translated(url: str) -> Iterator[None]:
    """httpcore's exceptions in our words."""
    try:
        yield
    except httpcore.ConnectError as error:
        if isinstance(error.__cause__, ssl.SSLError) or isinstance(error.__context__, ssl.SSLError):
            raise FetchFailed("tls", url, f"the certificate or the encryption is not valid ({error})") from error
        raise FetchFailed("connect", url, f"cannot connect ({error})") from error
    except httpcore.ConnectTimeout as error:
        raise FetchFailed("connect", url, "cannot connect in time") from error
    except httpcore.TimeoutException as error:
        raise FetchFailed("idle_timeout", url, "the server fell silent") from error
    except WireLimit as error:
        raise FetchFailed("headers_too_large", url, "the answer's head or framing is too large") from error
    except (httpcore.ProtocolError, httpcore.NetworkError, ssl.SSLError, ConnectionError) as error:
        # The parser's own bound on a head that does not end, where it lies below ours.
        if getattr(error.__cause__, "error_status_hint", None) == httpx.codes.REQUEST_HEADER_FIELDS_TOO_LARGE:
            raise FetchFailed("headers_too_large", url, "the answer's head does not end") from error
        raise FetchFailed("protocol", url, f"the answer is not proper HTTP ({error})") from error
