"""What another policy would have decided: an evaluation again, without a broker, with every stance remembered.

    veristream evaluate --claims CLAIMS --corpus CORPUS --report REPORT           # makes the store
    python benchmarks/replay.py CLAIMS CORPUS REPORT --policy specification
    python benchmarks/replay.py CLAIMS CORPUS REPORT --set reconciliation.binary_signal=0.3 --set news.min_evidence=1
    python benchmarks/replay.py CLAIMS CORPUS REPORT --half odd --set ...     # confirm what --half even chose

The handlers of the stages are called in turn, in this process. What the stance model said is kept, by claim and
passage, in REPORT/stances.json, so that every run after the first takes seconds. Prints one JSON object.
"""

import argparse
import asyncio
import json
import sys
import uuid
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from agents.claims import intake, ranking, retrieval
from agents.claims.evidence import CandidateRow
from agents.claims.job import ClaimJob
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from agents.evaluation.cases import Case, document_addresses, read_cases
from agents.evaluation.measures import summarise
from agents.evaluation.results import CaseResult, result_of
from agents.language.ports import Pair, StanceModel
from agents.services import Services
from scoring.policy import Policy, policy_named
from scoring.values import Stance
from streams.bootstrap import open_services
from streams.evaluating import STORE
from streams.isolated import OF_ITS_OWN
from streams.settings import load_settings
from streams.topology import STAGES

HANDLERS = {stage.reads.name: stage.handle for stage in STAGES}
AT_ONCE = 4
NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Remembering:
    """A stance model that is asked only what it was never asked before."""

    def __init__(self, model: StanceModel, path: Path) -> None:
        self._model, self._path = model, path
        self.name = model.name
        known: dict[str, list[float]] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        self._known = {key: Stance(*shares) for key, shares in known.items()}

    async def judge(self, pairs: Sequence[Pair]) -> tuple[Stance, ...]:
        new = {self._key(pair): pair for pair in pairs if self._key(pair) not in self._known}
        if new:
            self._known.update(zip(new, await self._model.judge(list(new.values())), strict=True))
        return tuple(self._known[self._key(pair)] for pair in pairs)

    def save(self) -> None:
        """Keep everything for the next run."""
        shares = {key: [stance.supports, stance.refutes, stance.neutral] for key, stance in self._known.items()}
        self._path.write_text(json.dumps(shares), encoding="utf-8")

    def _key(self, pair: Pair) -> str:
        return json.dumps([self.name, pair.claim, pair.titled, str(pair.published)])


def changed(policy: Any, path: str, value: object) -> Any:
    """The frozen policy with one field, named by its path, set."""
    name, _, rest = path.partition(".")
    return replace(policy, **{name: changed(getattr(policy, name), rest, value) if rest else value})


@dataclass(frozen=True, slots=True)
class Claims:
    """The files of one set, and the folder of its evaluation."""

    claims: Path
    corpus: Path
    report: Path


@asynccontextmanager
async def remembering(report: Path, policy: Policy) -> AsyncIterator[Services]:
    """The services of an evaluation: its store, no web, this policy, and a memory for stances."""
    settings = load_settings().model_copy(update={**OF_ITS_OWN, "broker": None, "data_dir": report / STORE})
    async with open_services(settings) as opened:
        memory = Remembering(opened.stance, report / "stances.json")
        yield replace(opened, stance=memory, policy=policy)
        memory.save()


async def ranked_jobs(files: Claims, policy: Policy) -> list[tuple[Case, ClaimJob]]:
    """Every claim of one statement, with the evidence that ranking keeps. Others are decided part by part."""
    cases = read_cases(files.claims)
    run = uuid.uuid4().hex
    async with remembering(files.report, policy) as services:
        turns = asyncio.Semaphore(AT_ONCE)

        async def one(number: int, case: Case) -> tuple[Case, ClaimJob] | None:
            value: Any = Submission(job_id=f"ranked-{run}-{number}", claim=case.claim)
            async with turns:
                for stage in (intake, retrieval, ranking):
                    sends = (await stage.handle(value, services)).sends
                    if len(sends) != 1:
                        return None
                    value = sends[0].value
            return case, value

        found = await asyncio.gather(*(one(number, case) for number, case in enumerate(cases)))
    return [pair for pair in found if pair is not None]


async def judge(number: int, case: Case, run: str, services: Services, addresses: Mapping[str, str]) -> CaseResult:
    """One claim through every stage, as the topics would carry it. The ledger knows nothing of earlier runs' ids."""
    waiting: list[tuple[str, Any]] = [("claims", Submission(job_id=f"replay-{run}-{number}", claim=case.claim))]
    candidates: dict[str, CandidateRow] = {}
    package: VerdictPackage | None = None
    while waiting:
        topic, value = waiting.pop()
        for send in (await HANDLERS[topic](value, services)).sends:
            if send.to == "verdicts":
                assert isinstance(send.value, bytes)
                package = VerdictPackage.model_validate_json(send.value)
            else:
                waiting.append((send.to, send.value))
                candidates |= {row.id: row for row in getattr(send.value, "candidates", ())}
    assert package is not None
    gold = {addresses[str(one)] for one in case.gold_docs}
    return result_of(number, case, package, list(candidates.values()), gold)


async def replay(args: argparse.Namespace) -> dict[str, Any]:
    cases = list(enumerate(read_cases(args.claims, args.limit)))
    wanted = frozenset(str(one) for _, case in cases for one in case.gold_docs)
    addresses = document_addresses(args.corpus, wanted, NOW.date())
    if args.half != "all":
        cases = cases[args.half == "odd" :: 2]
    policy = policy_named(args.policy)
    for change in args.set:
        path, _, value = change.partition("=")
        policy = changed(policy, path, json.loads(value))
    async with remembering(args.report, policy) as services:
        turns, run = asyncio.Semaphore(AT_ONCE), uuid.uuid4().hex

        async def one(number: int, case: Case) -> CaseResult:
            async with turns:
                return await judge(number, case, run, services, addresses)

        results = await asyncio.gather(*(one(number, case) for number, case in cases))
    measured = summarise(results, None).model_dump(mode="json")
    return {"policy": args.policy, "set": args.set, "half": args.half, **measured}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("report", type=Path, help="folder of a finished `veristream evaluate`")
    parser.add_argument("--policy", default="calibrated")
    parser.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="a field of the policy")
    parser.add_argument("--half", choices=("all", "even", "odd"), default="all")
    parser.add_argument("--limit", type=int)
    print(json.dumps(asyncio.run(replay(parser.parse_args()))))


if __name__ == "__main__":
    main()
