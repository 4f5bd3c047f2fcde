"""Claims that were seen before, through the real stages and stores: answered at once, judged again, or left alone."""

import dataclasses
import json
from collections.abc import AsyncIterator, Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import samples
from agents.claims.package import CostRow, LanguageRow, VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.submission import Submission
from agents.services import Services
from storage.ports import JobState, Outcome
from tests.unit.claims.conftest import travel, world

CLAIM = next(one for one in samples.load().claims if one.job_id == "sample-01")
LOOPED = next(one for one in samples.load().claims if one.job_id == "sample-08")
UNKNOWN = next(one for one in samples.load().claims if one.job_id == "sample-21")


@pytest.fixture
async def services(tmp_path: Path) -> AsyncIterator[Services]:
    async with world(tmp_path, match_claims=True) as ready:
        yield ready


def asked(job_id: str, claim: str = CLAIM.claim, **fields: Any) -> Submission:
    return Submission(job_id=job_id, claim=claim, **fields)


async def told(submission: Submission, services: Services) -> VerdictPackage:
    payload, _ = await travel(submission, services)
    return VerdictPackage.model_validate_json(payload)


def later(services: Services, by: timedelta) -> Services:
    clock: Callable[[], datetime] = services.clock
    return dataclasses.replace(services, clock=lambda: clock() + by)


async def test_the_same_claim_gets_the_same_verdict_at_once_under_its_own_id(services: Services) -> None:
    first = await told(asked("first"), services)
    payload, notes = await travel(asked("again", CLAIM.claim.upper(), room_id="red", source="chat"), services)
    again = VerdictPackage.model_validate_json(payload)
    assert [stage for stage, _ in notes] == ["intake", "intake"]
    assert (again.job_id, again.room_id, again.source, again.claim) == ("again", "red", "chat", CLAIM.claim.upper())
    assert again.matched_job_id == "first"
    assert again.match is not None
    assert again.match.kind == "exact"
    assert again.match.age_seconds == (again.decided_at - first.decided_at).total_seconds()
    same = ("verdict", "label", "verdict_confidence", "rationale", "citations", "evidence", "derivations", "as_of")
    assert [getattr(again, name) for name in same] == [getattr(first, name) for name in same]
    assert (again.cost, again.language) == (CostRow(), LanguageRow())  # nobody was asked again
    assert audit(again) == []
    assert audit(again.model_copy(update={"cost": first.cost}))
    assert [ref.evidence_id for ref in await services.ledger.provenance("again")] == [row.id for row in first.evidence]


async def test_it_is_one_job_that_is_decided_once(services: Services) -> None:
    await told(asked("first"), services)
    once, _ = await travel(asked("again"), services)
    record = await services.ledger.job("again")
    assert record is not None
    assert record.state is JobState.COMPLETED
    twice, notes = await travel(asked("again"), services)
    assert once == twice
    assert notes[-1][1].event == "decided_before"


async def test_a_claim_of_several_parts_is_repeated_whole(services: Services) -> None:
    parts = next(one for one in samples.load().claims if one.job_id == "sample-13").claim
    first = await told(asked("first", parts), services)
    payload, notes = await travel(asked("again", parts), services)
    again = VerdictPackage.model_validate_json(payload)
    assert [stage for stage, _ in notes] == ["intake", "intake"]
    assert len(again.sub_results) == 2
    assert again.sub_results == first.sub_results
    assert audit(again) == []


async def test_a_repeated_verdict_never_refers_to_a_repeated_one(services: Services) -> None:
    await told(asked("first"), services)
    await told(asked("second"), services)
    third = await told(asked("third"), later(services, timedelta(hours=1)))
    assert third.matched_job_id == "first"
    assert third.match is not None
    assert third.match.age_seconds > 3600


@pytest.mark.parametrize(
    "fields",
    [
        {"domain": "health"},
        {"top_k": 9},
        {"as_of": date(2026, 2, 1)},
        {"trust_mode": "confidence"},
        {"workspace_id": "another"},
    ],
)
async def test_asked_in_another_way_it_is_another_question(services: Services, fields: dict[str, Any]) -> None:
    await told(asked("first"), services)
    assert (await told(asked("again", **fields), services)).matched_job_id is None


async def test_another_policy_decides_for_itself(services: Services) -> None:
    await told(asked("first"), services)
    from scoring.policy import policy_named

    other = dataclasses.replace(services, policy=policy_named("specification"))
    assert (await told(asked("again"), other)).matched_job_id is None


