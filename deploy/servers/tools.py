"""The programs the servers are installed and run with: are they here, and are they recent enough?"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from deploy.servers.errors import ServiceError

PROBE_SECONDS = 30.0
"""How long a program may take to tell its version; a cold JVM on a busy machine needs some seconds."""

APT_SECONDS = 900.0
"""The three packages are about 500 MB with what they pull in."""

VERSION = re.compile(r"(\d+)(?:\.(\d+))?")

Version = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Tool:
    """A program, how to ask for its version, the oldest that works, and the Debian package it comes in."""

    command: str
    version_arguments: tuple[str, ...]
    version_prefix: str
    oldest: Version
    package: str


JAVA = Tool("java", ("-version",), 'version "', (17, 0), "default-jdk-headless")
MAVEN = Tool("mvn", ("--batch-mode", "--version"), "Apache Maven ", (3, 6), "maven")
GO = Tool("go", ("version",), "go version go", (1, 21), "golang")
"""From 1.21 on, Go fetches a newer toolchain by itself where a module asks for one."""


def parse_version(text: str, prefix: str) -> Version | None:
    """The two leading numbers after `prefix`, or None where the text has no such place."""
    _, found, rest = text.partition(prefix)
    match = VERSION.match(rest)
    if not found or match is None:
        return None
    return int(match[1]), int(match[2] or 0)


def _version_text(command: Sequence[str]) -> str:
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout + answer.stderr  # java answers on stderr, the others on stdout


def complaint(tool: Tool) -> str | None:
    """Why `tool` cannot be used, in one line that says what to install; None when it can."""
    wanted = ".".join(map(str, tool.oldest))
    install = f"install {wanted} or newer (Debian, Ubuntu: package {tool.package}, or `install --apt` as root)"
    path = shutil.which(tool.command)
    if path is None:
        return f"{tool.command} is missing: {install}"
    version = parse_version(_version_text([path, *tool.version_arguments]), tool.version_prefix)
    if version is None:
        return f"{tool.command} does not tell its version: {install}"
    if version < tool.oldest:
        return f"{tool.command} is only {'.'.join(map(str, version))}: {install}"
    return None


def require(tools: Iterable[Tool]) -> None:
    """Raise one error that names every tool that is missing or too old."""
    complaints = [problem for tool in tools if (problem := complaint(tool)) is not None]
    if complaints:
        raise ServiceError("; ".join(complaints))


def apt_install(tools: Sequence[Tool], user_id: int) -> None:
    """Install the missing ones with apt-get. Only root may, and only where apt-get exists."""
    missing = [tool.package for tool in tools if complaint(tool) is not None]
    if not missing:
        return
    if user_id != 0 or shutil.which("apt-get") is None:
        raise ServiceError(f"--apt needs root and apt-get; install these by hand: {' '.join(missing)}")
    command = ["apt-get", "install", "--yes", "--no-install-recommends", *missing]
    for step in (["apt-get", "update"], command):
        done = subprocess.run(step, timeout=APT_SECONDS, check=False)
        if done.returncode != 0:
            raise ServiceError(f"`{' '.join(step)}` failed with exit code {done.returncode}; its output is above")
