"""A server on a free loopback port that answers each path with exactly the bytes a test gives it."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

Pieces = Callable[[], Iterator[bytes]]


@dataclass
class RawServer:
    """Answers by path; a request for anything else is a 404. A path in `silent` gets no answer at all."""

    answers: dict[str, bytes | Pieces] = field(default_factory=dict)
    silent: set[str] = field(default_factory=set)
    requests: list[str] = field(default_factory=list)
    released: asyncio.Event = field(default_factory=asyncio.Event)
    origin: str = ""

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            path = head.split(" ", 2)[1]
            self.requests.append(path)
            if path in self.silent:
                await self.released.wait()
            answer = self.answers.get(path, reply(b"nothing here", status="404 Not Found"))
            for piece in answer() if callable(answer) else [answer]:
                writer.write(piece)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # the client has seen enough, which is what several tests are about
        finally:
            writer.close()


def reply(
    body: bytes = b"", status: str = "200 OK", content_type: str = "text/html; charset=utf-8", **headers: str
) -> bytes:
    """A whole HTTP answer. Header names are given with underscores."""
    lines = [f"HTTP/1.1 {status}", f"content-type: {content_type}", "connection: close"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


@asynccontextmanager
async def _running() -> AsyncIterator[RawServer]:
    server = RawServer()
    listener = await asyncio.start_server(server.handle, "127.0.0.1", 0)
    server.origin = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        server.released.set()
        listener.close()


@pytest.fixture
async def raw_server() -> AsyncIterator[RawServer]:
    async with _running() as server:
        yield server


@pytest.fixture(name="reply")
def reply_fixture() -> Callable[..., bytes]:
    return reply
