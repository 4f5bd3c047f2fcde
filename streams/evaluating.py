"""An evaluation: the corpus into a store of its own, the claims through the real pipeline, no web.

The broker is embedded unless one is named; then topics of its own are made there. The worker is a process like any
other. What is known of a claim is appended to `results.jsonl` at once, so that an interrupted run can go on.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from agents.claims import retrieval
from agents.claims.package import VerdictPackage
from agents.claims.package.rebuilding import job_of
from agents.claims.parts.joining import in_turns
from agents.claims.submission import Submission
from agents.evaluation.cases import Case, document_addresses
from agents.evaluation.results import CaseResult, failed, result_of
from agents.evidence.documents import Reading, Visit
from agents.evidence.http import open_client
from agents.knowledge.ingestion import Ingestion, Tally, Target
from agents.knowledge.sources import plan_sources, read_sources
from agents.services import Services
from storage.ports import JobState
from storage.ports.evidence import STATIC_KNOWLEDGE
from streams.bootstrap import open_services, utc_now
from streams.errors import CannotStart
from streams.gateway.desk import Desk
from streams.gateway.problems import Problem
from streams.isolated import OF_ITS_OWN, isolated_system
from streams.settings import Settings

RESULTS = "results.jsonl"
STORE = "store"
CLAIM_SECONDS = 600.0
"""How long one claim is waited for; a worker that needs longer is stuck."""
AT_ONCE = 12
"""Claims in flight: enough to keep every stage and every core busy."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What is evaluated, and where its files are."""

    cases: Sequence[Case]
    corpus: Path
    folder: Path
    settings: Settings
    done: Mapping[int, CaseResult] = field(default_factory=dict)
    """Results of an earlier, interrupted run."""

    def open_cases(self) -> list[tuple[int, Case]]:
        return [(number, case) for number, case in enumerate(self.cases) if number not in self.done]


@dataclass(frozen=True, slots=True)
class Watch:
    """Who is told how far things are."""

    ingested: Callable[[Tally], None]
    judged: Callable[[CaseResult], None]


def read_results(folder: Path, cases: Sequence[Case]) -> dict[int, CaseResult]:
    """The results of an earlier run by the number of their claim; a last line cut off in mid-write is dropped."""
    path = folder / RESULTS
    found: dict[int, CaseResult] = {}
    for line in path.read_bytes().splitlines(keepends=True) if path.exists() else ():
        if not line.endswith(b"\n"):
            break
        result = CaseResult.model_validate_json(line)
        if result.number < len(cases) and result.id == str(cases[result.number].id):
            found[result.number] = result
    return found


async def evaluate(plan: Plan, watch: Watch) -> tuple[list[CaseResult], float]:
    """Every result in the order of the claims, and how long the stream took."""
    wanted = frozenset(str(one) for case in plan.cases for one in case.gold_docs)
    addresses = await asyncio.to_thread(document_addresses, plan.corpus, wanted, utc_now().date())
    settings = plan.settings.model_copy(update={**OF_ITS_OWN, "data_dir": plan.folder / STORE})
    results = dict(plan.done)
    # Written anew, so that a line cut off in mid-write does not stay.
    _write(plan.folder / RESULTS, [results[number] for number in sorted(results)])
    async with open_services(settings) as services:
        await _ingest(plan.corpus, services, watch)
        started = time.monotonic()
        async with isolated_system(settings) as desk:
            await _stream(plan, desk, _Judge(services, addresses), results, watch)
        elapsed = time.monotonic() - started
    return [results[number] for number in sorted(results)], elapsed


async def _ingest(corpus: Path, services: Services, watch: Watch) -> None:
    target = Target(
        collection=STATIC_KNOWLEDGE,
        index=services.index,
        embedder=services.embedder,
        credibility=services.credibility,
        clock=services.clock,
    )
    async with open_client() as client:
        visit = Visit(client, None, Reading(latest=services.clock().date()))
        ingestion = Ingestion(target, progress=watch.ingested)
        await ingestion.run(read_sources(plan_sources([str(corpus)]), visit))


@dataclass(frozen=True, slots=True)
class _Judge:
    """Holds a claim's package against its label."""

    services: Services
    addresses: Mapping[str, str]

    def gold_urls(self, case: Case) -> frozenset[str]:
        return frozenset(self.addresses[str(one)] for one in case.gold_docs)

    async def result(self, number: int, case: Case, package: VerdictPackage) -> CaseResult:
        """Retrieval is asked once more, with what the job had read: a package keeps only what ranking kept."""
        parts = [sub.package for sub in package.sub_results if sub.package is not None] or [package]
        found = [(await retrieval.look_up(job_of(part), self.services))[0] for part in parts]
        candidates = list({row.id: row for row in in_turns(found)}.values())
        return result_of(number, case, package, candidates, self.gold_urls(case))


async def _stream(plan: Plan, desk: Desk, judge: _Judge, results: dict[int, CaseResult], watch: Watch) -> None:
    waiting = iter(plan.open_cases())

    async def lane() -> None:
        for number, case in waiting:
            result = await _one(number, case, desk, judge)
            results[number] = result
            _append(plan.folder / RESULTS, result)
            watch.judged(result)

    async with asyncio.TaskGroup() as lanes:
        for _ in range(AT_ONCE):
            lanes.create_task(lane())


async def _one(number: int, case: Case, desk: Desk, judge: _Judge) -> CaseResult:
    submission = Submission(job_id=f"claim-{number}", claim=case.claim)
    try:
        outcome = await desk.verify(submission, CLAIM_SECONDS, _never)
    except Problem as error:
        raise CannotStart(f"claim {case.id!r} was not taken: {error}; --resume goes on from here") from None
    if outcome is None:
        raise TimeoutError(f"no verdict on claim {case.id!r} within {CLAIM_SECONDS:.0f} s; --resume goes on from here")
    if outcome.state is not JobState.COMPLETED:
        return failed(number, case, judge.gold_urls(case))
    return await judge.result(number, case, VerdictPackage.model_validate_json(outcome.payload))


async def _never() -> None:
    """Nobody who asked goes away here."""
    await asyncio.Event().wait()


def _append(path: Path, result: CaseResult) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write(result.model_dump_json() + "\n")


def _write(path: Path, results: Sequence[CaseResult]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(result.model_dump_json() + "\n" for result in results), encoding="utf-8")
