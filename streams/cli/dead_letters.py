"""`veristream dead-letters`: look at what could not be processed, and send it on its way again."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Annotated, Any

import typer
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from rich.table import Table

from agents.claims.job import ClaimJob
from storage.errors import JobCompleted, JobUnknown
from storage.ports import VerdictLedger, parent_of
from streams import topics
from streams.bootstrap import open_ledger
from streams.cli.errors import Refused, run
from streams.cli.options import example, options, stdout
from streams.cli.target import reachable_settings
from streams.delivery.dead_letters import error_headers, original_headers
from streams.kafka import client_options
from streams.settings import Settings
from streams.wire import BadMessage, decode, encode

app = typer.Typer(help="List, show and replay what could not be processed.", no_args_is_help=True)


@dataclass(frozen=True, slots=True)
class Buried:
    """A dead letter with its address: partition:offset."""

    address: str
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes | None], ...]

    @property
    def error(self) -> dict[str, str]:
        return dict(error_headers(self.headers))


@app.command("list", epilog=example("dead-letters list --json"))
def list_letters(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
) -> None:
    """Every dead letter that is kept, oldest first."""
    letters = run(_all(), debug=options(context).debug)
    if as_json:
        for letter in letters:
            stdout.print(json.dumps({"id": letter.address, **letter.error}, ensure_ascii=False), markup=False)
        return
    if not letters:
        stdout.print("no dead letters")
        return
    table = Table("id", "stage", "reason", "job", "message", box=None, pad_edge=False)
    for letter in letters:
        error = letter.error
        table.add_row(letter.address, error["stage"], error["reason"], error["job_id"], error["message"])
    stdout.print(table)


@app.command("show", epilog=example("dead-letters show 0:12"))
def show(context: typer.Context, address: Annotated[str, typer.Argument(help="partition:offset")]) -> None:
    """One dead letter: why, where from, its headers and its raw value."""
    letter = run(_one(address), debug=options(context).debug)
    for name, value in letter.error.items():
        stdout.print(f"{name + ':':12} {value}", markup=False)
    for name, raw in original_headers(letter.headers):
        stdout.print(f"header {name}: {_text(raw)}", markup=False)
    stdout.print(f"{'key:':12} {_text(letter.key)}", markup=False)
    stdout.print(_text(letter.value), markup=False)


@app.command("replay", epilog=example("dead-letters replay 0:12"))
def replay(
    context: typer.Context,
    addresses: Annotated[list[str] | None, typer.Argument(help="partition:offset, one or more")] = None,
    everything: Annotated[bool, typer.Option("--all", help="Replay every dead letter that is kept.")] = False,
) -> None:
    """Send dead letters back to the topic they came from, as the next attempt of their job."""
    replayed, left = run(_replay(addresses or [], everything=everything), debug=options(context).debug)
    stdout.print(f"replayed {replayed}")
    for line in left:
        stdout.print(f"left {line}", markup=False)


def _text(raw: bytes | None) -> str:
    return "(none)" if raw is None else raw.decode(errors="backslashreplace")


async def _all() -> list[Buried]:
    settings = reachable_settings()
    return [letter async for letter in read(settings)]


async def _one(address: str) -> Buried:
    for letter in await _all():
        if letter.address == address:
            return letter
    raise Refused(f"no dead letter {address!r}; see `veristream dead-letters list`")


async def read(settings: Settings) -> AsyncIterator[Buried]:
    """Everything in the topic now, partition by partition."""
    name = settings.topic_prefix + topics.DEAD_LETTERS.name
    consumer = AIOKafkaConsumer(
        name, group_id=None, max_partition_fetch_bytes=9 * topics.MIB, **client_options(settings)
    )
    await consumer.start()
    try:
        partitions = sorted(consumer.assignment())
        ends = await consumer.end_offsets(partitions)
        for partition in partitions:
            await consumer.seek_to_beginning(partition)
        for partition in partitions:
            while await consumer.position(partition) < ends[partition]:
                batch = await consumer.getmany(partition, timeout_ms=5000)
                for record in batch.get(partition, []):
                    address = f"{record.partition}:{record.offset}"
                    yield Buried(address, record.key, record.value, tuple(record.headers))
    finally:
        await consumer.stop()


async def _replay(addresses: list[str], *, everything: bool) -> tuple[int, list[str]]:
    if not addresses and not everything:
        raise Refused("name dead letters as partition:offset, or use --all")
    settings = reachable_settings()
    letters = [letter async for letter in read(settings)]
    unknown = sorted(set(addresses) - {letter.address for letter in letters})
    if unknown:
        raise Refused(f"no dead letter {', '.join(unknown)}; see `veristream dead-letters list`")
    chosen = [letter for letter in letters if everything or letter.address in addresses]
    ledger = await open_ledger(settings)
    producer = AIOKafkaProducer(**client_options(settings), max_request_size=9 * topics.MIB)
    await producer.start()
    try:
        left = [line for letter in chosen if (line := await _resend(settings, ledger, producer, letter))]
        return len(chosen) - len(left), left
    finally:
        await producer.stop()
        await ledger.close()


async def _resend(settings: Settings, ledger: VerdictLedger, producer: Any, letter: Buried) -> str | None:
    """Publish one letter again; the reason why not, if it was left."""
    error = letter.error
    attempt = 1
    parent_id = parent_of(error["job_id"])
    if parent_id is not None:
        # The claim goes on without the part, once and for all: a second answer would come to nobody.
        return f"{letter.address}: {error['job_id']} is a part of {parent_id}; submit that claim again instead"
    if error["job_id"]:
        try:
            attempt = await ledger.next_attempt(error["job_id"])
        except JobCompleted:
            return f"{letter.address}: job {error['job_id']} has its verdict"
        except JobUnknown:
            attempt = 1
    await producer.send_and_wait(
        settings.topic_prefix + error["topic"],
        key=letter.key,
        value=_as_attempt(error["topic"], letter, attempt),
        headers=list(original_headers(letter.headers)),
    )
    return None


def _as_attempt(topic: str, letter: Buried, attempt: int) -> bytes | None:
    """A job's event carries its attempt; a submission gets it from the ledger, and what is unreadable stays so."""
    try:
        model = decode(topics.BY_NAME[topic], letter.key, letter.value)
    except BadMessage:
        return letter.value
    return encode(model.model_copy(update={"attempt": attempt})) if isinstance(model, ClaimJob) else letter.value
