"""A claim of several parts: taken apart once, each part a job of its own, joined into one verdict (004 §3, §8)."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

import samples
from agents.claims.intake import handle as intake
from agents.claims.job import ClaimJob, SubEnd
from agents.claims.package import VerdictPackage
from agents.claims.package.audit import audit
from agents.claims.package.rebuilding import job_of
from agents.claims.parts.aggregation import handle as aggregate
from agents.claims.parts.fan_out import fan_out
from agents.claims.parts.packaging import build_parent_package
from agents.claims.retrieval import handle as retrieve
from agents.claims.submission import Submission
from agents.results import Send
from agents.services import Services
from scoring.news import NewsPolicy
from scoring.values import Label, Verdict
from storage.ports import JobState, Outcome, sub_job_id
from tests.unit.claims.conftest import run, travel, world
from tests.unit.claims.parts_by_hand import ended, started

CLAIMS = {claim.job_id: claim.claim for claim in samples.load().claims}
TRUE = [CLAIMS[f"sample-{number}"] for number in ("03", "01", "05", "16", "08")]
FALSE = [CLAIMS[f"sample-{number}"] for number in ("02", "04", "07", "17")]
OPEN = [CLAIMS[f"sample-{number}"] for number in ("21", "20")]
REFUTED, MIXED, SUPPORTED, NOT_ENOUGH = Label.REFUTED, Label.MIXED, Label.SUPPORTED, Label.NOT_ENOUGH


def claim_of(*parts: str, job_id: str = "job") -> Submission:
    return Submission(job_id=job_id, claim=" ".join(parts))


async def decided(submission: Submission, services: Services) -> VerdictPackage:
    payload, _ = await travel(submission, services)
    return VerdictPackage.model_validate_json(payload)


@pytest.mark.parametrize(
    ("parts", "expected", "by_letter"),
    [
        ([TRUE[0], FALSE[0]], (MIXED, Verdict.PARTIALLY_TRUE), REFUTED),
        ([TRUE[0], TRUE[1], FALSE[0]], (MIXED, Verdict.PARTIALLY_TRUE), REFUTED),
        ([*TRUE[:3], FALSE[1]], (MIXED, Verdict.PARTIALLY_TRUE), REFUTED),
        ([*TRUE[:4], FALSE[2]], (MIXED, Verdict.PARTIALLY_TRUE), REFUTED),
        ([FALSE[0], FALSE[1]], (REFUTED, Verdict.FALSE), REFUTED),
        ([FALSE[0], OPEN[0]], (REFUTED, Verdict.FALSE), REFUTED),
        ([TRUE[0], FALSE[0], OPEN[0]], (MIXED, Verdict.PARTIALLY_TRUE), REFUTED),
        ([TRUE[0], TRUE[1]], (SUPPORTED, Verdict.TRUE), SUPPORTED),
        (TRUE, (SUPPORTED, Verdict.TRUE), SUPPORTED),
        ([TRUE[0], OPEN[0]], (MIXED, Verdict.PARTIALLY_TRUE), MIXED),
        ([OPEN[0], OPEN[1]], (NOT_ENOUGH, Verdict.UNVERIFIABLE), NOT_ENOUGH),
    ],
)
async def test_parts_make_the_verdict_by_the_rules(
    services: Services, parts: list[str], expected: tuple[Label, Verdict], by_letter: Label
) -> None:
    made = await decided(claim_of(*parts), services)
    assert (made.label, made.verdict) == expected
    # The same parts by the rules of 004 §8 to the letter.
    policy = replace(services.policy, news=NewsPolicy())
    letter = build_parent_package(job_of(made), made.sub_results, policy, "adaptive", made.decided_at)
    assert letter.label is by_letter
    for package in (made, letter):
        assert [sub.claim for sub in package.sub_results] == parts
        assert len(package.citations) <= 25
        rows = {row.id for row in package.evidence if row.admissible}
        assert {citation.evidence_id for citation in package.citations} <= rows
        assert bool(package.citations) is (package.verdict is not Verdict.UNVERIFIABLE)
        assert {link.evidence_id for link in package.evidence_map} <= rows
        assert audit(package) == []


async def test_by_the_letter_one_refuted_part_refutes_the_claim_through_the_whole_stream(tmp_path: Path) -> None:
    async with world(tmp_path, policy="specification") as services:
        made = await decided(claim_of(TRUE[0], TRUE[1], FALSE[0]), services)
    assert (made.label, made.verdict) == (REFUTED, Verdict.FALSE)
    assert "aggregation:any_refuted" in {guard.name for guard in made.guards}


async def test_only_the_claim_itself_reaches_the_verdicts(services: Services) -> None:
    verdicts, notes = await run(Send("claims", "job", claim_of(TRUE[0], FALSE[0])), services)
    assert [send.key for send in verdicts] == ["job"]
    events = [note.event for _, note in notes]
    assert (events.count("decided"), events.count("part_decided")) == (1, 2)
    for number in (1, 2):
        record = await services.ledger.job(sub_job_id("job", number))
        assert record is not None
        assert record.state is JobState.COMPLETED
    assert [job.job_id for job in await services.ledger.jobs()] == ["job"]
    assert (await services.ledger.open_load()).jobs == 0


@pytest.mark.parametrize(
    ("settings", "parts"),
    [({"decompose_enabled": False}, 0), ({"decompose_min_claim_length": 500}, 0), ({"decompose_max_subclaims": 2}, 2)],
)
async def test_the_settings_say_whether_a_claim_is_taken_apart(
    tmp_path: Path, settings: dict[str, int], parts: int
) -> None:
    async with world(tmp_path, **settings) as services:
        made = await decided(claim_of(*TRUE[:3]), services)
    assert len(made.sub_results) == parts


async def test_one_statement_is_not_a_part(services: Services) -> None:
    made = await decided(claim_of(TRUE[0]), services)
    assert (made.sub_results, made.parent_job_id) == ((), None)


async def test_a_claim_is_taken_apart_once_even_if_it_would_be_read_differently(services: Services) -> None:
    (accepted,) = (await intake(claim_of(TRUE[0], FALSE[0]), services)).sends
    first = (await retrieve(accepted.value, services)).sends
    assert [send.key for send in first] == ["job~1", "job~2"]
    job = first[0].value
    assert isinstance(job, ClaimJob)
    assert job.reading is not None
    other = job.reading.model_copy(update={"subclaims": ("Something else.", "Another thing.", "A third.")})
    again = await fan_out(accepted.value.model_copy(update={"reading": other, "attempt": 2}), services)
    assert [(send.key, send.value.claim) for send in again.sends] == [(send.key, send.value.claim) for send in first]
    registered = await services.ledger.parent("job")
    assert registered is not None
    assert registered.children == ("job~1", "job~2")


async def test_a_repeated_fan_out_starts_only_what_has_not_ended(services: Services) -> None:
    first, _ = await started(claim_of(TRUE[0], FALSE[0]), services)
    await ended(first, services)
    again = await started(claim_of(TRUE[0], FALSE[0]), services)
    assert [(send.to, send.key) for send in again] == [("aggregation", "job"), ("retrieval", "job~2")]


async def test_a_part_is_read_by_its_parent_alone(services: Services) -> None:
    (_, second) = await started(claim_of("The mayor of Kelderwick is Ines Halloway.", FALSE[0]), services)
    assert isinstance(second.value, ClaimJob)
    assert second.value.reading is not None
    assert second.value.claim == FALSE[0]
    assert [one.name for one in second.value.reading.entities] == ["Kelderwick"]
    assert second.value.reading.queries
    assert not any("Halloway" in query for query in second.value.reading.queries)


async def test_a_part_that_became_a_dead_letter_is_not_enough_evidence_and_the_claim_completes(
    services: Services,
) -> None:
    first, second = await started(claim_of(TRUE[0], FALSE[0]), services)
    waiting = await aggregate(await ended(first, services), services)
    assert [(note.event, waiting.sends) for note in waiting.notes] == [("joined", ())]
    await services.ledger.decide(Outcome(second.key, 1, JobState.FAILED, b"letter", services.clock()))
    lost = SubEnd(job_id="job", sub_job_id=second.key, failed="unexpected in ranking: boom")
    (verdict,) = (await aggregate(lost, services)).sends
    package = VerdictPackage.model_validate_json(verdict.value)
    assert (package.verdict, package.label) == (Verdict.PARTIALLY_TRUE, MIXED)
    row = package.sub_results[1]
    assert (row.label, row.missing, row.package) == (NOT_ENOUGH, "dead_letter", None)
    assert "unexpected in ranking: boom" in row.reasoning
    assert (package.loop.stop_reason, package.analysis_counts["missing_subclaims"]) == ("dead_letter", 1)
    assert audit(package) == []


async def test_when_the_time_is_over_the_claim_is_decided_with_what_arrived_and_says_so(services: Services) -> None:
    first, second = await started(claim_of(FALSE[0], TRUE[0]), services)
    await aggregate(await ended(first, services), services)
    over = SubEnd(job_id="job")
    early = await aggregate(over, services)
    assert (early.sends, [note.event for note in early.notes]) == ((), ["not_due"])
    now = services.clock() + services.budget.parent_deadline + timedelta(seconds=1)
    later = replace(services, clock=lambda: now)
    assert await later.ledger.close_overdue(now) == ["job"]
    (verdict,) = (await aggregate(over, later)).sends
    package = VerdictPackage.model_validate_json(verdict.value)
    assert (package.verdict, package.loop.stop_reason) == (Verdict.FALSE, "deadline")
    assert [sub.missing for sub in package.sub_results] == [None, "deadline"]
    assert "missing:deadline" in {guard.name for guard in package.guards}
    assert audit(package) == []
    (again,) = (await aggregate(await ended(second, later), later)).sends
    assert (again.to, again.value) == ("verdicts", verdict.value)


async def test_a_parent_that_failed_completes_when_it_is_replayed(services: Services) -> None:
    first, second = await started(claim_of(TRUE[0], FALSE[0]), services)
    await services.ledger.decide(Outcome("job", 1, JobState.FAILED, b"letter", services.clock()))
    ends = [await ended(first, services), await ended(second, services)]
    for end in ends:
        assert (await aggregate(end, services)).sends == ()
    assert await services.ledger.next_attempt("job") == 2
    for end in ends:
        result = await aggregate(end, services)
    (verdict,) = result.sends
    assert VerdictPackage.model_validate_json(verdict.value).attempt == 2
    assert verdict.settles == ("job", 2)


async def test_an_end_of_no_part_is_refused(services: Services) -> None:
    await intake(claim_of(TRUE[0]), services)
    with pytest.raises(Exception, match="taken apart"):
        await aggregate(SubEnd(job_id="job", sub_job_id="job~1"), services)


async def test_an_audit_sees_a_part_that_was_exchanged_dropped_or_turned(services: Services) -> None:
    audited = await decided(claim_of(TRUE[0], FALSE[0]), services)
    first, second = audited.sub_results
    for changed in (
        (second, first),
        (first,),
        (first.model_copy(update={"verdict": Verdict.FALSE}), second),
        (first, second.model_copy(update={"package": None, "missing": "deadline"})),
        (first.model_copy(update={"reasoning": "Because."}), second),
    ):
        assert audit(audited.model_copy(update={"sub_results": changed}))
