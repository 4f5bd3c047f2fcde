"""The command line: one Typer app, one module per group of commands."""

from typing import Annotated

import typer

from streams.cli import (
    audit,
    dead_letters,
    doctor,
    evaluate,
    export,
    ingest,
    keys,
    knowledge,
    processes,
    stance,
    stores,
    submit,
    topics,
    up,
    verify,
    watch,
)
from streams.cli.options import Options

app = typer.Typer(
    name="veristream",
    help="Verifies claims as they stream by: Kafka in, auditable verdicts out.",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def _options(
    context: typer.Context,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks instead of one-line errors.")] = False,
) -> None:
    context.obj = Options(debug=debug)


for module in (up, processes, submit, watch, verify, audit, export, ingest, stance, evaluate, doctor):
    module.register(app)
app.add_typer(topics.app, name="topics")
app.add_typer(dead_letters.app, name="dead-letters")
app.add_typer(keys.app, name="keys")
app.add_typer(knowledge.app, name="knowledge")
app.add_typer(stores.app, name="stores")


def main() -> None:
    """Entry point of the console script."""
    app()
