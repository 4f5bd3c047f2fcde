"""Trust: is the evidence sufficient, may the stored evidence settle it at once, or does a stop rule fire?"""

from dataclasses import replace

from agents.claims.costs import timed
from agents.claims.job import ClaimJob
from agents.claims.judging import adaptive_trust, trust_mode
from agents.claims.looking import concluded, looked_at, loop_facts
from agents.claims.planning import with_first_set, with_next_set
from agents.results import Note, Send, StepResult
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust
from scoring.stopping import stop_reason


@timed("trust")
async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Judge the rows, then send the job to adjudication or once more around the loop."""
    policy, budget = services.policy, services.budget.within(job.loop.limits)
    trust = adaptive_trust(job, policy, trust_mode(job, services))
    job = looked_at(job, trust, policy)
    facts = loop_facts(job, trust, policy, budget, services.clock())
    facts = replace(facts, provider=services.search is not None and services.fetcher is not None)
    if facts.loops == 0 and stop_reason(replace(facts, planned=1), policy.loop) is None:
        # Most claims are settled by what is stored: only now is it worth while to plan what to ask.
        job = await with_first_set(job, services)
        facts = replace(facts, planned=len(job.loop.plan))
    reason = stop_reason(facts, policy.loop)
    if reason is None and not job.loop.plan:
        job = await with_next_set(job, trust, services)
        facts = replace(facts, next_planned=len(job.loop.plan))
        reason = stop_reason(facts, policy.loop)
    job = concluded(job, reason, facts, budget)
    to = "search-expansion" if reason is None else "adjudication"
    return StepResult((Send(to, job.job_id, job),), (_assessed(job, trust),))


def _assessed(job: ClaimJob, trust: AdaptiveTrust) -> Note:
    loop = job.loop
    return Note(
        "assessed",
        {
            "sufficient": trust.gate.is_sufficient,
            "coverage": round(trust.coverage.value, 4),
            "diversity": round(trust.diversity.value, 4),
            "agreement": round(trust.agreement.value, 4),
            "trust_post": round(trust.trust_post.value, 4),
            "iteration": loop.iteration,
            "new_evidence": loop.steps[-1].new_evidence if loop.steps else len(loop.known),
            "evoi": round(loop.facts.evoi, 4),
            "decision": loop.stop_reason or "go_on",
        },
    )
