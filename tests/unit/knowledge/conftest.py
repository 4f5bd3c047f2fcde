"""The stores of the contract tests: each test here runs on every adapter that those run on."""

from pathlib import Path

import pytest

from tests.contract.conftest import other, place, stores

__all__ = ["environment", "other", "place", "stores"]


@pytest.fixture
def environment(tmp_path: Path, unused_tcp_port: int) -> dict[str, str]:
    """Settings of a command: the quick embedder, a folder of one's own, and nobody at the gateway's port."""
    return {
        "VERISTREAM_DATA_DIR": str(tmp_path / "data"),
        "VERISTREAM_EMBEDDER": "static",
        "VERISTREAM_GATEWAY_PORT": str(unused_tcp_port),
    }
