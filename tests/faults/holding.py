"""One behaviour for two kinds of worker: answer every claim at once, but hold one of them until the process dies.

`HOLD_JOB` names the claim to hold; `HOLD_MARK` is a file that says it is in hand. Where the file is there already,
nothing is held: that is the second run.
"""

import asyncio
import json
import os
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Hold:
    """Which claim to hold, and where to say so."""

    job_id: str
    mark: Path
    second_run: bool

    @classmethod
    def from_environment(cls) -> "Hold":
        mark = Path(os.environ["HOLD_MARK"])
        return cls(os.environ["HOLD_JOB"], mark, mark.exists())

    async def maybe(self, job_id: str) -> None:
        if job_id == self.job_id and not self.second_run:
            self.mark.touch()
            await asyncio.Event().wait()


def answer(job_id: str) -> bytes:
    """The same bytes whenever it is said."""
    return json.dumps({"job_id": job_id, "attempt": 1}).encode()
