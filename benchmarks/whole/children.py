"""Processes that say in their log how far they are."""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from benchmarks.processes import ModuleProcess, Stuck

START_SECONDS = 60.0
LOOK_AGAIN_SECONDS = 0.1


class Child(ModuleProcess):
    """One Python module run as a process."""

    def line(self, wanted: str) -> str:
        """The first line of its log that holds `wanted`, once it is there."""
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            for line in self.log_text().splitlines(keepends=True):
                if wanted in line and line.endswith("\n"):
                    return line.strip()
            self.check()
            time.sleep(LOOK_AGAIN_SECONDS)
        raise Stuck(f"{wanted!r} was not heard; the log ends with:\n{self.log_tail()}")


@contextmanager
def child(arguments: list[str], log: Path, environment: Mapping[str, str] | None = None) -> Iterator[Child]:
    """Ended with the block."""
    started = Child(arguments, log, environment)
    try:
        yield started
    finally:
        started.end()
