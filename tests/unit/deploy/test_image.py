"""The image: what its recipe says, and its health check at work."""

import http.server
import re
import threading
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy import healthcheck

ROOT = Path(__file__).resolve().parents[3]
DOCKERFILE = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
INSTRUCTIONS = [
    line for line in DOCKERFILE.replace("\\\n", " ").splitlines() if line.strip() and not line.startswith("#")
]
IGNORED = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()


def named(instruction: str) -> list[str]:
    return [line.removeprefix(instruction).strip() for line in INSTRUCTIONS if line.startswith(f"{instruction} ")]


def test_it_is_built_in_one_stage_and_run_in_another_from_the_same_pinned_base() -> None:
    bases = [line.split()[0] for line in named("FROM")]
    assert len(bases) == 2
    assert len(set(bases)) == 1
    assert re.fullmatch(r"python:3\.12\.\d+-slim-[a-z]+", bases[0])


def test_it_runs_as_the_numbered_user_that_compose_names_and_never_goes_back_to_root() -> None:
    assert named("USER") == ["10001:10001"]
    last_user = max(index for index, line in enumerate(INSTRUCTIONS) if line.startswith("USER "))
    assert not any(line.startswith("RUN ") for line in INSTRUCTIONS[last_user:])


def test_every_package_from_outside_is_checked_by_its_hash() -> None:
    fetching = [line for line in named("RUN") if re.search(r"pip (install|wheel)\b.*--requirement", line)]
    assert len(fetching) == 2
    assert all("--require-hashes" in line for line in fetching)
    others = [line for line in named("RUN") if "pip" in line and line not in fetching]
    assert all("--no-index" in line or "--no-deps" in line for line in others)


def test_nothing_is_fetched_behind_the_locks_back() -> None:
    assert all("--no-build-isolation" in line for line in named("RUN") if "pip wheel" in line)


@pytest.mark.parametrize("lock", ["deploy/build.lock", "requirements/runtime.lock"])
def test_the_locks_pin_everything_with_hashes(lock: str) -> None:
    text = (ROOT / lock).read_text(encoding="utf-8").replace("\\\n", " ")
    lines = [line for line in text.splitlines() if line.strip() and not line.strip().startswith("#")]
    assert lines
    assert all(re.match(r"[A-Za-z0-9._-]+==\S+", line) and "--hash=sha256:" in line for line in lines)


def test_the_build_backend_of_the_project_is_the_locked_one() -> None:
    (backend,) = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["build-system"]["requires"]
    assert backend + " " in (ROOT / "deploy" / "build.lock").read_text(encoding="utf-8")


def test_every_package_of_the_wheel_reaches_the_image() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    for package in [*wheel["packages"], wheel["hooks"]["custom"]["path"], "models"]:
        top = package.split("/")[0]
        sources = [source.split("/")[0] for line in named("COPY") for source in line.split()[:-1]]
        assert top in sources, f"COPY {top} in deploy/Dockerfile"
        assert any(line.startswith(f"!{top}") for line in IGNORED), f"!{top} in .dockerignore"


def test_what_is_copied_is_let_through_and_everything_else_is_kept_out() -> None:
    assert next(line for line in IGNORED if not line.startswith("#")) == "*"
    allowed = {line.removeprefix("!") for line in IGNORED if line.startswith("!")}
    sources = [source for line in named("COPY") if "--from" not in line for source in line.split()[:-1]]
    assert set(sources) == allowed
    assert all((ROOT / source).exists() for source in sources)


def test_no_secret_and_no_argument_is_baked_in() -> None:
    assert named("ARG") == []
    assert not re.search(r"(?i)password|secret|token|api_key", DOCKERFILE)


def test_it_is_the_veristream_command_with_a_health_check() -> None:
    assert named("ENTRYPOINT") == ['["veristream"]']
    assert "healthcheck.py" in named("HEALTHCHECK")[0]


class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health" else 503)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
        """Say nothing."""


@pytest.fixture
def address() -> Iterator[str]:
    with http.server.HTTPServer(("127.0.0.1", 0), Health) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join(timeout=10)


def test_the_health_check_succeeds_when_one_address_answers(address: str) -> None:
    assert healthcheck.main([f"{address}/down", f"{address}/health"]) == 0


def test_the_health_check_fails_and_says_whom_it_asked(address: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert healthcheck.main([f"{address}/down", "http://127.0.0.1:1/health"]) == 1
    assert f"{address}/down or http://127.0.0.1:1/health" in capsys.readouterr().err
