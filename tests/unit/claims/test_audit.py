"""Every number of a package can be recomputed from it, and a number that was changed is found."""

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import ValidationError

import samples
from agents.claims.package import VerdictPackage
from agents.claims.package.audit import GIVEN, audit
from agents.claims.submission import Submission
from agents.services import Services
from tests.unit.claims.conftest import travel

CORPUS = samples.load()


async def document(job_id: str, services: Services) -> dict[str, Any]:
    claim = next(one for one in CORPUS.claims if one.job_id == job_id)
    payload, _ = await travel(Submission(job_id=job_id, claim=claim.claim, domain=claim.domain), services)
    made: dict[str, Any] = json.loads(payload)
    return made


def numbers(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Paths of all numbers in a document."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from numbers(inner, (*path, name))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from numbers(inner, (*path, place))
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path


def changed(document: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """A copy with one number moved by a hundredth, downwards where it could not grow."""
    other = copy.deepcopy(document)
    place: Any = other
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] += 1 if isinstance(place[path[-1]], int) else 0.01
    return other


def is_refused(document: dict[str, Any]) -> bool:
    """Not a package any more, or one whose numbers do not follow from each other."""
    try:
        return bool(audit(VerdictPackage.model_validate(document)))
    except (ValidationError, ValueError):
        return True


async def test_every_sample_package_passes(services: Services) -> None:
    for claim in CORPUS.claims:
        made = await document(claim.job_id, services)
        assert audit(VerdictPackage.model_validate(made)) == [], claim.job_id


def kind(path: tuple[Any, ...]) -> tuple[Any, ...]:
    """Places that are read by the same code. What is inside a sub-claim's package is audited like any other's, so one
    number of each of its fields shows that it is audited at all."""
    if path[0] == "sub_results":
        return path[3:4]
    return tuple("#" if isinstance(step, int) else step for step in path)


def is_derived(path: tuple[Any, ...]) -> bool:
    """Whether something in the package gives this number; of a sub-claim's package the same fields are given."""
    if path[0] == "sub_results":
        return path[2] == "package" and path[3] not in GIVEN
    return path[0] not in GIVEN


@pytest.mark.parametrize("job_id", ["sample-03", "sample-13"])  # one part; two parts with both sides
async def test_a_package_with_one_number_changed_fails(services: Services, job_id: str) -> None:
    made = await document(job_id, services)
    derived = [path for path in numbers(made) if is_derived(path)]
    # The policy's own copies inside the derivations' inputs are read there; one of each kind of place is enough.
    one_of_each = {kind(path): path for path in derived}
    assert len(one_of_each) > 100
    unnoticed = [path for path in one_of_each.values() if not is_refused(changed(made, path))]
    assert unnoticed == []


async def test_every_stage_has_its_time_and_the_cost_is_the_sum_of_its_parts(services: Services) -> None:
    made = VerdictPackage.model_validate(await document("sample-21", services))
    stages = ("intake", "retrieval", "ranking", "trust", "search_expansion", "adjudication")
    assert set(made.timings) == {"end_to_end_seconds", *(f"{stage}_ms" for stage in stages)}
    assert made.cost.stages_ms == pytest.approx(sum(made.timings[f"{stage}_ms"] for stage in stages))
    assert made.cost.stages_ms <= made.timings["end_to_end_seconds"] * 1_000 + 0.01
    assert (made.cost.searches, made.cost.extracts) == (made.loop.count, sum(one.pages for one in made.loop.steps))
    parent = VerdictPackage.model_validate(await document("sample-13", services))
    assert set(parent.timings) == {"end_to_end_seconds", "intake_ms", "retrieval_ms", "aggregation_ms"}
    parts = [sub.package for sub in parent.sub_results if sub.package is not None]
    assert all("intake_ms" not in one.timings and one.timings["retrieval_ms"] > 0 for one in parts)
    own = sum(value for name, value in parent.timings.items() if name.endswith("_ms"))
    assert parent.cost.stages_ms == pytest.approx(own + sum(one.cost.stages_ms for one in parts))


async def test_a_changed_verdict_or_citation_fails(services: Services) -> None:
    made = await document("sample-01", services)
    assert is_refused({**made, "verdict": "FALSE"})
    assert is_refused({**made, "label": "Refuted"})
    assert is_refused({**made, "citations": made["citations"][:1]})
    assert is_refused({**made, "rationale": made["rationale"] + " And more."})


GIVEN_OF_A_LOOP = {"results", "trust_before", "domains", "urls_skipped", "monopoly_loops", "planned", "limits", "bytes"}
"""Counts that nothing else in the record depends on, and what the settings gave."""


async def test_a_loop_record_with_one_number_changed_fails(services: Services) -> None:
    made = await document("sample-21", services)
    assert made["loop"]["count"] == 2
    last_look = ("steps", 1, "trust_after")  # a model may have revised stances since
    derived = [path for path in numbers(made["loop"]) if not GIVEN_OF_A_LOOP.intersection(path) and path != last_look]
    assert len(derived) > 40
    assert [path for path in derived if not is_refused(changed(made, ("loop", *path)))] == []


async def test_a_changed_stop_reason_or_a_passed_limit_fails(services: Services) -> None:
    made = await document("sample-08", services)
    loop = made["loop"]
    assert is_refused({**made, "loop": {**loop, "stop_reason": "query_budget"}})
    assert is_refused({**made, "loop": {**loop, "limits": {**loop["limits"], "pages": 1}}})
    assert is_refused({**made, "loop": {**loop, "decided_by": {}}})
    assert is_refused({**made, "loop": {**loop, "decided_by": {**loop["decided_by"], "sufficient": False}}})
