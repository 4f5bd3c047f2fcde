"""Processes of a run: started with a log, watched, asked what they have used, and ended."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STOP_SECONDS = 40.0
TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Stuck(Exception):  # noqa: N818 - it says what became of the run
    """A process ended, or something did not come in time."""


@dataclass(frozen=True, slots=True)
class Used:
    """What a process has used so far, as Linux counts it."""

    cpu_ms: float
    resident_mb: float


class ModuleProcess:
    """One Python module run as a process. Settings of ours in the environment are not handed on."""

    def __init__(
        self,
        arguments: list[str],
        log: Path,
        environment: Mapping[str, str] | None = None,
        output: int | None = None,
    ) -> None:
        """Its standard output goes to `output`, or to the log with everything else."""
        self._log = log
        inherited = {
            name: value for name, value in os.environ.items() if not name.startswith(("VERISTREAM_", "OPENAI_"))
        }
        with log.open("wb") as written:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *arguments],
                cwd=ROOT,
                stdout=written if output is None else output,
                stderr=written,
                bufsize=0,
                # As a service manager starts it: a Linux desktop or server shares its processors out by session, and
                # two workers of one session would get the share of one.
                start_new_session=True,
                env={**inherited, "PYTHONUNBUFFERED": "1", **(environment or {})},
            )

    def check(self) -> None:
        """Raise if it is not running any more."""
        if self.process.poll() is not None:
            raise Stuck(f"a process ended by itself; its log ends with:\n{self.log_tail()}")

    def log_text(self) -> str:
        return self._log.read_text(errors="replace")

    def log_tail(self) -> str:
        return self.log_text()[-2000:]

    def used(self) -> Used:
        folder = Path("/proc") / str(self.process.pid)
        fields = (folder / "stat").read_text().rpartition(")")[2].split()
        ticks = int(fields[11]) + int(fields[12])
        pages = int((folder / "statm").read_text().split()[1])
        return Used(1000.0 * ticks / TICKS_PER_SECOND, pages * PAGE_BYTES / 1e6)

    def end(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()
