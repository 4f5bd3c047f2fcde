"""The parts of a claim joined by workers that race each other, over every ledger: one verdict, said alike by all."""

import asyncio
from datetime import timedelta

import pytest

from agents.claims.job import SubEnd
from agents.claims.package import VerdictPackage
from agents.claims.parts.aggregation import handle
from agents.claims.parts.joining import sub_result
from agents.results import StepResult
from storage.ports import JobState, Stores, VerdictLedger
from tests.support.parts import decomposed, end, later, services_over


def emitted(results: list[StepResult]) -> set[bytes]:
    return {send.value for result in results for send in result.sends if isinstance(send.value, bytes)}


def notes(results: list[StepResult], event: str) -> int:
    return sum(note.event == event for result in results for note in result.notes)


@pytest.mark.parametrize("parts", [2, 5])
async def test_two_workers_join_the_last_parts_at_once(ledger: VerdictLedger, other: Stores, parts: int) -> None:
    workers = [services_over(ledger), later(services_over(other.ledger), timedelta(seconds=1))]
    for number in range(8):
        job_id = f"job-{number}"
        ends = [await end(part, workers[0]) for part in await decomposed(workers[0], job_id, parts)]
        # Each end comes to both workers, as it does when a partition moves while it is in hand.
        results = list(await asyncio.gather(*(handle(one, worker) for one in ends for worker in workers)))
        stored = await ledger.outcome(job_id)
        assert stored is not None
        assert stored.state is JobState.COMPLETED
        assert emitted(results) == {stored.payload}
        assert notes(results, "decided") == 1
        assert len(VerdictPackage.model_validate_json(stored.payload).sub_results) == parts
        assert await ledger.stranded_parents(workers[1].clock()) == []


async def test_the_deadline_and_the_last_part_race_and_one_of_them_decides(
    ledger: VerdictLedger, other: Stores
) -> None:
    first = services_over(ledger)
    over = later(services_over(other.ledger), first.budget.parent_deadline + timedelta(seconds=1))
    for number in range(8):
        job_id = f"job-{number}"
        ends = [await end(part, first) for part in await decomposed(first, job_id, 2)]
        await handle(ends[0], first)

        async def close(job_id: str = job_id) -> StepResult:
            closed = await over.ledger.close_overdue(over.clock())
            return await handle(SubEnd(job_id=job_id), over) if job_id in closed else StepResult()

        results = list(await asyncio.gather(handle(ends[1], first), close()))
        stored = await ledger.outcome(job_id)
        assert stored is not None
        assert emitted(results) == {stored.payload}
        assert notes(results, "decided") == 1


async def test_whoever_joined_the_last_part_and_died_is_found(ledger: VerdictLedger) -> None:
    services = services_over(ledger)
    ends = [await end(part, services) for part in await decomposed(services, "job", 2)]
    for one in ends:
        assert one.sub_job_id is not None
        await ledger.add_sub_result("job", one.sub_job_id, (await _row(one, ledger)))
    assert await ledger.stranded_parents(services.clock()) == ["job"]
    (verdict,) = (await handle(SubEnd(job_id="job"), services)).sends
    assert verdict.key == "job"
    assert await ledger.stranded_parents(services.clock()) == []


async def _row(one: SubEnd, ledger: VerdictLedger) -> bytes:
    outcome = await ledger.outcome(one.sub_job_id or "")
    assert outcome is not None
    return sub_result(VerdictPackage.model_validate_json(outcome.payload)).model_dump_json().encode()
