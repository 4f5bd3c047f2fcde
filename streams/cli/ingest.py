"""`veristream ingest`: one's own files, pages and feeds into the knowledge base."""

from datetime import UTC
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from agents.evidence.documents import Reading, Visit
from agents.evidence.http import open_client
from agents.knowledge import feed_memory
from agents.knowledge.ingestion import Ingestion, Tally, Target
from agents.knowledge.sources import NoSuchSource, Plan, plan_sources, read_sources
from agents.services import Services
from storage.ports.evidence import CURRENT_AFFAIRS, FACTS, STATIC_KNOWLEDGE
from streams.bootstrap import open_services
from streams.cli.errors import Refused, fail, run, stderr
from streams.cli.knowledge import store_settings
from streams.cli.options import example, options, stdout

INTERRUPTED = 130


class Collection(StrEnum):
    """Where documents can go (004 §5.3, and what jobs extract)."""

    STATIC = STATIC_KNOWLEDGE
    CURRENT = CURRENT_AFFAIRS
    FACTS = FACTS


def register(app: typer.Typer) -> None:
    app.command(epilog=example("ingest reports/ https://example.org/feed.xml"))(ingest)


def ingest(
    context: typer.Context,
    sources: Annotated[list[str], typer.Argument(help="Files, folders, addresses of pages or of feeds.")],
    collection: Annotated[Collection, typer.Option(help="Where the documents go.")] = Collection.STATIC,
    relations: Annotated[
        bool, typer.Option("--relations", help="Also read who does what to whom into the graph; takes longer.")
    ] = False,
) -> None:
    """Add HTML, Markdown, text, PDF and JSON lines (also .gz), web pages and RSS or Atom feeds; again is a no-op."""
    tally = Tally()
    try:
        run(_ingest(sources, collection, relations, tally), debug=options(context).debug)
    except typer.Exit as end:
        if end.exit_code == INTERRUPTED:
            stderr.print(f"stopped: {tally.new} new passages are stored; the same command goes on from there")
        raise
    _say(tally)
    if tally.skipped.total() > tally.skipped["read_today"] and not tally.documents:
        raise fail("nothing could be read; the lines above say why")


async def _ingest(sources: list[str], collection: Collection, relations: bool, tally: Tally) -> None:
    try:
        plan = plan_sources(sources)
    except NoSuchSource as error:
        raise Refused(str(error)) from None
    # What jobs extract is in both stores, so what joins it is as well.
    relations = relations or collection is Collection.FACTS
    async with open_services(store_settings()) as services, open_client() as client:
        target = Target(
            collection=collection.value,
            index=services.index,
            embedder=services.embedder,
            credibility=services.credibility,
            clock=services.clock,
            graph=services.graph if relations else None,
        )
        now = services.clock().astimezone(UTC)
        memory = await feed_memory.recall(services.urls, collection.value, now)
        visit = Visit(client, services.fetcher, Reading(latest=now.date()), memory)
        await _with_bar(plan, visit, target, services, tally)


async def _with_bar(plan: Plan, visit: Visit, target: Target, services: Services, tally: Tally) -> None:
    with _progress() as bar:
        task = bar.add_task("ingesting", total=plan.size, documents=0)
        ingestion = Ingestion(
            target,
            tally=tally,
            progress=lambda so_far: bar.update(task, completed=so_far.consumed, documents=so_far.documents),
            after_storing=partial(_remember, services, target.collection, visit),
        )
        await ingestion.run(read_sources(plan, visit))


async def _remember(services: Services, collection: str, visit: Visit, stored: list[str]) -> None:
    await feed_memory.remember(services.urls, collection, visit.feeds, stored, services.clock())


class _Rate(ProgressColumn):
    """Documents, and how many of them a second."""

    def render(self, task: Task) -> Text:
        documents = int(task.fields["documents"])
        rate = documents / task.elapsed if task.elapsed else 0.0
        return Text(f"{documents:,} documents, {rate:,.0f}/s")


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), _Rate(), TimeRemainingColumn())
    return Progress(*columns, console=stderr, transient=True, disable=not stderr.is_terminal)


def _say(tally: Tally) -> None:
    related = f", {tally.relations} new relations" if tally.relations else ""
    outdated = f", {tally.outdated} of earlier versions deleted" if tally.outdated else ""
    stdout.print(
        f"{tally.documents} documents: {tally.new} new passages, {tally.known} known already{outdated}{related};"
        f" skipped {tally.skipped.total()}"
    )
    for skipped in tally.examples:
        stderr.print(f"  {skipped.where}: {skipped.detail}", markup=False)
    for reason, count in tally.skipped.most_common():
        stderr.print(f"skipped {count}: {reason}", markup=False)
