"""Aggregation: the ends of a claim's sub-jobs are joined in the ledger, and the last of them decides the claim."""

from dataclasses import replace

from agents.claims.costs import spent
from agents.claims.decided import say_again, settle
from agents.claims.job import ClaimJob, Proposal, SubEnd
from agents.claims.judging import trust_mode
from agents.claims.package import SubResult, VerdictPackage
from agents.claims.parts.fan_out import kept_parent
from agents.claims.parts.joining import missing_result, sub_result
from agents.claims.parts.packaging import build_parent_package
from agents.errors import Permanent
from agents.language.quota import CallTag, QuotaState, Skipped
from agents.language.rules.rationale import summarise_parts
from agents.results import Detail, Note, StepResult
from agents.services import Services
from storage.ports import JobState, JoinState, sub_job_id, sub_number

LATE = "This part had no verdict when the time of the claim was over."


async def handle(end: SubEnd, services: Services) -> StepResult:
    """Join one end; decide the claim once all are there, or once its time is over. Repeated, it says the same again."""
    record, parent = await services.ledger.job(end.job_id), await kept_parent(end.job_id, services.ledger)
    if record is None or parent is None:
        raise Permanent(f"no claim was taken apart under the id {end.job_id!r}")
    if record.state is JobState.COMPLETED:
        return await say_again(end.job_id, services)
    if record.state is JobState.FAILED:
        return StepResult(notes=(Note("failed_before", {"attempt": record.attempt}),))
    if end.sub_job_id is not None:
        joined = await _join(end, parent, services)
        if not joined.complete:
            detail: dict[str, Detail] = {"part": end.sub_job_id, "done": joined.done, "of": joined.expected}
            return StepResult(notes=(Note("late" if joined.overdue else "joined", detail),))
    subs = await _arrived(parent, services)
    if subs is None:
        return StepResult(notes=(Note("not_due", {"part": end.sub_job_id}),))
    return await _decide(parent.model_copy(update={"attempt": record.attempt}), subs, services)


async def _join(end: SubEnd, parent: ClaimJob, services: Services) -> JoinState:
    """Keep what came of a part. The first time counts: a part that failed stays failed for this claim."""
    assert end.sub_job_id is not None
    outcome = await services.ledger.outcome(end.sub_job_id)
    if outcome is None:
        raise Permanent(f"sub-job {end.sub_job_id!r} has not ended")
    if outcome.state is JobState.COMPLETED:
        row = sub_result(VerdictPackage.model_validate_json(outcome.payload))
    else:
        claim = parent.subclaims[sub_number(end.sub_job_id) - 1]
        reason = end.failed or "see `veristream dead-letters`"
        row = missing_result(end.sub_job_id, claim, "dead_letter", f"This part could not be processed: {reason}")
    return await services.ledger.add_sub_result(end.job_id, end.sub_job_id, row.model_dump_json().encode())


async def _arrived(parent: ClaimJob, services: Services) -> list[SubResult] | None:
    """One row per part, in their order; None while parts are awaited and there is still time for them."""
    registered = await services.ledger.parent(parent.job_id)
    kept = await services.ledger.sub_results(parent.job_id)
    ids = [sub_job_id(parent.job_id, number) for number in range(1, len(parent.subclaims) + 1)]
    if set(ids) - kept.keys() and (registered is None or services.clock() < registered.deadline):
        return None
    return [
        SubResult.model_validate_json(kept[one]) if one in kept else missing_result(one, claim, "deadline", LATE)
        for one, claim in zip(ids, parent.subclaims, strict=True)
    ]


async def _decide(parent: ClaimJob, subs: list[SubResult], services: Services) -> StepResult:
    began = services.clock()
    results = [(sub.claim, sub.verdict) for sub in subs]
    summary, quota = await services.language.summarise(results, _spent(parent, subs))
    by_model = summary if summary != summarise_parts(results) else ""
    parent = parent.model_copy(update={"quota": quota, "proposal": Proposal(rationale=by_model)})
    now = services.clock()
    parent = spent(parent, "aggregation", began, now)
    package = build_parent_package(parent, subs, services.policy, trust_mode(parent, services), now)
    return await settle(package, parent.submission, services)


def _spent(parent: ClaimJob, subs: list[SubResult]) -> QuotaState:
    """The parent's quota with what its parts have spent."""
    rows = [sub.package.language for sub in subs if sub.package is not None]
    own = parent.quota
    skipped = [one.partition(": ") for row in rows for one in row.skipped]
    return replace(
        own,
        calls=own.calls + sum(row.calls for row in rows),
        tokens_in=own.tokens_in + sum(row.tokens for row in rows),
        cost_usd=own.cost_usd + sum(row.cost_usd for row in rows),
        cache_hits=own.cache_hits + sum(row.cache_hits for row in rows),
        skipped=(*own.skipped, *(Skipped(CallTag(tag), reason) for tag, _, reason in skipped)),
        degraded=own.degraded or any(row.degraded for row in rows),
    )
