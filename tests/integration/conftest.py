"""What tests on the real servers share."""

from collections.abc import Iterator

import pytest

from tests.support.servers import Spaces, spaces


@pytest.fixture(scope="session")
def server_spaces() -> Iterator[Spaces]:
    with spaces() as kept:
        yield kept


@pytest.fixture
def space(server_spaces: Spaces) -> Iterator[str]:
    """A space that nothing else uses, on both servers."""
    kept = server_spaces.next()
    yield kept
    server_spaces.wipe_passages(kept)
