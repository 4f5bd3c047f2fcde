"""Runs a `veristream` command in this process, with stores of the test's own and nobody's settings."""

import os

from typer.testing import CliRunner, Result

from streams.cli.main import app
from streams.settings import PREFIX


def run(environment: dict[str, str], *arguments: str) -> Result:
    cleared: dict[str, str | None] = {name: None for name in os.environ if name.startswith(PREFIX)}
    return CliRunner().invoke(app, list(arguments), env={**cleared, "TAVILY_API_KEY": None, **environment})
