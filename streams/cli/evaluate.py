"""`veristream evaluate`: how right the verdicts on a set of labelled claims are, as JSON and as a page with plots."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from agents.evaluation.cases import BadCases, read_cases
from agents.evaluation.measures import Summary, summarise
from agents.evaluation.page import html_page
from agents.evaluation.results import CaseResult
from streams.bootstrap import stance_name, utc_now
from streams.cli.errors import Refused, fail, run, stderr
from streams.cli.options import example, options, stdout
from streams.evaluating import RESULTS, Plan, Watch, evaluate, read_results
from streams.logs import configure_logs
from streams.settings import Settings, SettingsError, load_settings
from streams.version import VERSION

INTERRUPTED = 130
JSON_FILE, PAGE, BEGUN = "report.json", "report.html", "begun.json"


def register(app: typer.Typer) -> None:
    command = "evaluate --claims claims.jsonl.gz --corpus corpus.jsonl.gz --limit 300 --report report/"
    app.command("evaluate", epilog=example(command))(evaluate_claims)


def evaluate_claims(  # noqa: PLR0917 - typer reads options from parameters
    context: typer.Context,
    claims: Annotated[Path, typer.Option(help='JSON lines {"id", "claim", "label", "gold_docs"}, also .gz.')],
    corpus: Annotated[Path, typer.Option(help='JSON lines {"doc_id", "title", "sentences"}, also .gz.')],
    limit: Annotated[int | None, typer.Option(min=1, help="Only the first claims.")] = None,
    report: Annotated[Path, typer.Option(help="Folder for store, results and report.")] = Path("evaluation"),
    broker: Annotated[str | None, typer.Option(help="kafka://host:port; without it the embedded broker.")] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the run that was interrupted there.")] = False,
) -> None:
    """Stream labelled claims through the pipeline over a corpus, without the web, and report how right it is."""
    try:
        plan = _plan(claims, corpus, limit, report, broker, resume=resume)
        results, elapsed = run(_evaluate(plan), debug=options(context).debug)
    except (BadCases, Refused, SettingsError) as error:
        raise fail(str(error)) from None
    except typer.Exit as end:
        if end.exit_code == INTERRUPTED:
            stderr.print("stopped; the same command with --resume goes on from there")
        raise
    whole = elapsed if not plan.done else None
    summary = summarise(results, whole)
    _write(report, _facts(claims, corpus, plan.settings), summary, results)
    _say(summary, report)


def _plan(claims: Path, corpus: Path, limit: int | None, report: Path, broker: str | None, *, resume: bool) -> Plan:
    """Everything that can be wrong is found before anything is started."""
    settings = load_settings(broker=broker)
    settings = settings.model_copy(update={"broker": settings.broker if broker else None, "embedded": False})
    cases = read_cases(claims, limit)
    if not corpus.is_file():
        raise Refused(f"cannot read {corpus}: no such file")
    if (report / RESULTS).exists() and not resume:
        raise Refused(f"{report} holds an evaluation already: --resume goes on with it, --report names another folder")
    _begin(report, _facts(claims, corpus, settings))
    configure_logs(settings, quiet=True)
    return Plan(cases, corpus, report, settings, read_results(report, cases) if resume else {})


def _facts(claims: Path, corpus: Path, settings: Settings) -> dict[str, str]:
    """What the numbers depend on."""
    return {
        "claims": claims.name,
        "documents": corpus.name,
        "policy": settings.policy,
        "stance": stance_name(settings),
        "embedder": settings.embedder,
        "version": VERSION,
    }


def _begin(report: Path, facts: Mapping[str, str]) -> None:
    """Two halves of a run must have been made alike."""
    path = report / BEGUN
    if path.exists():
        before = json.loads(path.read_text(encoding="utf-8"))
        if changed := [f"{name} {before.get(name)}" for name in facts if before.get(name) != facts[name]]:
            raise Refused(f"{report} was begun with {', '.join(changed)}: go on like that, or name another folder")
    report.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")


async def _evaluate(plan: Plan) -> tuple[list[CaseResult], float]:
    with _progress() as bar:
        ingesting = bar.add_task("documents", total=None)
        judging = bar.add_task("claims", total=len(plan.cases), completed=len(plan.done))
        watch = Watch(
            ingested=lambda tally: bar.update(ingesting, completed=tally.documents),
            judged=lambda _: bar.advance(judging),
        )
        try:
            return await evaluate(plan, watch)
        except BaseExceptionGroup as group:
            raise group.exceptions[0] from None


def _progress() -> Progress:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    return Progress(*columns, console=stderr, transient=True, disable=not sys.stderr.isatty())


def _write(report: Path, facts: Mapping[str, str], summary: Summary, results: list[CaseResult]) -> None:
    dated = {**facts, "on": utc_now().date().isoformat()}
    document = {"facts": dated, "summary": summary.model_dump(mode="json")}
    (report / JSON_FILE).write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    page = html_page(f"Evaluation on {facts['claims'].partition('.')[0]}", dated, summary, results)
    (report / PAGE).write_text(page, encoding="utf-8")


def _say(summary: Summary, report: Path) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, value in (
        ("claims", f"{summary.claims}"),
        ("accuracy", f"{summary.accuracy:.3f}"),
        ("macro-F1", f"{summary.macro_f1:.3f}"),
        ("decided", f"{summary.decided:.3f}, right among them {summary.accuracy_decided:.3f}"),
        ("ECE, Brier", f"{summary.ece:.3f}, {summary.brier:.3f}"),
        ("wrong by cause", ", ".join(f"{count} {cause}" for cause, count in summary.causes.items() if count) or "none"),
        ("report", str(report / PAGE)),
    ):
        table.add_row(name, value)
    stdout.print(table)
