"""What every command shares: the global options, and where output goes."""

from dataclasses import dataclass

import typer
from rich.console import Console


@dataclass(frozen=True, slots=True)
class Options:
    """Options that stand before the command."""

    debug: bool = False


def options(context: typer.Context) -> Options:
    """The global options of this invocation."""
    found = context.find_object(Options)
    return found if found is not None else Options()


def example(command: str) -> str:
    """The last line of a command's help."""
    return f"[dim]Example:[/dim] [bold]veristream {command}[/bold]"


stdout = Console(soft_wrap=True, highlight=False)
