"""What a test opens for itself, and leaves as it found it."""

from collections.abc import AsyncIterator, Awaitable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Protocol, TypeVar


class Closable(Protocol):
    """Something that is held open."""

    async def close(self) -> None: ...


class Server(Protocol):
    """A server of the test's own."""

    def start(self) -> object: ...
    def wipe(self) -> object: ...


Held = TypeVar("Held", bound=Closable)
Started = TypeVar("Started", bound=Server)


@asynccontextmanager
async def held(opening: Awaitable[Held]) -> AsyncIterator[Held]:
    """Open for the length of the block."""
    opened = await opening
    try:
        yield opened
    finally:
        await opened.close()


@contextmanager
def serving(server: Started) -> Iterator[Started]:
    """Started for the length of the block; nothing is left of it."""
    server.start()
    try:
        yield server
    finally:
        server.wipe()
