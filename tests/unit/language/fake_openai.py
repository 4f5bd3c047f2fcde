"""A local HTTP server that speaks enough of OpenAI's API for the real client, and misbehaves on demand."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Reply:
    """One scripted response. `hang` keeps the connection open, `cut` closes it before the body is complete."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    cut: bool = False
    hang: bool = False
    endless: bool = False
    gate: asyncio.Event | None = None
    """Set to hold the reply back until the test opens it."""


def completion(
    text: str, *, finish: str = "stop", refusal: str | None = None, tokens: tuple[int, int] = (100, 20)
) -> Reply:
    """A chat completion with this text."""
    message = {"role": "assistant", "content": None if refusal else text, "refusal": refusal}
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake",
        "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": None}],
        "usage": {"prompt_tokens": tokens[0], "completion_tokens": tokens[1], "total_tokens": sum(tokens)},
    }
    return Reply(body=json.dumps(body).encode())


def error(status: int, message: str = "no", **headers: str) -> Reply:
    """An error response; keyword names become header names."""
    body = json.dumps({"error": {"message": message, "type": "x", "code": None}}).encode()
    return Reply(status, body, {name.replace("_", "-"): value for name, value in headers.items()})


@dataclass
class FakeOpenAI:
    """Answers requests with a script, or with a function of the request once the script is used up."""

    base_url: str
    script: list[Reply] = field(default_factory=list)
    otherwise: Callable[[dict[str, Any]], Reply] | None = None
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def reply(self, request: dict[str, Any]) -> Reply:
        if self.script:
            return self.script.pop(0)
        return self.otherwise(request) if self.otherwise else error(500, "the script is at its end")


@contextlib.asynccontextmanager
async def serving(script: Sequence[Reply] = ()) -> AsyncIterator[FakeOpenAI]:
    """Runs the server on a free port of this machine."""
    fake = FakeOpenAI("", list(script))
    open_writers: set[asyncio.StreamWriter] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        open_writers.add(writer)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                request_line, *lines = head.decode("latin-1").split("\r\n")
                headers = {
                    k.strip().lower(): v.strip() for k, v in (line.split(":", 1) for line in lines if ":" in line)
                }
                body = await reader.readexactly(int(headers.get("content-length", "0")))
                fake.paths.append(request_line.split(" ")[1])
                fake.headers.append(headers)
                fake.requests.append(json.loads(body or b"{}"))
                if not await _send(writer, fake.reply(fake.requests[-1])):
                    break
        writer.close()
        open_writers.discard(writer)

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    fake.base_url = f"http://127.0.0.1:{port}/v1"
    try:
        yield fake
    finally:
        server.close()
        for writer in list(open_writers):
            writer.close()
        await asyncio.sleep(0)


async def _send(writer: asyncio.StreamWriter, reply: Reply) -> bool:
    """Sends a reply; False if the connection is not to be used again."""
    length = len(reply.body) + (1000 if reply.cut else 0)
    lines = [f"HTTP/1.1 {reply.status} X", "content-type: application/json"]
    lines += [] if reply.endless else [f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in reply.headers.items()]
    if reply.hang:
        await asyncio.Event().wait()
    if reply.gate is not None:
        await reply.gate.wait()
    writer.write(("\r\n".join(lines) + "\r\n\r\n").encode() + reply.body)
    while reply.endless:
        writer.write(b" " * 65536)
        await writer.drain()
    await writer.drain()
    return not reply.cut
