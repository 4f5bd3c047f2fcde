"""Fixtures of the delivery tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.support.delivery import FailingLedger, failing_ledger


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[FailingLedger]:
    opened = await failing_ledger(tmp_path)
    yield opened
    await opened.close()
