"""deploy/services.py as a person or a Makefile calls it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from deploy.servers.cli import render_variables

ROOT = Path(__file__).resolve().parents[3]


def services(cache: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(cache), "VERISTREAM_SERVICES_CACHE": str(cache)}
    # -I: no site packages, no user settings; what remains is the standard library.
    command = [sys.executable, "-I", str(ROOT / "deploy" / "services.py"), *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_it_runs_from_anywhere_with_the_standard_library_alone(tmp_path: Path) -> None:
    done = services(tmp_path, "--help")
    assert done.returncode == 0
    assert "start kafka --nodes 3" in done.stdout


def test_an_unknown_service_is_one_line_on_stderr(tmp_path: Path) -> None:
    done = services(tmp_path, "status", "postgres")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "services: there is no service 'postgres'; choose from kafka, neo4j, weaviate\n"


def test_starting_what_is_not_installed_says_how_to_install_it(tmp_path: Path) -> None:
    done = services(tmp_path, "start", "kafka")
    assert done.returncode == 1
    assert done.stderr == "services: kafka is not installed; run `python3 deploy/services.py install kafka`\n"


def test_env_with_nothing_running_is_an_error_so_that_eval_cannot_hide_it(tmp_path: Path) -> None:
    done = services(tmp_path, "env")
    assert (done.returncode, done.stdout) == (1, "")
    assert "none of these is running" in done.stderr


def test_status_tells_what_is_installed(tmp_path: Path) -> None:
    (tmp_path / "kafka-4.1.0").mkdir()
    rows = json.loads(services(tmp_path, "status", "--json").stdout)
    assert [(row["service"], row["installed"]) for row in rows] == [
        ("kafka", True),
        ("neo4j", False),
        ("weaviate", False),
    ]


def test_stop_and_wipe_of_what_never_ran_succeed(tmp_path: Path) -> None:
    assert services(tmp_path, "stop").returncode == 0
    assert services(tmp_path, "wipe").returncode == 0
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("style", "text"),
    [
        ("shell", "export VERISTREAM_A=plain\nexport VERISTREAM_B='two words'"),
        ("dotenv", "VERISTREAM_A=plain\nVERISTREAM_B=two words"),
        ("json", '{\n  "VERISTREAM_A": "plain",\n  "VERISTREAM_B": "two words"\n}'),
    ],
)
def test_variables_are_written_for_a_shell_an_env_file_and_programs(style: str, text: str) -> None:
    assert render_variables({"VERISTREAM_A": "plain", "VERISTREAM_B": "two words"}, style) == text
