"""Processes of a run: started with a log, watched, asked what they have used, and ended."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
STOP_SECONDS = 40.0
LOOK_AGAIN_SECONDS = 0.1
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Stuck(Exception):  # noqa: N818 - it says what became of the run
    """A process ended, or something did not come in time."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a process has used so far, as Linux counts it."""

    cpu_ms: float
    resident_mb: float


class Child:
    """One Python module run as a process."""

    def __init__(self, arguments: list[str], environment: Mapping[str, str], log: Path) -> None:
        self._log = log
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("VERISTREAM_", "OPENAI_"))
        }
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # as a service manager starts it: processors are shared out by session
                env={**inherited, "PYTHONUNBUFFERED": "1", **environment},
            )

    def line(self, wanted: str) -> str:
        """The first line of its log that holds `wanted`, once it is there."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            for line in self._log.read_text(errors="replace").splitlines(keepends=True):
                if wanted in line and line.endswith("\n"):
                    return line.strip()
            self.check()
            time.sleep(LOOK_AGAIN_SECONDS)
        raise Stuck(f"{wanted!r} was not heard; the log ends with:\n{self.log_tail()}")

    def check(self) -> None:
        if self._process.poll() is not None:
            raise Stuck(f"a process ended by itself; its log ends with:\n{self.log_tail()}")

    def used(self) -> Used:
        folder = Path("/proc") / str(self._process.pid)
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        pages = int((folder / "statm").read_text().split()[1])
        return Used(1000.0 * ticks / TICKS_PER_SECOND, pages * PAGE_BYTES / 1e6)

    def log_tail(self) -> str:
        return self._log.read_text(errors="replace")[-2000:]

    def end(self) -> None:
        self._process.terminate()
        try:
            self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@contextmanager
def child(arguments: list[str], environment: Mapping[str, str], log: Path) -> Iterator[Child]:
    started = Child(arguments, environment, log)
    try:
        yield started
    finally:
        started.end()
