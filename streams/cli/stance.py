"""`veristream stance`: whether each passage supports or refutes its claim, as JSON lines."""

import sys
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Annotated

import typer

from agents.language.stance.lines import BadLine, judge_lines
from streams.bootstrap import open_stance
from streams.cli.errors import Refused, fail, run, stderr
from streams.cli.options import example, options, stdout
from streams.settings import load_settings


def register(app: typer.Typer) -> None:
    app.command(epilog=example("stance pairs.jsonl"))(stance)


def stance(
    context: typer.Context,
    path: Annotated[str, typer.Argument(help="A file of JSON lines, or - for standard input.")] = "-",
) -> None:
    """Judge {"claim": "...", "evidence": "..."} per line: {"supports", "refutes", "neutral"}, in the same order."""
    bad = run(_judge(path), debug=options(context).debug)
    if bad:
        raise fail(f"{bad} lines could not be read and have no answer; all others have theirs")


async def _judge(path: str) -> int:
    bad = 0
    async with AsyncExitStack() as stack:
        model = open_stance(load_settings(), stack)
        async for answer in judge_lines(_lines(path), model):
            if isinstance(answer, BadLine):
                bad += 1
                stderr.print(f"line {answer.number}: {answer.reason}", markup=False)
            else:
                stdout.print(answer, markup=False)
    return bad


def _lines(path: str) -> Iterator[str]:
    if path == "-":
        yield from sys.stdin
        return
    try:
        with Path(path).open(encoding="utf-8", errors="replace") as file:
            yield from file
    except OSError as error:
        raise Refused(f"cannot read {path}: {error.strerror}") from None
