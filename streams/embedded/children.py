"""Child processes of the supervisor: started, watched, restarted when they crash, stopped in order."""

import asyncio
import signal
import sys
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass

import structlog

from streams.errors import ChildGaveUp

log = structlog.get_logger("veristream.supervisor")


@dataclass(frozen=True, slots=True)
class RestartPolicy:
    """A child that crashes is started again; one that keeps crashing is not."""

    crashes: int = 5
    within_seconds: float = 60.0
    first_wait: float = 0.5
    longest_wait: float = 10.0


class Child:
    """One `veristream` process."""

    def __init__(
        self,
        arguments: list[str],
        environment: Mapping[str, str],
        *,
        quiet: bool,
        policy: RestartPolicy | None = None,
    ) -> None:
        self.name = arguments[0]
        self._arguments = arguments
        self._environment = dict(environment)
        self._quiet = quiet
        self._policy = policy or RestartPolicy()
        self._process: asyncio.subprocess.Process | None = None
        self._stopping = False
        self._crashes: deque[float] = deque(maxlen=self._policy.crashes)

    @property
    def pid(self) -> int | None:
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the process; its output goes where ours goes, unless we are asked to be quiet."""
        output = asyncio.subprocess.DEVNULL if self._quiet else None
        self._process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "streams.cli",
            *self._arguments,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            # A Ctrl-C in the terminal goes to the supervisor alone, which stops its children in order.
            start_new_session=True,
        )

    async def keep_running(self) -> None:
        """Return when the child was stopped on purpose; raise ChildGaveUp when it cannot be kept alive."""
        clock = asyncio.get_running_loop().time
        while self._process is not None:
            code = await self._process.wait()
            if self._stopping:
                return
            self._crashes.append(clock())
            too_often = len(self._crashes) == self._policy.crashes
            if too_often and clock() - self._crashes[0] < self._policy.within_seconds:
                raise ChildGaveUp(f"the {self.name} crashed {self._policy.crashes} times in a row; see its log above")
            wait = min(self._policy.longest_wait, self._policy.first_wait * 2 ** (len(self._crashes) - 1))
            log.warning("a child ended; starting it again", child=self.name, exit_code=code, seconds=wait)
            await asyncio.sleep(wait)
            if not self._stopping:
                await self.start()

    async def stop(self, seconds: float) -> int | None:
        """Ask it to end; end it after `seconds`. Returns its exit code."""
        self._stopping = True
        process = self._process
        if process is None:
            return None
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
            try:
                async with asyncio.timeout(seconds):
                    await process.wait()
            except TimeoutError:
                log.warning("a child did not stop in time", child=self.name)
                process.kill()
                await process.wait()
        return process.returncode
