"""How a worker process talks to the one that measures it: one JSON line when ready, one whenever it is asked."""

import asyncio
import json
import resource
import signal
import time
from collections.abc import Callable


class Tally:
    """What this process has done so far; SIGUSR1 asks for it, SIGTERM ends the work."""

    def __init__(self) -> None:
        self.handled = 0
        self.stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self.report)
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.stop.set)

    def report(self) -> None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        print(json.dumps({"handled": self.handled, "cpu": used.ru_utime + used.ru_stime}), flush=True)

    async def until_ready(self, is_ready: Callable[[], bool], seconds: float) -> None:
        """Say so once partitions are assigned."""
        end = time.monotonic() + seconds
        while not is_ready():
            if time.monotonic() > end:
                raise TimeoutError(f"no partitions were assigned within {seconds:.0f} s")
            await asyncio.sleep(0.05)
        self.report()
