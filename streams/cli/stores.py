"""`veristream stores`: check and mend the stores, carry them elsewhere, delete what must go or was kept long enough."""

from collections import Counter
from dataclasses import astuple
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer

from agents.knowledge.checking import Report
from agents.knowledge.checking import verify as look
from agents.knowledge.exchange import BadBackup, import_lines
from agents.knowledge.exchange import export as write_lines
from agents.knowledge.forgetting import Forgotten, forget_before, forget_page
from agents.knowledge.repair import Mended
from agents.knowledge.repair import repair as mend
from agents.services import Services
from storage.ports import Embedder as EmbedderIdentity
from storage.ports import Retention, Stores
from streams.bootstrap import open_services
from streams.cli.errors import Refused, fail, run, stderr
from streams.cli.knowledge import store_settings
from streams.cli.options import example, options, stdout

SHOWN = 10

app = typer.Typer(help="Verify, repair, export, import, purge the stores; forget a page.", no_args_is_help=True)


@app.command("verify", epilog=example("stores verify"))
def verify(context: typer.Context) -> None:
    """Look for passages that searches do not reach, and for pages on which the stores disagree."""
    report = run(_verify(), debug=options(context).debug)
    _say(report)
    if not report.is_sound:
        raise fail("the stores need mending: `veristream stores repair`")


@app.command("repair", epilog=example("stores repair"))
def repair(context: typer.Context) -> None:
    """Mend what `verify` finds, from what is stored."""
    mended, left = run(_repair(), debug=options(context).debug)
    stdout.print(
        f"passages written anew {mended.rewritten}, pages to be read again {mended.forgotten},"
        f" relations added {mended.added}, relations deleted {mended.dropped}"
    )
    _say(left)
    if not left.is_sound:
        raise fail("some things could not be mended; see the lines above")


@app.command("export", epilog=example("stores export backup.jsonl.gz"))
def export(
    context: typer.Context, file: Annotated[Path, typer.Argument(help="Where to write; .gz is compressed.")]
) -> None:
    """Write passages with their vectors, relations, entities and claims as JSON lines."""
    counted = run(_export(file), debug=options(context).debug)
    stdout.print(f"wrote {_counts(counted)} to {file}", markup=False)


@app.command("import", epilog=example("stores import backup.jsonl.gz"))
def import_(context: typer.Context, file: Annotated[Path, typer.Argument(help="What `export` wrote.")]) -> None:
    """Store what `export` wrote; doing it twice is doing it once."""
    counted = run(_import(file), debug=options(context).debug)
    stdout.print(f"stored {_counts(counted)} from {file}", markup=False)


@app.command("purge", epilog=example("stores purge --days 30 --workspace legal=365"))
def purge(
    context: typer.Context,
    days: Annotated[int, typer.Option(min=1, help="How long audit entries are kept.")] = 90,
    workspace: Annotated[
        list[str] | None, typer.Option(help="NAME=DAYS for a workspace that keeps them longer or shorter.")
    ] = None,
    facts_days: Annotated[
        int | None, typer.Option(min=1, help="Also delete what jobs read longer ago than this from the web.")
    ] = None,
) -> None:
    """Delete old audit entries (90 days by default), notes on fetched pages and answers of models."""
    kept = Retention(timedelta(days=days), dict(_workspace(text) for text in workspace or []))
    age = None if facts_days is None else timedelta(days=facts_days)
    purged, gone = run(_purge(kept, age), debug=options(context).debug)
    stdout.print("deleted {} audit entries, {} notes on fetched pages and {} answers of models".format(*purged))
    if gone is not None:
        stdout.print(f"deleted {_gone(gone)}")


@app.command("forget", epilog=example("stores forget https://example.org/retracted"))
def forget(
    context: typer.Context, addresses: Annotated[list[str], typer.Argument(help="Addresses of pages or documents.")]
) -> None:
    """Delete all that was read from a page: its passages, its relations, and the mark that it was read."""
    gone = run(_forget(addresses), debug=options(context).debug)
    stdout.print(f"deleted {_gone(gone)}")
    if gone == Forgotten():
        raise fail("the stores hold nothing under such an address; `veristream stores export` lists what they hold")


def _workspace(text: str) -> tuple[str, timedelta]:
    name, _, days = text.rpartition("=")
    if not name or not days.isdigit() or int(days) < 1:
        raise fail(f"{text!r} is not NAME=DAYS, such as legal=365")
    return name, timedelta(days=int(days))


def _stores(services: Services) -> Stores:
    return Stores(
        ledger=services.ledger,
        index=services.index,
        graph=services.graph,
        urls=services.urls,
        answers=services.answers,
    )


async def _verify() -> Report:
    async with open_services(store_settings()) as services:
        return await look(_stores(services), services.clock())


async def _repair() -> tuple[Mended, Report]:
    async with open_services(store_settings()) as services:
        stores = _stores(services)
        mended = await mend(stores, await look(stores, services.clock()), services.clock())
        return mended, await look(stores, services.clock())


async def _export(file: Path) -> Counter[str]:
    async with open_services(store_settings()) as services:
        return await write_lines(file, services.index, services.graph, services.clock())


async def _import(file: Path) -> Counter[str]:
    async with open_services(store_settings()) as services:
        identity = EmbedderIdentity(services.embedder.name, services.embedder.dimension)
        try:
            return await import_lines(file, services.index, services.graph, identity)
        except BadBackup as error:
            raise Refused(str(error)) from None


async def _purge(retention: Retention, facts: timedelta | None) -> tuple[tuple[int, int, int], Forgotten | None]:
    async with open_services(store_settings()) as services:
        now = services.clock()
        purged = (
            await services.ledger.purge(now, retention),
            await services.urls.purge(now),
            await services.answers.purge(now),
        )
        return purged, None if facts is None else await forget_before(_stores(services), now - facts)


async def _forget(addresses: list[str]) -> Forgotten:
    async with open_services(store_settings()) as services:
        gone = [await forget_page(_stores(services), address) for address in addresses]
        return Forgotten(*(sum(numbers) for numbers in zip(*map(astuple, gone), strict=True)))


def _gone(gone: Forgotten) -> str:
    return f"{gone.passages} passages and {gone.relations} relations; {gone.pages} pages may be read again"


def _say(report: Report) -> None:
    stdout.print(f"looked at {report.passages} passages and {report.facts} relations")
    for collection, ids in report.unreachable.items():
        _list(f"passages of {collection} that searches do not reach", ids)
    _list("pages marked as read of which the index holds nothing", report.lost)
    _list("pages whose relations name passages that are gone", report.loose)
    _list("pages of which the graph misses the relations", report.half_stored)
    if report.is_sound:
        stdout.print("the stores agree")


def _list(what: str, items: tuple[str, ...]) -> None:
    if items:
        stdout.print(f"{what}: {len(items)}")
        for item in items[:SHOWN]:
            stderr.print(f"  {item}", markup=False)


def _counts(counted: Counter[str]) -> str:
    kinds = {"passage": "passages", "fact": "relations", "entity": "entities", "claim": "claims"}
    return ", ".join(f"{counted[kind]} {name}" for kind, name in kinds.items())
