"""The `veristream` command."""

from streams.cli.main import main

__all__ = ["main"]
