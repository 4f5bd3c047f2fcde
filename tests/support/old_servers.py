"""Just enough of Weaviate's and Neo4j's protocols to claim to be a server of some version."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

BOLT_5_4 = b"\x00\x00\x04\x05"
MESSAGE_END = b"\x00\x00"


@asynccontextmanager
async def weaviate_of_version(version: str) -> AsyncIterator[str]:
    """The address of a server that answers every request with its version."""
    body = json.dumps({"version": version, "hostname": "http://[::]:0", "modules": {}}).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n".encode()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while await reader.readline() not in {b"\r\n", b""}:
            pass
        writer.write(head + body)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"


@asynccontextmanager
async def neo4j_of_version(version: str) -> AsyncIterator[str]:
    """The address of a server that accepts everybody, says its version and agrees to everything."""
    success = _success({"server": f"Neo4j/{version}", "connection_id": "bolt-1"})

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readexactly(20)  # the magic number and four proposals
            writer.write(BOLT_5_4)
            while True:
                await _message(reader)
                writer.write(success)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        yield f"bolt://127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def _message(reader: asyncio.StreamReader) -> None:
    """Read one message: chunks with their length in front, until an empty one."""
    while (size := await reader.readexactly(2)) != MESSAGE_END:
        await reader.readexactly(int.from_bytes(size))


def _success(facts: dict[str, str]) -> bytes:
    """A SUCCESS message in PackStream, framed."""
    packed = bytes([0xB1, 0x70, 0xA0 + len(facts)]) + b"".join(_text(text) for pair in facts.items() for text in pair)
    return len(packed).to_bytes(2) + packed + MESSAGE_END


def _text(text: str) -> bytes:
    return bytes([0xD0, len(text)]) + text.encode()
