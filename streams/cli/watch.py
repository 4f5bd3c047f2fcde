"""`veristream watch`: verdicts as they land."""

import asyncio
import json
from typing import Annotated, Any

import typer
from aiokafka import AIOKafkaConsumer

from streams import topics
from streams.cli.errors import run
from streams.cli.options import example, options, stdout
from streams.cli.show import verdict_line
from streams.cli.target import reachable_settings
from streams.kafka import client_options


def register(app: typer.Typer) -> None:
    app.command(epilog=example("watch --json --count 10"))(watch)


def watch(
    context: typer.Context,
    as_json: Annotated[bool, typer.Option("--json", help="Whole packages, one JSON object per line.")] = False,
    count: Annotated[int, typer.Option(min=0, help="Stop after this many verdicts; 0 means never.")] = 0,
    from_start: Annotated[bool, typer.Option("--from-start", help="Begin with the oldest verdict kept.")] = False,
    seconds: Annotated[float, typer.Option(min=0, help="Stop after this long; 0 means never.")] = 0,
) -> None:
    """Print each verdict as it lands."""
    run(_watch(as_json=as_json, count=count, from_start=from_start, seconds=seconds), debug=options(context).debug)


async def _watch(*, as_json: bool, count: int, from_start: bool, seconds: float) -> None:
    settings = reachable_settings()
    consumer = AIOKafkaConsumer(
        settings.topic_prefix + topics.VERDICTS.name,
        group_id=None,
        auto_offset_reset="earliest" if from_start else "latest",
        **client_options(settings),
    )
    await consumer.start()
    seen = 0
    try:
        async with asyncio.timeout(seconds or None):
            async for record in consumer:
                _show(record.value, as_json=as_json)
                seen += 1
                if count and seen >= count:
                    return
    except TimeoutError:
        return
    finally:
        await consumer.stop()


def _show(value: bytes, *, as_json: bool) -> None:
    if as_json:
        stdout.print(value.decode(), markup=False)
        return
    package: dict[str, Any] = json.loads(value)
    stdout.print(verdict_line(package))
