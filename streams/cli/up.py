"""`veristream up`: the whole system on this machine, and the sample claims travelling through it."""

import asyncio
import json
import tempfile
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from aiokafka import AIOKafkaConsumer

import samples
from streams import topics
from streams.cli.errors import run, stderr
from streams.cli.options import example, options, stdout
from streams.cli.show import progress_line, verdict_line
from streams.kafka import FETCH_WAIT_MS, client_options
from streams.logs import configure_logs
from streams.settings import Settings, SettingsError, load_settings

if TYPE_CHECKING:
    from streams.embedded.supervisor import RunningSystem


def register(app: typer.Typer) -> None:
    app.command(epilog=example("up --samples --fresh"))(up)


def up(
    context: typer.Context,
    with_samples: Annotated[
        bool, typer.Option("--samples", help="Load the sample town and verify its claims.")
    ] = False,
    fresh: Annotated[bool, typer.Option("--fresh", help="Use a new data folder, removed at the end.")] = False,
    port: Annotated[int | None, typer.Option(help="Port of the gateway.")] = None,
    data_dir: Annotated[Path | None, typer.Option(help="Folder of the embedded stores.")] = None,
) -> None:
    """Start broker, worker and gateway here; stay up until Ctrl-C."""
    run(_up(with_samples, fresh, port, data_dir), debug=options(context).debug)


async def _up(with_samples: bool, fresh: bool, port: int | None, data_dir: Path | None) -> None:
    from streams.embedded.samples import load_knowledge_base, trusting_the_town
    from streams.embedded.supervisor import embedded_system
    from streams.signals import stop_on_signals

    async with AsyncExitStack() as stack:
        if fresh:
            data_dir = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="veristream-")))
        settings = load_settings(gateway_port=port, data_dir=data_dir)
        if settings.broker is not None:
            raise SettingsError("VERISTREAM_BROKER names a cluster: run `veristream worker` and `veristream gateway`")
        configure_logs(settings.model_copy(update={"log_level": "warning"}))
        stop = stack.enter_context(stop_on_signals())
        stderr.print(f"starting: broker, worker, gateway; data in {settings.data_dir}", style="dim")
        if with_samples:
            settings = trusting_the_town(settings)
            pages = await load_knowledge_base(settings)
            stderr.print(f"knowledge base: {pages} sample pages", style="dim")
        system = await stack.enter_async_context(embedded_system(settings))
        await _stay_up(system, stop, with_samples=with_samples)
        stderr.print("stopping", style="dim")
    stderr.print("stopped", style="dim")


async def _stay_up(system: "RunningSystem", stop: asyncio.Event, *, with_samples: bool) -> None:
    watching = asyncio.create_task(_show(system.settings, len(samples.load().claims) if with_samples else 0, system))
    children = asyncio.create_task(system.until_broken())
    stopping = asyncio.create_task(stop.wait())
    try:
        done, _ = await asyncio.wait({children, stopping, watching}, return_when=asyncio.FIRST_COMPLETED)
        for task in done - {stopping}:
            task.result()
    finally:
        for task in (watching, stopping):
            task.cancel()
        await asyncio.wait({watching, stopping})
        children.cancel()


async def _show(settings: Settings, expected: int, system: "RunningSystem") -> None:
    """Every step and every verdict as they come."""
    prefix = settings.topic_prefix
    names = [prefix + topics.PROGRESS.name, prefix + topics.VERDICTS.name]
    consumer = AIOKafkaConsumer(
        *names, group_id=None, auto_offset_reset="latest", fetch_max_wait_ms=FETCH_WAIT_MS, **client_options(settings)
    )
    await consumer.start()
    try:
        await consumer.seek_to_end()
        stdout.print(f"gateway: [bold]{system.gateway_url}[/bold]  (API at {system.gateway_url}/docs)")
        if expected:
            from streams.embedded.samples import publish_claims

            await publish_claims(settings)
        else:
            stdout.print('ready: try [bold]veristream verify "…"[/bold] in another terminal; Ctrl-C stops everything')
        tally = _Tally(expected, system.gateway_url)
        async for record in consumer:
            document: dict[str, Any] = json.loads(record.value)
            if record.topic.endswith(topics.PROGRESS.name):
                stdout.print(progress_line(document))
            else:
                stdout.print(verdict_line(document))
                tally.count(document)
    finally:
        await consumer.stop()


class _Tally:
    """Counts the sample verdicts and says once when all have landed."""

    def __init__(self, expected: int, url: str) -> None:
        self._expected = expected
        self._url = url
        self._packages: dict[str, dict[str, Any]] = {}

    def count(self, package: dict[str, Any]) -> None:
        self._packages[package["job_id"]] = package
        if self._expected and len(self._packages) == self._expected:
            self._expected = 0
            self._say()

    def _say(self) -> None:
        packages = self._packages.values()
        at_once = sum(package["loop"]["count"] == 0 for package in packages)
        sufficient = sum(
            package["loop"]["count"] > 0 and package["loop"]["stop_reason"] == "sufficient" for package in packages
        )
        stdout.print(
            f"\n{len(packages)} verdicts: {at_once} from the knowledge base, {sufficient} after searching, "
            f"{len(packages) - at_once - sufficient} ran out of budget or pages.\n"
            f"The gateway stays up at [bold]{self._url}[/bold]; Ctrl-C stops everything."
        )
