"""`veristream` commands run inside this process: the same code without the second that a process needs to start."""

import os
from collections.abc import Mapping, Sequence

from typer.testing import CliRunner, Result

from streams.cli.main import app
from streams.settings import PREFIX


def invoke(arguments: Sequence[str], environment: Mapping[str, str]) -> Result:
    """One command with exactly these settings."""
    foreign: dict[str, str | None] = {name: None for name in os.environ if name.startswith(PREFIX)}
    return CliRunner().invoke(app, list(arguments), env=foreign | dict(environment), catch_exceptions=False)
