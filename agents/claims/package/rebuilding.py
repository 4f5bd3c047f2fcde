"""A job as it was when it was decided, from nothing but its package: what audit and aggregation decide again from."""

from datetime import timedelta

from agents.claims.costs import END_TO_END, stage_times
from agents.claims.job import ClaimJob, SubClaim
from agents.claims.loop import LoopState
from agents.claims.package.model import VerdictPackage
from agents.claims.submission import Submission
from scoring.policy import Policy
from storage.ports import parent_of, sub_number


def job_of(package: VerdictPackage) -> ClaimJob:
    """The job of a package."""
    parent_id = parent_of(package.job_id)
    return ClaimJob(
        job_id=package.job_id,
        attempt=package.attempt,
        submission=Submission(
            job_id=parent_id or package.job_id,
            claim=package.claim,
            room_id=package.room_id,
            source=package.source,
            domain=package.domain,
            as_of=package.as_of,
        ),
        accepted_at=package.decided_at - timedelta(seconds=package.timings.get(END_TO_END, 0.0)),
        deadline=package.decided_at,
        reading=package.reading,
        proposal=package.proposal,
        loop=LoopState(count=package.loop.count, stop_reason=package.loop.stop_reason, limits=package.loop.limits),
        evidence=package.evidence,
        models=package.models,
        from_cache=package.loop.stop_reason == "cache",
        timings=stage_times(package.timings),
        match=package.match,
        sub=SubClaim(parent_id=parent_id, number=sub_number(package.job_id)) if parent_id is not None else None,
    )


def policy_of(package: VerdictPackage) -> Policy:
    """The policy that was in force, from its values."""
    return Policy.from_values(package.policy.name, package.policy.values)
