"""A decomposed claim without anything around it but a ledger: parts that nothing was found about, ended at will."""

import itertools
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from agents.claims.budget import LoopBudget
from agents.claims.decided import settle
from agents.claims.intake import job_record
from agents.claims.job import ClaimJob, SubEnd
from agents.claims.matching.decision import MatchPolicy
from agents.claims.package.single import build_package
from agents.claims.parts.fan_out import fan_out
from agents.claims.reading import Reading
from agents.claims.submission import Submission
from agents.language.service import Language
from agents.services import Services
from scoring.policy import policy_named
from storage.ports import VerdictLedger

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def services_over(ledger: VerdictLedger, *, now: datetime = NOON) -> Services:
    """What fan-out and aggregation ask for; they look at no other store. Its clock never says the same twice, so that
    two decisions are never the same bytes by accident."""
    ticks = itertools.count()
    given: dict[str, Any] = {
        "ledger": ledger,
        "language": Language(),
        "policy": policy_named("calibrated"),
        "budget": LoopBudget(),
        "matching": MatchPolicy(enabled=False),
        "clock": lambda: now + timedelta(microseconds=next(ticks)),
    }
    return Services(**{one.name: given.get(one.name) for one in fields(Services)})


def later(services: Services, by: timedelta) -> Services:
    """The same world after a while."""
    return replace(services, clock=lambda: services.clock() + by)


async def decomposed(services: Services, job_id: str, parts: int) -> list[ClaimJob]:
    """A claim of so many parts, accepted and taken apart: its sub-jobs."""
    texts = tuple(f"Kelderwick has {number} bridges." for number in range(2, parts + 2))
    submission = Submission(job_id=job_id, claim=" ".join(texts))
    now = services.clock()
    await services.ledger.open_job(job_record(submission, now, services.budget.deadline))
    job = ClaimJob(
        job_id=job_id,
        submission=submission,
        accepted_at=now,
        deadline=now + services.budget.deadline,
        reading=Reading(standalone=submission.claim, subclaims=texts),
    )
    sends = (await fan_out(job, services)).sends
    return [send.value for send in sends if isinstance(send.value, ClaimJob)]


async def end(part: ClaimJob, services: Services) -> SubEnd:
    """The part decided, and what its parent is told."""
    stopped = part.model_copy(update={"loop": part.loop.updated(stop_reason="no_provider")})
    package = build_package(stopped, services.policy, "adaptive", services.clock())
    (send,) = (await settle(package, part.submission, services)).sends
    assert isinstance(send.value, SubEnd)
    return send.value