async def test_a_verdict_goes_stale_and_an_open_question_sooner(services: Services) -> None:
    await told(asked("settled"), services)
    await told(asked("open", UNKNOWN.claim), services)
    soon, tomorrow = later(services, timedelta(hours=2)), later(services, timedelta(hours=7))
    assert (await told(asked("settled-2"), soon)).matched_job_id == "settled"
    assert (await told(asked("open-2", UNKNOWN.claim), soon)).matched_job_id is None
    assert (await told(asked("settled-3"), tomorrow)).matched_job_id is None


async def test_switched_off_every_claim_is_new(services: Services) -> None:
    off = dataclasses.replace(services, matching=dataclasses.replace(services.matching, enabled=False))
    await told(asked("first"), off)
    assert (await told(asked("again"), off)).matched_job_id is None
    assert (await told(asked("third"), services)).matched_job_id is None  # what was told then answers nobody


@pytest.mark.parametrize(
    "change",
    [
        {"language": {"degraded": True}},
        {"loop": {"stop_reason": "deadline"}},
        {"loop": {"stop_reason": "no_provider"}},
    ],
)
async def test_a_verdict_that_lacked_something_answers_nobody(services: Services, change: dict[str, Any]) -> None:
    from agents.claims.decided import settle

    first = await told(asked("first"), services)
    document = json.loads(first.model_dump_json())
    for name, value in change.items():
        document[name] = {**document[name], **value}
    lacking = VerdictPackage.model_validate({**document, "job_id": "lacking"})
    aside = dataclasses.replace(services, policy=dataclasses.replace(services.policy, name="aside"))
    await settle(lacking, asked("lacking"), aside)
    assert (await told(asked("again"), aside)).matched_job_id is None


async def test_a_failure_answers_nobody(services: Services) -> None:
    await services.ledger.decide(Outcome("first", 1, JobState.FAILED, b"letter", services.clock(), "key", "words"))
    assert await services.ledger.answered("key", services.clock() - timedelta(days=1)) is None


REWORDED = "On 2 October 2025, Weir Bridge in Kelderwick reopened to traffic."


async def test_in_other_words_it_is_judged_again_with_the_evidence_that_was_found(services: Services) -> None:
    first = await told(asked("first", LOOPED.claim), services)
    assert first.loop.count == 1
    rests_on = {row.id for row in first.evidence if row.admissible}
    for row in first.evidence:
        await services.index.delete_by_url(row.url)  # only what is lent can be found now
    payload, notes = await travel(asked("again", REWORDED), services)
    again = VerdictPackage.model_validate_json(payload)
    assert ("trust", "assessed") in [(stage, note.event) for stage, note in notes]
    assert again.match is not None
    assert (again.matched_job_id, again.match.kind, again.match.claim) == ("first", "near", LOOPED.claim)
    assert again.verdict is first.verdict
    assert (again.loop.count, again.loop.stop_reason) == (0, "cache")
    lent = {row.id for row in again.evidence if row.found_by == ("an earlier job (first)",)}
    assert lent
    assert lent <= rests_on
    assert audit(again) == []


async def test_what_was_judged_again_answers_for_itself(services: Services) -> None:
    await told(asked("first", LOOPED.claim), services)
    await told(asked("reworded", REWORDED), services)
    third = await told(asked("third", REWORDED), services)
    assert third.match is not None
    assert (third.matched_job_id, third.match.kind) == ("reworded", "exact")
    assert audit(third) == []


@pytest.mark.parametrize(
    "changed",
    [
        "Kelderwick General Hospital has 321 beds.",
        "Kelderwick General Hospital does not have 312 beds.",
        "Harrowgill General Hospital has 312 beds.",
    ],
)
async def test_a_changed_claim_is_never_matched(services: Services, changed: str) -> None:
    await told(asked("first", "Kelderwick General Hospital has 312 beds."), services)
    assert (await told(asked("again", changed), services)).matched_job_id is None


@pytest.mark.parametrize("field", ["age_seconds", "claim", "job_id"])
async def test_the_audit_finds_a_changed_match(services: Services, field: str) -> None:
    await told(asked("first"), services)
    document = json.loads((await told(asked("again"), services)).model_dump_json())
    stated = document["match"][field]
    document["match"][field] = stated + 0.01 if isinstance(stated, float) else f"{stated}-x"
    assert audit(VerdictPackage.model_validate(document)) != []


async def test_the_audit_finds_a_changed_number_in_a_repeated_package(services: Services) -> None:
    await told(asked("first", LOOPED.claim), services)
    again = await told(asked("again", LOOPED.claim), services)
    assert again.loop.count == 1
    document = json.loads(again.model_dump_json())
    for name in ("verdict_confidence", "coverage", "trust_post_adaptive", "avg_ranking_score"):
        assert audit(VerdictPackage.model_validate({**document, name: document[name] + 0.01})) != [], name
