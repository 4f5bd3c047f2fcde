"""The OpenAPI document is kept: schemathesis asks the running system all that it allows, and much that it does not."""

import asyncio
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from streams.embedded.samples import load_knowledge_base
from tests.e2e.conftest import embedded_url, town_environment
from tests.support.processes import call, clean_environment, running, settings_of, veristream

EXAMPLES = 20
"""Generated requests per operation and phase; a minute of a small machine's time in all."""
SEED = 20260301
LIMIT_SECONDS = 300

pytestmark = pytest.mark.timeout(500)


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[tuple[str, str]]:
    """An embedded system that wants a key of everyone, where it listens, and a key for it."""
    environment = town_environment(tmp_path / "data") | {
        "VERISTREAM_GATEWAY_KEYS": "required",
        "VERISTREAM_QUERY_BUDGET": "1",
    }
    asyncio.run(load_knowledge_base(settings_of(environment)))
    made = call(
        ["keys", "create", "schemathesis", "--submissions-per-minute", "0", "--reads-per-minute", "0"], environment
    )
    assert made.returncode == 0, made.stderr
    with running(veristream(["up", "--port", "0"], environment, tmp_path / "up.log")) as up:
        key = made.stdout.strip()
        yield embedded_url(up), key
        assert up.terminate() == 0
        assert key.split("_", 2)[2] not in up.text()


def test_schemathesis_finds_nothing(guarded: tuple[str, str], tmp_path: Path) -> None:
    url, key = guarded
    found = subprocess.run(
        [
            *(sys.executable, "-m", "schemathesis.cli", "run", f"{url}/openapi.json"),
            *("--header", f"Authorization: Bearer {key}"),
            *("--checks", "all", "--phases", "examples,coverage,fuzzing,stateful"),
            *("--max-examples", str(EXAMPLES), "--seed", str(SEED)),
            *("--request-timeout", "60", "--continue-on-failure"),
        ],
        cwd=tmp_path,
        env=clean_environment({"PYTHONPATH": os.pathsep.join(sys.path), "NO_COLOR": "1", "COLUMNS": "160"}),
        capture_output=True,
        text=True,
        timeout=LIMIT_SECONDS,
        check=False,
    )
    assert found.returncode == 0, found.stdout[-12_000:] + found.stderr[-2_000:]
    assert key not in found.stdout
    generated = re.search(r"(\d+) generated", found.stdout)
    assert generated is not None, found.stdout
    assert int(generated[1]) > 5 * EXAMPLES
    metrics = httpx.get(f"{url}/metrics").text
    assert 'status="200"' in metrics
    assert not re.search(r'veristream_http_requests_total\{[^}]*status="5', metrics)
