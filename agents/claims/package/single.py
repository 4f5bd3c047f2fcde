"""Everything that is decided about a job, as one package: a pure function of its rows, the policy and the hour."""

from datetime import datetime

from agents.claims.job import ClaimJob
from agents.claims.judging import adaptive_trust
from agents.claims.package.assembling import Found, Told, assemble, language_row
from agents.claims.package.citations import citations
from agents.claims.package.guards import verdict_guards
from agents.claims.package.model import LoopRow, VerdictPackage
from agents.claims.package.rationale import rationale
from agents.claims.package.verdict import decide
from agents.language.quota import QuotaState, joined
from scoring.policy import Policy
from scoring.sufficiency_gates import TrustMode


def build_package(job: ClaimJob, policy: Policy, mode: TrustMode, now: datetime) -> VerdictPackage:
    """The whole package, from the rows of the job and the policy alone."""
    trust = adaptive_trust(job, policy, mode)
    decision = decide(job, trust, policy)
    cited = citations(decision.validated.citations, job, trust)
    only_orders = job.loop.stop_reason == "nothing_to_verify"
    found = Found(decision.verdict, decision.label, trust, job.evidence, decision.profile, decision.numeric)
    told = Told(
        rationale=rationale(job, decision, cited),
        citations=cited,
        rules=tuple(verdict_guards(decision, only_orders=only_orders)),
        loop=_loop(job),
        language=language_row(_own_quota(job)),
        counts={"sources": decision.validated.sources},
        models=job.models,
    )
    return assemble(job, found, told, policy, mode=mode, now=now)


def _own_quota(job: ClaimJob) -> QuotaState:
    """What this job spent itself: a part begins with what its parent and the other parts have taken."""
    return job.quota if job.sub is None else joined(QuotaState(), job.sub.share, job.quota)


def _loop(job: ClaimJob) -> LoopRow:
    loop = job.loop
    return LoopRow(
        count=loop.count,
        iterations=loop.iteration,
        stop_reason=loop.stop_reason or "sufficient",
        decided_by=loop.decided_by,
        limits=loop.limits,
        steps=loop.steps,
        queries=loop.queries,
        repeated=loop.repeated,
        urls_processed=loop.urls_processed,
        urls_skipped=loop.urls_skipped,
    )
