"""The judge: reads every output from its first offset to its last, knows every accepted id, and says one line.

    python -m tests.faults.verifier --broker 127.0.0.1:9092 --accepted ids.txt --group veristream [--prefix p.]

Nothing it looks at comes from the workers' own word: only what stands in the topics, and what the group committed.
"""

import argparse
import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import ValidationError

from agents.claims.package import VerdictPackage
from agents.claims.search_expansion import TRACE
from storage.ports import sub_number
from streams import topics
from streams.contracts import ProgressEvent
from streams.delivery.dead_letters import error_headers
from streams.topology import STAGES
from tests.support.wire import Outputs, Read, committed

SHOWN = 5


@dataclass(frozen=True, slots=True)
class Scene:
    """What there is to judge: where it is, who worked on it, and what was accepted."""

    broker: str
    group: str
    accepted: frozenset[str]
    prefix: str = ""
    poison: int = 0
    """Records among the inputs that belong to no accepted id: each must be a dead letter, once."""
    contracts: bool = True
    """Whether verdicts must be whole packages; a test's own handlers say less."""
    settled: bool = True
    """Whether all work must be committed by now; false just after a kill."""
    everything: bool = True
    """Whether every accepted id must have its end; false while work is still going on."""


@dataclass(slots=True)
class Judgement:
    """What was found. No problems means that all records were delivered."""

    accepted: int = 0
    verdicts: int = 0
    letters: int = 0
    repeated: int = 0
    problems: list[str] = field(default_factory=list)

    @property
    def line(self) -> str:
        if self.problems:
            return f"NOT ALL RECORDS DELIVERED: {'; '.join(self.problems)}"
        return (
            f"ALL RECORDS DELIVERED: {self.accepted} accepted, {self.verdicts} verdicts, "
            f"{self.letters} dead letters, {self.repeated} repeated on the wire"
        )

    def report(self, what: str, which: Iterable[str]) -> None:
        named = sorted(which)
        if named:
            more = f" and {len(named) - SHOWN} more" if len(named) > SHOWN else ""
            self.problems.append(f"{what}: {', '.join(named[:SHOWN])}{more}")


@dataclass(slots=True)
class Wire:
    """All records, sorted by what they are."""

    inputs: list[Read] = field(default_factory=list)
    verdicts: defaultdict[str, list[Read]] = field(default_factory=lambda: defaultdict(list))
    letters: defaultdict[tuple[str, str], list[Read]] = field(default_factory=lambda: defaultdict(list))
    """By job and attempt; a letter that names no job stands under its origin."""
    steps: set[tuple[str, str]] = field(default_factory=set)
    """Every (stage, job) that progress tells the end of: with the step's outputs, before it is acknowledged."""
    buried: set[tuple[str, int, int]] = field(default_factory=set)
    """Where every dead letter came from."""

    def add(self, record: Read, name: str) -> None:
        if name == topics.VERDICTS.name:
            self.verdicts[(record.key or b"").decode(errors="replace")].append(record)
        elif name == topics.PROGRESS.name:
            event = ProgressEvent.model_validate_json(record.value or b"")
            if event.event in TRACE:
                return
            # The id's step, not the stage: joining each part of a decomposed claim is a step of its own.
            self.steps.add((event.id.split("/")[-2], f"{event.job_id}/{event.loop}"))
        elif name == topics.DEAD_LETTERS.name:
            error = error_headers(record.headers)
            origin = (error["topic"], int(error["partition"]), int(error["offset"]))
            self.buried.add(origin)
            job = error["job_id"] or "at {}[{}]@{}".format(*origin)
            self.letters[job, error["attempt"]].append(record)
        else:
            self.inputs.append(record)


async def judge(scene: Scene) -> Judgement:
    """Read everything, then decide."""
    names = [scene.prefix + topic.name for topic in topics.TOPICS]
    offsets = await committed(scene.broker, scene.group)  # first: what is committed must be finished by then
    wire = Wire()
    async with Outputs(scene.broker, names) as outputs:
        for record in await outputs.to_the_end():
            wire.add(record, record.topic.removeprefix(scene.prefix))
        ends = await outputs.ends()
    found = Judgement(
        accepted=len(scene.accepted),
        verdicts=sum(1 for job in wire.verdicts if job in scene.accepted),
        letters=len(wire.letters),
        repeated=sum(len(copies) - 1 for copies in (*wire.verdicts.values(), *wire.letters.values())),
    )
    _one_end_each(scene, wire, found)
    _identical_copies(wire, found)
    _nothing_committed_unfinished(scene, wire, offsets, found)
    if scene.contracts:
        _whole_packages(wire, found)
    if scene.settled:
        _all_committed(scene, offsets, ends, found)
    return found


