"""One line that says what to do; a traceback only with --debug."""

import asyncio
import sys
from collections.abc import Coroutine
from typing import Any, TypeVar

import httpx
import typer
from aiokafka.errors import KafkaError
from rich.console import Console

from storage.errors import StoreError
from streams.errors import BrokerUnreachable, CannotStart, ChildGaveUp, PortInUse
from streams.settings import SettingsError

T = TypeVar("T")

stderr = Console(stderr=True, soft_wrap=True, highlight=False)

EXPECTED = (
    SettingsError,
    BrokerUnreachable,
    PortInUse,
    CannotStart,
    ChildGaveUp,
    StoreError,
    KafkaError,
    httpx.HTTPError,
    OSError,
    TimeoutError,
)


class Refused(Exception):  # noqa: N818 - what the user asked for cannot be done as asked
    """A command's own error: one line."""


def fail(message: str, code: int = 1) -> typer.Exit:
    """Print one line to standard error; raise what this returns."""
    stderr.print(
        f"[red]error:[/red] {message}" if sys.stderr.isatty() else f"error: {message}", markup=sys.stderr.isatty()
    )
    return typer.Exit(code)


def run(work: Coroutine[Any, Any, T], *, debug: bool = False) -> T:
    """Run a command's coroutine; what can be expected to go wrong becomes one line."""
    try:
        return asyncio.run(work)
    except KeyboardInterrupt:
        raise typer.Exit(130) from None
    except (*EXPECTED, Refused) as error:
        if debug:
            raise
        raise fail(str(error) or type(error).__name__) from None
