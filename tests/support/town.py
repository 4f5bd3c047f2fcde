"""Claims about the sample town, as many as a test wants, and its web as a process of its own."""

import asyncio
import itertools
from collections.abc import Iterator

import samples
from streams.embedded.sample_web import serve
from streams.signals import stop_on_signals


def claims(count: int, prefix: str) -> Iterator[tuple[str, str]]:
    """`count` claims under ids of their own: the sample claims over and over."""
    texts = itertools.cycle(claim.claim for claim in samples.load().claims)
    return ((f"{prefix}-{number:04}", text) for number, text in zip(range(count), texts, strict=False))


async def _serve() -> None:
    with stop_on_signals() as stop:
        async with serve() as origin:
            print(f"serving {origin} now", flush=True)
            await stop.wait()


if __name__ == "__main__":
    asyncio.run(_serve())
