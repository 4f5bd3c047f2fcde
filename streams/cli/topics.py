"""`veristream topics`: what the table lists, what the cluster has, and making the two agree."""

from typing import Annotated

import typer
from rich.table import Table

from streams.admin import TopicState, cluster_admin
from streams.cli.errors import Refused, run
from streams.cli.options import example, options, stdout
from streams.cli.target import reachable_settings
from streams.settings import Settings
from streams.topics import BY_NAME, TOPICS

app = typer.Typer(help="List, create and describe the topics.", no_args_is_help=True)


@app.command("list", epilog=example("topics list"))
def list_topics(context: typer.Context) -> None:
    """Every topic of the system, and whether the cluster has it."""
    states = run(_states(), debug=options(context).debug)
    table = Table("topic", "partitions", "key", "carries", "purpose", box=None, pad_edge=False)
    for state in states:
        contract = state.topic.contract.__name__ if state.topic.contract else "raw bytes"
        partitions = str(state.partitions) if state.exists else "[red]missing[/red]"
        table.add_row(state.full_name, partitions, state.topic.key, contract, state.topic.purpose)
    stdout.print(table)


@app.command("create", epilog=example("topics create"))
def create(context: typer.Context) -> None:
    """Create the topics that are missing; run it before the first worker."""

    async def work() -> list[str]:
        settings = reachable_settings()
        _refuse_embedded(settings)
        async with cluster_admin(settings) as admin:
            return await admin.create_missing()

    created = run(work(), debug=options(context).debug)
    stdout.print("\n".join(f"created {name}" for name in created) or "all topics exist")


@app.command("describe", epilog=example("topics describe verdicts"))
def describe(context: typer.Context, name: Annotated[str, typer.Argument(help="A topic's name.")]) -> None:
    """One topic: what flows in it and how the cluster keeps it."""
    if name not in BY_NAME:
        message = f"no topic {name!r}; choose from {', '.join(topic.name for topic in TOPICS)}"
        run(_refuse(message), debug=options(context).debug)
    state = next(one for one in run(_states(), debug=options(context).debug) if one.topic.name == name)
    topic = state.topic
    lines = {
        "topic": state.full_name,
        "purpose": topic.purpose,
        "key": topic.key,
        "carries": topic.contract.__name__ if topic.contract else "raw bytes",
        "partitions": state.partitions or "missing: run `veristream topics create`",
        "replication": state.replication,
        **topic.broker_config(),
    }
    for label, value in lines.items():
        stdout.print(f"{label + ':':20} {value}")


async def _states() -> list[TopicState]:
    async with cluster_admin(reachable_settings()) as admin:
        return await admin.topics()


async def _refuse(message: str) -> None:
    raise Refused(message)


def _refuse_embedded(settings: Settings) -> None:
    if settings.embedded:
        raise Refused("the embedded broker makes its own topics; set VERISTREAM_BROKER to create them on a cluster")
