"""Running main classes out of a folder of jars."""

import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from deploy.servers.errors import ServiceError
from deploy.servers.tools import JAVA, complaint


def java_command(libraries: Path, options: Sequence[str], main_class: str, arguments: Sequence[str]) -> list[str]:
    java = shutil.which("java")
    if java is None:
        raise ServiceError(complaint(JAVA) or "java is missing")
    return [java, *options, "-cp", f"{libraries}/*", main_class, *arguments]


def run_to_end(command: Sequence[str], environment: Mapping[str, str], timeout: float, purpose: str) -> None:
    """Run a short administrative command; its output is shown only when it fails."""
    try:
        done = subprocess.run(
            command, env=dict(environment), capture_output=True, text=True, timeout=timeout, check=False
        )
    except subprocess.TimeoutExpired:
        raise ServiceError(f"{purpose} took longer than {timeout:.0f} s; the machine is too busy, try again") from None
    if done.returncode != 0:
        raise ServiceError(f"{purpose} failed with exit code {done.returncode}:\n{done.stdout}{done.stderr}".rstrip())