def _one_end_each(scene: Scene, wire: Wire, found: Judgement) -> None:
    failed: defaultdict[str, list[str]] = defaultdict(list)
    for job, attempt in wire.letters:
        failed[job].append(attempt)
    if scene.everything:
        found.report("no terminal state", scene.accepted - set(wire.verdicts) - set(failed))
    # A replayed letter may end in a verdict of a later attempt; one and the same attempt never ends twice.
    both = {job for job in failed if job in wire.verdicts and _attempt(wire.verdicts[job][0]) in failed[job]}
    found.report("a verdict and a dead letter", both)
    found.report("verdicts that nobody asked for", set(wire.verdicts) - scene.accepted)
    strangers = [job for job in failed if job not in scene.accepted]
    if len(strangers) != scene.poison:
        found.problems.append(f"{len(strangers)} dead letters of poison instead of {scene.poison}")


def _attempt(verdict: Read) -> str:
    return str(json.loads(verdict.value or b"{}").get("attempt", 1))


def _identical_copies(wire: Wire, found: Judgement) -> None:
    differing = [job for job, copies in wire.verdicts.items() if len({copy.value for copy in copies}) > 1]
    found.report("copies of a verdict that differ", differing)
    differing = [
        job
        for (job, _), copies in wire.letters.items()
        if len({(copy.key, copy.value, copy.headers) for copy in copies}) > 1
    ]
    found.report("copies of a dead letter that differ", differing)


def _nothing_committed_unfinished(
    scene: Scene, wire: Wire, offsets: dict[tuple[str, int], int], found: Judgement
) -> None:
    """A step is finished when its outputs are on the wire: progress tells of it, or it became a dead letter."""
    stages = {stage.reads.name: stage.name for stage in STAGES}
    unfinished = []
    for record in wire.inputs:
        name = record.topic.removeprefix(scene.prefix)
        if record.offset >= offsets.get((record.topic, record.partition), 0):
            continue
        place = (name, record.partition, record.offset)
        if place not in wire.buried and (stages[name] + _part(record), _job_and_loop(record)) not in wire.steps:
            unfinished.append("{}[{}]@{}".format(*place))
    found.report("committed before it was finished", unfinished)


def _part(record: Read) -> str:
    """Which part of a decomposed claim a record on its way to the join is about."""
    try:
        sub_job_id = json.loads(record.value or b"")["sub_job_id"]
        return f":{sub_number(sub_job_id)}" if sub_job_id else ""
    except (ValueError, TypeError, KeyError):
        return ""


def _job_and_loop(record: Read) -> str:
    try:
        document = json.loads(record.value or b"")
        return f"{document['job_id']}/{document.get('loop', {}).get('count', 0)}"
    except (ValueError, TypeError, KeyError, AttributeError):
        return "unreadable"  # which no step is ever told of: it has to be among the buried


def _whole_packages(wire: Wire, found: Judgement) -> None:
    broken = []
    for job, copies in wire.verdicts.items():
        try:
            package = VerdictPackage.model_validate_json(copies[0].value or b"")
        except ValidationError:
            broken.append(job)
        else:
            if package.job_id != job:
                broken.append(job)
    found.report("verdicts that are no packages of their job", broken)


def _all_committed(
    scene: Scene, offsets: dict[tuple[str, int], int], ends: dict[tuple[str, int], int], found: Judgement
) -> None:
    inputs = {scene.prefix + stage.reads.name for stage in STAGES}
    behind = [
        f"{topic}[{partition}] {offsets.get((topic, partition), 0)} of {end}"
        for (topic, partition), end in ends.items()
        if topic in inputs and end > 0 and offsets.get((topic, partition), 0) != end
    ]
    found.report("not committed to the end", behind)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--broker", required=True)
    parser.add_argument("--group", required=True)
    parser.add_argument("--accepted", required=True, type=Path, help="a file with one accepted job id per line")
    parser.add_argument("--prefix", default="")
    parser.add_argument("--poison", type=int, default=0)
    parser.add_argument("--any-payload", action="store_true", help="verdicts need not be whole packages")
    chosen = parser.parse_args()
    accepted = frozenset(chosen.accepted.read_text(encoding="utf-8").split())
    scene = Scene(chosen.broker, chosen.group, accepted, chosen.prefix, chosen.poison, contracts=not chosen.any_payload)
    found = asyncio.run(judge(scene))
    print(found.line)
    return 1 if found.problems else 0


if __name__ == "__main__":
    sys.exit(main())
