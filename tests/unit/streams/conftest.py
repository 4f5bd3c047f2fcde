"""Fixtures of the delivery tests."""

import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from streams.settings import PREFIX
from tests.support.delivery import FailingLedger, failing_ledger


@pytest.fixture(autouse=True)
def _nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the caller's shell has set up for real services is not what these tests are about."""
    for name in [name for name in os.environ if name.startswith(PREFIX)]:
        monkeypatch.delenv(name)


@pytest.fixture
async def ledger(tmp_path: Path) -> AsyncIterator[FailingLedger]:
    opened = await failing_ledger(tmp_path)
    yield opened
    await opened.close()
