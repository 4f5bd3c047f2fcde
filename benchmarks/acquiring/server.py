"""Serves the local web, every answer after the same delay, in a process of its own: `python -m … SECONDS COUNT`.

Pages lie at /<host>/<path> and also at /<path> for whoever names the host in the request; /search answers like the
sample web's engine. Prints its port.
"""

import asyncio
import json
import sys
from collections import Counter
from math import log
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.acquiring.world import Story, cases
from scoring.text import content_stems


class Engine:
    """Ranks by the rarity of the words that a page shares with the query."""

    def __init__(self, stories: list[Story]) -> None:
        self._stories = [(story, content_stems(f"{story.title} {story.text}")) for story in stories]
        spread = Counter(stem for _, stems in self._stories for stem in stems)
        self._rarity = {stem: log(len(stories) / count) for stem, count in spread.items()}

    def search(self, query: str, limit: int) -> list[dict[str, object]]:
        wanted = content_stems(query)
        scored = [(sum(self._rarity[stem] for stem in wanted & stems), story) for story, stems in self._stories]
        best = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].url))[:limit]
        return [
            {"title": story.title, "url": story.url, "snippet": story.text[:200], "published": None, "score": score}
            for score, story in best
        ]


class LocalWeb:
    """Answers after `delay` seconds."""

    def __init__(self, delay: float, count: int) -> None:
        stories = [story for case in cases(count) for story in case.stories]
        self._delay = delay
        self._engine = Engine(stories)
        self._pages = {story.url.removeprefix("https://"): story.html.encode() for story in stories}

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := (await reader.readuntil(b"\r\n\r\n")).decode("latin-1"):
                await asyncio.sleep(self._delay)
                writer.write(self._answer(head))
                await writer.drain()
                if "connection: close" in head.lower():
                    break
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    def _answer(self, head: str) -> bytes:
        target = head.split(" ", 2)[1]
        parts = urlsplit(target)
        if parts.path == "/search":
            asked = parse_qs(parts.query)
            found = self._engine.search(asked["q"][0], int(asked["limit"][0]))
            return _response(json.dumps(found).encode(), "application/json")
        host = next(line[5:].strip() for line in head.split("\r\n") if line.lower().startswith("host:"))
        body = self._pages.get(parts.path[1:]) or self._pages.get(host + parts.path)
        return _response(body, "text/html; charset=utf-8") if body else _response(b"", "text/plain", "404 Not Found")


def _response(body: bytes, kind: str, status: str = "200 OK") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n\r\n".encode() + body


async def main(delay: float, count: int) -> None:
    server = await asyncio.start_server(LocalWeb(delay, count).serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]), int(sys.argv[2])))
