"""Everything that is decided about a job, as one package: a pure function of its rows, the policy and the hour."""

from datetime import datetime

from agents.claims.citations import citations
from agents.claims.guards import number_guards, verdict_guards
from agents.claims.job import ClaimJob
from agents.claims.judging import adaptive_trust
from agents.claims.package import LanguageRow, LoopRow, Number, PolicyRow, VerdictPackage
from agents.claims.package_rows import (
    bootstrap_seed,
    claim_breakdown,
    data_source,
    evidence_map,
    fixed_trust_row,
    signal_counts,
    trace_id,
    trust_gate,
)
from agents.claims.rationale import rationale
from agents.claims.reading import Reading
from agents.claims.verdict import Decision, decide
from agents.language.quota import QuotaState, joined
from scoring.adaptive_trust import AdaptiveTrust
from scoring.confidence import ConfidenceSignals, confidence
from scoring.evidence_quality import evidence_quality
from scoring.polarity import Relation
from scoring.policy import Policy
from scoring.reconciliation import strong_votes
from scoring.sufficiency_gates import TrustMode
from scoring.trust import fixed_trust
from scoring.truthfulness import truthfulness


def build_package(job: ClaimJob, policy: Policy, mode: TrustMode, now: datetime) -> VerdictPackage:
    """The whole package, from the rows of the job and the policy alone."""
    trust = adaptive_trust(job, policy, mode)
    decision = decide(job, trust, policy)
    evidence = [row.evidence() for row in job.evidence]
    fixed = fixed_trust(evidence, policy.trust, bootstrap_seed(job.job_id), policy.polarity)
    truth = truthfulness(
        trust.segments,
        decision.verdict,
        trust.diversity.value,
        policy.truthfulness,
        numeric=decision.numeric,
        absolute_quantifier=decision.profile.absolute,
    )
    quality = evidence_quality(
        trust.segments,
        evidence,
        trust.diversity.value,
        policy.evidence_quality,
        assertive=decision.profile.assertive,
        belief=decision.profile.belief,
    )
    sureness = confidence(
        ConfidenceSignals(
            verdict=decision.verdict,
            truthfulness=truth.value,
            coverage=trust.coverage.value,
            agreement=trust.agreement.value,
            diversity=trust.diversity.value,
            adaptive_trust_post=trust.trust_post.value,
            is_sufficient=trust.gate.is_sufficient,
            strong_contradictions=strong_votes(trust.segments, Relation.CONTRADICTS, policy.reconciliation),
            comparative=decision.profile.comparative,
            count_claim=decision.profile.count,
            absolute_quantifier=decision.profile.absolute,
            numeric=decision.numeric,
        ),
        trust.segments,
        policy.confidence,
    )
    derivations = {
        "coverage": trust.coverage,
        "diversity": trust.diversity,
        "agreement": trust.agreement,
        "trust_post_adaptive": trust.trust_post,
        "trust_post_fixed": fixed.derivation,
        "truthfulness": truth,
        "evidence_quality": quality.derivation,
        "confidence": sureness,
    }
    scores = [row.score.value for row in job.evidence]
    submission = job.submission
    cited = citations(decision.validated.citations, job, trust)
    return VerdictPackage(
        job_id=job.job_id,
        parent_job_id=job.sub.parent_id if job.sub is not None else None,
        attempt=job.attempt,
        claim=submission.claim,
        room_id=submission.room_id,
        source=submission.source,
        domain=submission.domain,
        reading=told_reading(job),
        proposal=job.proposal,
        status="completed_from_cache" if job.from_cache else "completed",
        verdict=decision.verdict,
        label=decision.label,
        verdict_confidence=sureness.value,
        truthfulness_percent=truth.value * 100,
        evidence_quality_percent=quality.value * 100,
        rationale=rationale(job, decision, cited),
        citations=cited,
        evidence=job.evidence,
        evidence_map=evidence_map(trust.segments),
        claim_breakdown=claim_breakdown(trust.segments),
        top_ranking_score=max(scores, default=0.0),
        avg_ranking_score=sum(scores) / len(scores) if scores else 0.0,
        trust_policy_mode=mode,
        trust_metric_value=trust.trust_post.value,
        trust_threshold_met=trust.gate.is_sufficient,
        verdict_state=trust.state,
        coverage=trust.coverage.value,
        diversity=trust.diversity.value,
        agreement=trust.agreement.value,
        trust_post_adaptive=trust.trust_post.value,
        trust_post_fixed=fixed_trust_row(fixed),
        trust_gate=trust_gate(trust),
        data_source=data_source(job.evidence),
        used_web_search=job.loop.count > 0,
        signal_counts=signal_counts(job.evidence),
        analysis_counts=_analysis_counts(job, trust, decision),
        loop=_loop(job),
        language=language_row(_own_quota(job)),
        guards=(
            *verdict_guards(decision, only_orders=job.loop.stop_reason == "nothing_to_verify"),
            *number_guards(derivations),
        ),
        derivations=derivations,
        matched_job_id=job.match.job_id if job.match is not None else None,
        match=job.match.aged(now) if job.match is not None else None,
        policy=PolicyRow(name=policy.name, values=policy.as_values()),
        models=job.models,
        timings={"end_to_end_seconds": (now - job.accepted_at).total_seconds()},
        trace_id=trace_id(job.job_id, job.attempt),
        as_of=job.as_of,
        decided_at=now,
    )


def told_reading(job: ClaimJob) -> Reading:
    """Without what only the journey needed."""
    reading = job.reading or Reading(standalone=job.claim)
    return reading.model_copy(update={"quota": QuotaState(), "queries": ()})


def _own_quota(job: ClaimJob) -> QuotaState:
    """What this job spent itself: a part begins with what its parent and the other parts have taken."""
    return job.quota if job.sub is None else joined(QuotaState(), job.sub.share, job.quota)


def language_row(quota: QuotaState) -> LanguageRow:
    """What language models cost."""
    return LanguageRow(
        calls=quota.calls,
        tokens=quota.tokens,
        cost_usd=quota.cost_usd,
        cache_hits=quota.cache_hits,
        skipped=tuple(f"{one.tag}: {one.reason}" for one in quota.skipped),
        degraded=quota.degraded,
    )


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


def _analysis_counts(job: ClaimJob, trust: AdaptiveTrust, decision: Decision) -> dict[str, Number]:
    rows = len(job.evidence)
    return {
        "admissible_evidence_ratio": sum(row.admissible for row in job.evidence) / rows if rows else 0.0,
        "subclaims": trust.metrics.num_subclaims,
        "unresolved_subclaims": sum(segment.status.name == "UNKNOWN" for segment in trust.segments),
        "stories": trust.metrics.evidence_count,
        "sources": decision.validated.sources,
    }
