"""`veristream submit`: JSON lines in, jobs out, and a count of what was refused and why."""

import asyncio
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import typer
from aiokafka import AIOKafkaProducer
from pydantic import ValidationError
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from agents.claims.submission import SUBMISSION_MAX_BYTES, Submission
from storage.ports import JobState
from streams import topics
from streams.admission import Admission, JobIdTaken, TooMuchOpen
from streams.bootstrap import open_ledger, utc_now
from streams.cli.errors import Refused, run, stderr
from streams.cli.options import example, options, stdout
from streams.cli.target import reachable_settings
from streams.kafka import client_options
from streams.wire import describe

AT_ONCE = 64
PATIENCE_SECONDS = 600.0
SHOWN_REFUSALS = 10


@dataclass(slots=True)
class Tally:
    """What became of the lines."""

    accepted: int = 0
    repeated: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)

    def refuse(self, line: int, reason: str) -> None:
        self.refused[reason.partition(":")[0] if ":" in reason else reason] += 1
        if len(self.examples) < SHOWN_REFUSALS:
            self.examples.append(f"line {line}: {reason}")


def register(app: typer.Typer) -> None:
    app.command(epilog=example("submit claims.jsonl"))(submit)


def submit(
    context: typer.Context,
    path: Annotated[str, typer.Argument(help="A file of JSON lines, or - for standard input.")] = "-",
) -> None:
    """Publish claims, one JSON object per line: {"job_id": "...", "claim": "..."}."""
    tally = run(_submit(path), debug=options(context).debug)
    stdout.print(f"accepted {tally.accepted}, repeated {tally.repeated}, refused {tally.refused.total()}")
    for line in tally.examples:
        stderr.print(f"  {line}", markup=False)
    for reason, count in tally.refused.most_common():
        stderr.print(f"refused {count}: {reason}", markup=False)
    if tally.refused:
        raise typer.Exit(1)


async def _submit(path: str) -> Tally:
    lines = list(_lines(path))
    settings = reachable_settings()
    ledger = await open_ledger(settings)
    producer = AIOKafkaProducer(**client_options(settings), acks="all", linger_ms=5)
    await producer.start()
    try:
        desk = _Counter(Admission(ledger, settings, utc_now), producer, settings.topic_prefix + topics.CLAIMS.name)
        with _progress() as progress:
            task = progress.add_task("submitting", total=len(lines))
            for start in range(0, len(lines), AT_ONCE):
                batch = lines[start : start + AT_ONCE]
                await asyncio.gather(*(desk.take(number, line) for number, line in batch))
                progress.advance(task, len(batch))
        return desk.tally
    finally:
        await producer.stop()
        await ledger.close()


def _lines(path: str) -> Iterator[tuple[int, bytes]]:
    """Numbered lines that are not blank."""
    if path == "-":
        source: Iterable[bytes] = sys.stdin.buffer
    else:
        try:
            source = Path(path).read_bytes().splitlines()
        except OSError as error:
            raise Refused(f"cannot read {path}: {error.strerror}") from None
    for number, line in enumerate(source, start=1):
        if line.strip():
            yield number, line.strip()


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=stderr, transient=True)


class _Counter:
    """Admits and publishes lines one by one; waits politely while too much is open."""

    def __init__(self, admission: Admission, producer: AIOKafkaProducer, topic: str) -> None:
        self.tally = Tally()
        self._admission = admission
        self._producer = producer
        self._topic = topic

    async def take(self, number: int, line: bytes) -> None:
        submission = self._read(number, line)
        if submission is None:
            return
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                admitted = await self._admit(submission)
        except JobIdTaken as error:
            self.tally.refuse(number, str(error))
            return
        except TimeoutError:
            self.tally.refuse(number, f"too much is open: no room for {PATIENCE_SECONDS:.0f} s")
            return
        if not admitted:
            self.tally.repeated += 1
            return
        self.tally.accepted += 1

    async def _admit(self, submission: Submission) -> bool:
        while True:
            try:
                admitted = await self._admission.admit(submission)
            except TooMuchOpen as error:
                await asyncio.sleep(error.retry_after)
                continue
            record = admitted.record
            if admitted.new or record.state is JobState.OPEN:
                # An open job of an earlier run may have been journalled and never published; twice is safe.
                await self._producer.send_and_wait(self._topic, key=record.job_id.encode(), value=record.submission)
            return admitted.new

    def _read(self, number: int, line: bytes) -> Submission | None:
        if len(line) > SUBMISSION_MAX_BYTES:
            self.tally.refuse(number, f"too large: {len(line)} bytes, at most {SUBMISSION_MAX_BYTES}")
            return None
        try:
            json.loads(line)
            return Submission.model_validate_json(line)
        except ValidationError as error:
            self.tally.refuse(number, describe(error))
        except ValueError:
            self.tally.refuse(number, "not JSON")
        return None
