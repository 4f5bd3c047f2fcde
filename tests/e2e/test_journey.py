"""Sample claims travel the whole stream: each ends once, in a whole package, by one of the three ways."""

from typing import Any

import pytest

import samples
from agents.claims.package import VerdictPackage
from storage.ports import parent_of
from streams.contracts import ProgressEvent
from streams.topology import STAGE_NAMES
from tests.e2e.conftest import Journey, System
from tests.support.processes import call

CLAIMS = samples.load().claims

# The first test of a system waits for it to start, and for its claims to travel.
pytestmark = pytest.mark.timeout(400)


def test_the_command_line_submits_every_claim(journey: Journey) -> None:
    assert journey.said == f"accepted {len(CLAIMS)}, repeated 0, refused 0"


def test_a_file_submitted_twice_is_recognised(system: System, journey: Journey) -> None:
    again = call(["submit", str(samples.samples_dir() / "claims.jsonl")], system.environment)
    assert again.stdout.strip() == f"accepted 0, repeated {len(CLAIMS)}, refused 0"


def test_every_claim_has_exactly_one_verdict(journey: Journey) -> None:
    keys = sorted((record.key or b"").decode() for record in journey.verdicts)
    assert keys == sorted(claim.job_id for claim in CLAIMS)


def test_every_verdict_is_a_whole_package_about_its_claim(journey: Journey) -> None:
    claims = {claim.job_id: claim.claim for claim in CLAIMS}
    for record in journey.verdicts:
        package = VerdictPackage.model_validate_json(record.value or b"")
        assert package.job_id == (record.key or b"").decode()
        assert package.claim == claims[package.job_id]
        cited = {citation.evidence_id for citation in package.citations}
        assert cited <= {row.id for row in package.evidence}


def test_each_way_through_the_stream_is_taken(journey: Journey) -> None:
    loops: list[dict[str, Any]] = [package["loop"] for package in journey.packages.values()]  # type: ignore[misc]  # JSON
    assert any(loop["count"] == 0 for loop in loops), "none settled from the knowledge base"
    assert any(loop["count"] > 0 and loop["stop_reason"] == "sufficient" for loop in loops), "none after searching"
    assert any(loop["count"] > 0 and loop["stop_reason"] != "sufficient" for loop in loops), "none gave up searching"


def test_every_claim_gets_the_verdict_it_deserves(journey: Journey) -> None:
    expected = {job_id: one.verdict for job_id, one in samples.load().expected.items()}
    assert {job_id: package["verdict"] for job_id, package in journey.packages.items()} == expected


def test_every_kind_of_verdict_is_given(journey: Journey) -> None:
    verdicts = {package["verdict"] for package in journey.packages.values()}
    assert verdicts == {"TRUE", "FALSE", "PARTIALLY_TRUE", "UNVERIFIABLE"}


def test_progress_shows_every_stage_of_every_claim(journey: Journey) -> None:
    events = [ProgressEvent.model_validate_json(record.value or b"") for record in journey.progress]
    assert {event.stage for event in events} == set(STAGE_NAMES)
    always = {"retrieval", "ranking", "trust", "adjudication"}
    for claim in CLAIMS:
        stages = {event.stage for event in events if event.job_id == claim.job_id}
        parts = {event.job_id for event in events if parent_of(event.job_id) == claim.job_id}
        assert stages >= ({"intake", "retrieval", "aggregation"} if parts else {"intake"} | always)
        for part in parts:
            assert {event.stage for event in events if event.job_id == part} >= always


def test_a_decomposed_claim_says_its_verdict_alone(journey: Journey) -> None:
    decomposed = [package for package in journey.packages.values() if package["sub_results"]]
    assert len(decomposed) == 3
    for package in decomposed:
        assert len(package["sub_results"]) == 2  # type: ignore[arg-type]  # JSON


def test_a_step_that_was_done_once_is_told_once(journey: Journey) -> None:
    ids = [ProgressEvent.model_validate_json(record.value or b"").id for record in journey.progress]
    assert len(set(ids)) == len(ids)
