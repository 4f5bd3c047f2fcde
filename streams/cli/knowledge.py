"""`veristream knowledge`: keep the knowledge base fresh. Also how the commands about stores find them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated

import typer

from agents.knowledge.queries import DEFAULT_QUERIES
from agents.knowledge.refresh import Refreshed, RefreshFailed, RefreshPolicy, refresh
from streams.bootstrap import open_services
from streams.cli.errors import Refused, run, stderr
from streams.cli.options import example, options, stdout
from streams.cli.target import running_embedded
from streams.settings import Settings, load_settings

app = typer.Typer(help="Keep the knowledge base fresh.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """A group of its own, although it has one command yet."""


@app.command("refresh", epilog=example("knowledge refresh --queries desks.txt"))
def refresh_now(
    context: typer.Context,
    queries: Annotated[
        Path | None, typer.Option(help="A file with one query per line; without it, one per desk of a newsroom.")
    ] = None,
) -> None:
    """Search current affairs anew and swap them in at one stroke; a failure leaves the old ones in place."""
    done = run(_refresh(queries), debug=options(context).debug)
    unanswered = f", {done.unanswered} unanswered" if done.unanswered else ""
    stdout.print(
        f"{done.collection}: {done.passages} passages of {done.pages} pages, from {done.queries} queries{unanswered}"
    )
    for reason, count in done.skipped.most_common():
        stderr.print(f"skipped {count}: {reason}", markup=False)


async def _refresh(queries: Path | None) -> Refreshed:
    policy = RefreshPolicy(queries=read_queries(queries))
    async with searchable(store_settings()) as settings, open_services(settings) as services:
        try:
            return await refresh(services, policy)
        except RefreshFailed as error:
            raise Refused(str(error)) from None


def read_queries(path: Path | None) -> tuple[str, ...]:
    """The queries of a file: one per line, blank lines and lines that start with # left out."""
    if path is None:
        return DEFAULT_QUERIES
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise Refused(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}") from None
    found = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
    if not found:
        raise Refused(f"{path} holds no queries; write one per line")
    return tuple(dict.fromkeys(found))


def store_settings() -> Settings:
    """The settings of the stores: a folder that was named, else the one of the embedded system that runs here."""
    settings = load_settings()
    if settings.broker is not None or "data_dir" in settings.model_fields_set:
        return settings
    return running_embedded(settings) or settings


@asynccontextmanager
async def searchable(settings: Settings) -> AsyncIterator[Settings]:
    """Settings with a web to search: where that is the sample web, it is served for the length of the block."""
    named = settings.search_providers
    uses_samples = "sample" in named or (not named and settings.tavily_api_key is None)
    if settings.sample_web_url or not uses_samples:
        yield settings
        return
    from streams.embedded.sample_web import serve
    from streams.embedded.samples import trusting_the_town

    async with serve() as origin:
        yield trusting_the_town(settings).model_copy(update={"sample_web_url": origin})
