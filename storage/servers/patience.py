"""A limit on how long anything waits for a server."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from storage.errors import StoreUnavailable


@asynccontextmanager
async def within(seconds: float, who: str) -> AsyncIterator[None]:
    """StoreUnavailable if the block takes longer than `seconds`."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError:
        raise StoreUnavailable(f"{who} gave no answer in {seconds:g} s; try again") from None
