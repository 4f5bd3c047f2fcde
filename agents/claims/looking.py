"""What one look at the evidence adds to the record of the loop, and the facts on which the loop goes on or ends."""

from dataclasses import asdict
from datetime import datetime

from agents.claims.budget import LoopBudget
from agents.claims.job import ClaimJob
from agents.claims.loop import LoopState
from agents.claims.package.verdict import decide
from agents.evidence.urls import registered_domain
from scoring.adaptive_trust import AdaptiveTrust
from scoring.claim_types import profile
from scoring.evoi import ExtractDecision, ExtractHistory, decide_extract
from scoring.polarity import Relation, relation
from scoring.policy import Policy
from scoring.stopping import LoopFacts, StopReason, claim_belief
from scoring.values import Verdict


def looked_at(job: ClaimJob, trust: AdaptiveTrust, policy: Policy) -> ClaimJob:
    """The job with this look on record: trust, belief, hits, and what the step before it has brought."""
    usable = [row for row in job.evidence if row.admissible]
    new = [row.id for row in usable if row.id not in job.loop.known]
    sided = {row.url for row in usable if relation(row.stance, policy.polarity) is not Relation.NEUTRAL}
    hits = [url for url in job.loop.urls_processed if url in sided and url not in job.loop.quoted]
    loop = job.loop.updated(
        known=(*job.loop.known, *new),
        quoted=(*job.loop.quoted, *hits),
        trust=trust.trust_post.value,
        belief=claim_belief(row.evidence() for row in job.evidence),
        sufficiency=trust.coverage.value,
    )
    if loop.steps:
        step = loop.steps[-1].model_copy(
            update={
                "trust_after": loop.trust,
                "new_evidence": len(new),
                "domains": len({registered_domain(row.domain) for row in usable}),
                "evoi": next_page(loop, policy).evoi,
            }
        )
        loop = loop.updated(steps=(*loop.steps[:-1], step))
    return job.model_copy(update={"loop": loop})


def claim_history(loop: LoopState) -> ExtractHistory:
    """What the pages that searches found have yielded; pages that the claim names have a history of their own."""
    inline = sum(step.inline for step in loop.steps)
    return ExtractHistory(loop.pages - inline, len(set(loop.quoted) - set(loop.inline)))


def inline_history(loop: LoopState) -> ExtractHistory:
    """What the pages that the claim itself names have yielded."""
    return ExtractHistory(sum(step.inline for step in loop.steps), len(set(loop.quoted) & set(loop.inline)))


def next_page(loop: LoopState, policy: Policy) -> ExtractDecision:
    """Whether one more page is worth its cost."""
    return decide_extract(loop.belief, claim_history(loop), loop.sufficiency, policy.loop.extract)


def loop_facts(job: ClaimJob, trust: AdaptiveTrust, policy: Policy, budget: LoopBudget, now: datetime) -> LoopFacts:
    """Everything that the decision looks at, but for whether somebody can be asked."""
    loop, page = job.loop, next_page(job.loop, policy)
    first_look = loop.count == 0 and trust.gate.is_sufficient
    return LoopFacts(
        loops=loop.count,
        sufficient=trust.gate.is_sufficient,
        route=trust.gate.route or "",
        settles=first_look and decide(job, trust, policy).verdict is not Verdict.UNVERIFIABLE,
        overdue=now >= job.deadline,
        monopoly_loops=_monopoly(job) if profile(job.claim, job.submission.domain).comparative else 0,
        evoi=page.evoi.value,
        extraction=page.reason,
        queries_left=budget.queries - loop.count,
        pages_left=budget.pages_left(loop.pages, loop.bytes),
        planned=len(loop.plan),
        set_pages=sum(step.offered for step in loop.current_set),
        set_evidence=sum(step.new_evidence for step in loop.current_set),
        iterations_left=budget.iterations - loop.iteration,
    )


def _monopoly(job: ClaimJob) -> int:
    """Loops in a row, counted back from the last, after which all evidence came from one registered domain."""
    streak = 0
    for step in reversed(job.loop.steps):
        if step.domains != 1:
            break
        streak += 1
    return streak


def concluded(job: ClaimJob, reason: StopReason | None, facts: LoopFacts, budget: LoopBudget) -> ClaimJob:
    """The job with the decision on record, and the facts it was made on. Going on for the first time begins set 1."""
    iteration = max(1, job.loop.iteration) if reason is None else job.loop.iteration
    loop = job.loop.updated(stop_reason=reason, iteration=iteration, decided_by=asdict(facts), limits=budget.limits)
    if reason is not None:
        loop = loop.updated(judged={})  # nobody looks again
    if loop.steps:
        last = loop.steps[-1].model_copy(update={"decision": reason or "go_on"})
        loop = loop.updated(steps=(*loop.steps[:-1], last))
    return job.model_copy(update={"loop": loop, "from_cache": reason == "cache"})
