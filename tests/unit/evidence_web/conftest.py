"""Local servers, one that may be reached and one that must not be, and a certificate authority."""

from collections.abc import AsyncIterator

import pytest

from tests.unit.evidence_web.local_web import Authority, Site, page, serving


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with serving(Site()) as running:
        yield running


@pytest.fixture
async def inside() -> AsyncIterator[Site]:
    """A server that nobody may reach: a test looks at its count of connections."""
    async with serving(Site({"/": page(b"secret"), "/secret": page(b"secret")})) as running:
        yield running


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority.found(tmp_path_factory.mktemp("authority"))
