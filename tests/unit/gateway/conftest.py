"""The door that most tests knock at."""

from collections.abc import AsyncIterator
from pathlib import Path

import httpx
import pytest

from streams.gateway.desk import Desk
from tests.unit.gateway.doors import gateway


@pytest.fixture
async def door(tmp_path: Path) -> AsyncIterator[tuple[httpx.AsyncClient, Desk]]:
    async with gateway(tmp_path) as both:
        yield both
