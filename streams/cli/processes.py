"""`veristream worker` and `veristream gateway`: the two processes of a deployed system."""

from typing import Annotated

import typer

from streams.cli.errors import Refused, run
from streams.cli.options import example, options
from streams.logs import configure_logs
from streams.settings import Settings, SettingsError, load_settings
from streams.topology import STAGE_NAMES, STAGES, Stage


def register(app: typer.Typer) -> None:
    app.command(epilog=example("worker --stages retrieval,ranking"))(worker)
    app.command(epilog=example("gateway --port 9000"))(gateway)


def worker(
    context: typer.Context,
    stages: Annotated[
        str | None, typer.Option(help="Comma-separated subset, under a consumer group of its own.")
    ] = None,
) -> None:
    """Run a worker: all stages, or some of them."""

    async def work() -> int:
        from streams.processes import run_worker

        settings = _settings()
        configure_logs(settings)
        return await run_worker(settings, chosen_stages(stages))

    raise typer.Exit(run(work(), debug=options(context).debug))


def gateway(
    context: typer.Context,
    host: Annotated[str | None, typer.Option(help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option(help="Port to listen on.")] = None,
) -> None:
    """Run the HTTP gateway."""

    async def work() -> int:
        from streams.processes import run_gateway

        settings = _settings(gateway_host=host, gateway_port=port)
        configure_logs(settings)
        return await run_gateway(settings)

    raise typer.Exit(run(work(), debug=options(context).debug))


def _settings(**overrides: object) -> Settings:
    settings = load_settings(**overrides)
    if settings.broker is None:
        raise SettingsError("set VERISTREAM_BROKER to a Kafka cluster, or run everything here with `veristream up`")
    return settings


def chosen_stages(names: str | None) -> tuple[Stage, ...]:
    """The stages that `--stages` names, in the order of the pipeline."""
    if names is None:
        return STAGES
    wanted = {name.strip() for name in names.split(",") if name.strip()}
    unknown = sorted(wanted - set(STAGE_NAMES))
    if unknown or not wanted:
        raise Refused(f"unknown stage {', '.join(unknown) or '(none)'}; choose from {', '.join(STAGE_NAMES)}")
    return tuple(stage for stage in STAGES if stage.name in wanted)
