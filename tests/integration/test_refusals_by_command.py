"""What cannot work is one clear line of the command that needed it, whatever stands behind the ports."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import Result

from tests.support.old_servers import neo4j_of_version, weaviate_of_version
from tests.support.processes import ROOT, clean_environment
from tests.support.servers import neo4j_server, weaviate_server
from tests.unit.ingest.makers import json_lines
from tests.unit.knowledge.command import run

DOCUMENTS = [
    {"id": n, "title": f"Title {n}", "text": f"Document number {n} is about bridges. " * 8} for n in range(2_000)
]
BLOCKS = 2_000
"""Kilobytes a file may have: the program and its empty stores fit, the documents do not."""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return {"VERISTREAM_DATA_DIR": str(tmp_path / "data"), "VERISTREAM_EMBEDDER": "static"}


def on_servers(space: str) -> dict[str, str]:
    neo4j, weaviate = neo4j_server(space), weaviate_server(space)
    assert weaviate.api_key is not None
    return {
        "VERISTREAM_STORE_SPACE": space,
        "VERISTREAM_NEO4J_URL": neo4j.url,
        "VERISTREAM_NEO4J_PASSWORD": neo4j.password,
        "VERISTREAM_WEAVIATE_URL": weaviate.url,
        "VERISTREAM_WEAVIATE_GRPC_PORT": str(weaviate.grpc_port),
        "VERISTREAM_WEAVIATE_API_KEY": weaviate.api_key,
    }


def line_of(done: Result) -> str:
    """The only line of a command that failed."""
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1
    return done.stderr.strip()


@pytest.mark.services
def test_a_wrong_password(environment: dict[str, str], space: str) -> None:
    wrong = environment | on_servers(space) | {"VERISTREAM_NEO4J_USER": "nobody", "VERISTREAM_NEO4J_PASSWORD": "wrong"}
    line = line_of(run(wrong, "stores", "verify"))
    assert "refuses user 'nobody'; set VERISTREAM_NEO4J_USER and VERISTREAM_NEO4J_PASSWORD" in line


@pytest.mark.services
def test_a_wrong_key(environment: dict[str, str], space: str) -> None:
    wrong = environment | on_servers(space) | {"VERISTREAM_WEAVIATE_API_KEY": "wrong"}
    assert "refuses the API key; set VERISTREAM_WEAVIATE_API_KEY" in line_of(run(wrong, "stores", "verify"))


@pytest.mark.services
def test_a_wrong_dimension(environment: dict[str, str], space: str, tmp_path: Path) -> None:
    path = str(json_lines(tmp_path / "c.jsonl", DOCUMENTS[:1]))
    on_both = environment | on_servers(space)
    assert run(on_both, "ingest", path).exit_code == 0
    line = line_of(run(on_both | {"VERISTREAM_EMBEDDER": "bge-small"}, "ingest", path))
    assert "holds vectors of wordllama-l2-supercat-256 (256 dimensions), but the embedder in use is" in line


async def test_a_weaviate_that_is_too_old(environment: dict[str, str]) -> None:
    async with weaviate_of_version("1.31.9") as url:
        done = await asyncio.to_thread(run, environment | {"VERISTREAM_WEAVIATE_URL": url}, "stores", "verify")
    assert "Weaviate 1.31.9 is too old" in line_of(done)


async def test_a_neo4j_that_is_too_old(environment: dict[str, str]) -> None:
    async with neo4j_of_version("5.25.0") as url:
        done = await asyncio.to_thread(run, environment | {"VERISTREAM_NEO4J_URL": url}, "stores", "verify")
    assert "Neo4j 5.25.0 is too old" in line_of(done)


def test_a_full_disk(environment: dict[str, str], tmp_path: Path) -> None:
    """A real command under a limit on the size of files: nothing half-written stays, and with room it goes on."""
    path = json_lines(tmp_path / "c.jsonl", DOCUMENTS)
    limited = 'ulimit -f "$0"; exec "$@"'
    command = ["bash", "-c", limited, str(BLOCKS), sys.executable, "-m", "streams.cli", "ingest", str(path)]
    done = subprocess.run(
        command, cwd=ROOT, env=clean_environment(environment), capture_output=True, text=True, timeout=90, check=False
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: reading or writing {tmp_path / 'data' / 'knowledge.db'} failed")
    assert done.stderr.endswith("check the disk and the room left on it, then try again\n")
    assert done.stderr.count("\n") == 1
    sound = run(environment, "stores", "verify")
    assert sound.exit_code == 0
    kept = int(sound.stdout.split()[2])
    assert 0 < kept < len(DOCUMENTS)
    again = run(environment, "ingest", str(path))
    assert (
        again.stdout
        == f"{len(DOCUMENTS)} documents: {len(DOCUMENTS) - kept} new passages, {kept} known already; skipped 0\n"
    )
