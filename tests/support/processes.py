"""Processes that tests start, watch, kill and stop: each with its log in a file, and ended with the test."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Self
from unittest.mock import patch

from streams.settings import Settings

ROOT = Path(__file__).parents[2]
POLL_SECONDS = 0.1
LOG_TAIL_CHARACTERS = 4000


def clean_environment(own: Mapping[str, str]) -> dict[str, str]:
    """The caller's environment without its settings, and with ours: two systems must not meet by accident."""
    foreign = ("VERISTREAM_", "OPENAI_", "TAVILY_", "DECOMPOSE_", "COVERAGE_")
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(foreign)}
    # Tests send the same few claims again and again, and mean each of them to go the whole way.
    ours = {"PYTHONUNBUFFERED": "1", "VERISTREAM_LOG_FORMAT": "json", "VERISTREAM_MATCH_CLAIMS": "false"}
    return {**inherited, **ours, **own}


def settings_of(own: Mapping[str, str]) -> Settings:
    """What a process with this environment would read."""
    with patch.dict(os.environ, clean_environment(own), clear=True):
        return Settings()


class Process:
    """One child. Its output goes to `log`; a Ctrl-C meant for pytest does not reach it."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        self.log = log
        self._command = list(command)
        self._environment = clean_environment(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._told_to_end = False

    def start(self) -> Self:
        if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
            # A shell ignores Ctrl-C for what it runs in the background, and children inherit that.
            signal.signal(signal.SIGINT, signal.default_int_handler)
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                self._command,
                env=self._environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        return self

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def check(self) -> None:
        """Fail with the end of its log if it ended by itself."""
        if not self.alive and not self._told_to_end:
            raise AssertionError(f"{self._command} ended by itself: {self._tail()}")

    def text(self) -> str:
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def wait_for_text(self, wanted: str, seconds: float, *, times: int = 1) -> str:
        """The log, once it holds `wanted` so many times."""
        end = time.monotonic() + seconds
        while True:
            text = self.text()
            if text.count(wanted) >= times:
                return text
            self.check()
            if time.monotonic() > end:
                raise AssertionError(f"{self._command} did not say {wanted!r} in {seconds:.0f} s: {self._tail()}")
            time.sleep(POLL_SECONDS)

    def send(self, number: signal.Signals) -> None:
        self._told_to_end = True
        assert self._process is not None
        self._process.send_signal(number)

    def kill(self) -> None:
        """kill -9."""
        self._told_to_end = True
        if self._process is not None:
            self._process.kill()
            self._process.wait(timeout=30)

    def wait(self, seconds: float) -> int:
        """The exit code."""
        assert self._process is not None
        try:
            return self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"{self._command} did not end in {seconds:.0f} s: {self._tail()}") from None

    def terminate(self, seconds: float = 60) -> int:
        """SIGTERM, and the exit code."""
        self.send(signal.SIGTERM)
        return self.wait(seconds)

    def _tail(self) -> str:
        return self.text()[-LOG_TAIL_CHARACTERS:]


def veristream(arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> Process:
    """A long-running `veristream` command."""
    return Process([sys.executable, "-m", "streams.cli", *arguments], environment, log)


def script(module: str, environment: Mapping[str, str], log: Path) -> Process:
    """A test's own entry point."""
    return Process([sys.executable, "-m", module], environment, log)


def free_port() -> int:
    """A loopback port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(process: Process) -> Iterator[Process]:
    """Started for the block; killed at its end if it still runs."""
    process.start()
    try:
        yield process
    finally:
        if process.alive:
            process.kill()


def call(
    arguments: Sequence[str], environment: Mapping[str, str], *, given: bytes | None = None, seconds: float = 90
) -> subprocess.CompletedProcess[str]:
    """A `veristream` command run to its end."""
    finished = subprocess.run(
        [sys.executable, "-m", "streams.cli", *arguments],
        env=clean_environment(environment),
        cwd=ROOT,
        input=given,
        stdin=None if given is not None else subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds,
        check=False,
    )
    return subprocess.CompletedProcess(
        finished.args, finished.returncode, finished.stdout.decode(), finished.stderr.decode()
    )
