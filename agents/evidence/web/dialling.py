"""The network under one request: connects to checked addresses only, whatever the name says by then, and counts
what comes over the wire.
"""

import ssl
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import httpcore

from agents.evidence.web.targets import IpAddress


class WireLimit(Exception):  # noqa: N818 - reads as what happened
    """More bytes came than any acceptable answer has."""


class Dialler(Protocol):
    """Opens a TCP connection to an address (never to a name)."""

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
        """The open connection, or httpcore's ConnectError or ConnectTimeout."""
        ...


class TcpDialler:
    """The real network."""

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
        """Connect."""
        return await httpcore.AnyIOBackend().connect_tcp(address, port, timeout=timeout_s)


class Meter:
    """Bytes of one exchange: `head` bounds what may come before the answer's head is complete, `total` everything."""

    def __init__(self, head: int, total: int) -> None:
        self._head = head
        self._total = total
        self._seen = 0
        self.in_head = True

    def count(self, size: int) -> None:
        """Add `size` bytes, or raise WireLimit."""
        self._seen += size
        if self._seen > (self._head if self.in_head else self._total):
            raise WireLimit


class MeteredStream(httpcore.AsyncNetworkStream):
    """A connection whose incoming bytes are counted, before and after TLS starts on it."""

    def __init__(self, inner: httpcore.AsyncNetworkStream, meter: Meter) -> None:
        self._inner = inner
        self._meter = meter

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's name
        """Bytes from the other side."""
        data = await self._inner.read(max_bytes, timeout)
        self._meter.count(len(data))
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's name
        """Bytes to the other side."""
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        """Hang up."""
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
    ) -> httpcore.AsyncNetworkStream:
        """TLS, verified against `server_hostname`: the name, not the address we dialled."""
        return MeteredStream(await self._inner.start_tls(ssl_context, server_hostname, timeout), self._meter)

    def get_extra_info(self, info: str) -> Any:
        """What httpcore asks about the connection."""
        return self._inner.get_extra_info(info)


class PinnedBackend(httpcore.AsyncNetworkBackend):
    """httpcore's network, with the addresses decided beforehand: the name it passes is never looked up again."""

    def __init__(self, addresses: Sequence[IpAddress], dialler: Dialler, meter: Meter) -> None:
        self._addresses = addresses
        self._dialler = dialler
        self._meter = meter

    async def connect_tcp(
        self,
        host: str,  # noqa: ARG002 - httpcore's signature; not looking at the name is the point
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's name
        local_address: str | None = None,  # noqa: ARG002 - httpcore's signature
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,  # noqa: ARG002 - httpcore's signature
    ) -> httpcore.AsyncNetworkStream:
        """The first of the checked addresses that answers."""
        failure: Exception = httpcore.ConnectError("no address to connect to")
        for address in self._addresses:
            try:
                return MeteredStream(await self._dialler.dial(str(address), port, timeout or 0.0), self._meter)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                failure = error
        raise failure
