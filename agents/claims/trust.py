"""Trust: is the evidence sufficient, may the stored evidence settle it at once, or does a stop rule fire?"""

from datetime import datetime

from agents.claims.job import ClaimJob, StopReason
from agents.claims.judging import adaptive_trust, trust_mode
from agents.claims.verdict import decide
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust
from scoring.values import Verdict


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Judge the rows, then send the job to adjudication or once more around the loop."""
    mode = trust_mode(job, services)
    trust = adaptive_trust(job, services.policy, mode)
    told = Note(
        "assessed",
        {
            "sufficient": trust.gate.is_sufficient,
            "coverage": round(trust.coverage.value, 4),
            "diversity": round(trust.diversity.value, 4),
            "agreement": round(trust.agreement.value, 4),
            "trust_post": round(trust.trust_post.value, 4),
        },
    )
    reason = stop_reason(job, trust, services, services.clock())
    if reason is None:
        return StepResult((Send("search-expansion", job.job_id, job),), (told,))
    job = job.stopped(reason).model_copy(update={"from_cache": reason == "cache"})
    return StepResult((Send("adjudication", job.job_id, job),), (told,))


def stop_reason(job: ClaimJob, trust: AdaptiveTrust, services: Services, now: datetime) -> StopReason | None:
    """Why the loop ends here, or None when it goes on."""
    if trust.gate.is_sufficient and job.loop.count > 0:
        return "sufficient"
    if trust.gate.is_sufficient and cache_precheck(job, trust, services):
        return "cache"
    return _exhausted(job, services, now)


def _exhausted(job: ClaimJob, services: Services, now: datetime) -> StopReason | None:
    """Which budget is gone."""
    loop = job.loop
    if now >= job.deadline:
        return "deadline"
    if services.search is None:
        return "no_provider"
    if loop.count >= services.budget.queries:
        return "query_budget"
    return "url_exhausted" if loop.count > 0 and not loop.plan else None


def cache_precheck(job: ClaimJob, trust: AdaptiveTrust, services: Services) -> bool:
    """Strict gates for a verdict from stored evidence alone (000 §3 steps 6-7): it must not be an abstention."""
    return decide(job, trust, services.policy).verdict is not Verdict.UNVERIFIABLE
