"""The package of a decomposed claim: a pure function of its sub-results, the policy and the hour (004 §8, 000 §6-7)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agents.claims.copies import with_copies_marked
from agents.claims.evidence import EvidenceRow
from agents.claims.guards import guard, number_guards
from agents.claims.job import ClaimJob
from agents.claims.loop import EndReason
from agents.claims.package import Guard, LoopRow, Number, PolicyRow, SubResult, VerdictPackage
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
from agents.claims.packaging import language_row, told_reading
from agents.claims.parts import joint_citations, joint_evidence, joint_numeric, part
from agents.language.rules.rationale import summarise_parts
from scoring.adaptive_trust import AdaptiveTrust, assess_segments
from scoring.aggregation import Aggregated, aggregate, parent_segments
from scoring.claim_types import profile
from scoring.confidence import ConfidenceSignals, confidence
from scoring.coverage import Segment
from scoring.evidence_quality import evidence_quality
from scoring.polarity import Relation, one_per_story
from scoring.policy import Policy
from scoring.reconciliation import strong_votes
from scoring.sufficiency_gates import TrustMode
from scoring.trust import fixed_trust
from scoring.truthfulness import truthfulness

_CITED = re.compile(r"\[([^\]]+)\]")
SETTLED: tuple[EndReason, ...] = ("sufficient", "confidence_mode", "cache")


def build_parent_package(
    job: ClaimJob, subs: Sequence[SubResult], policy: Policy, mode: TrustMode, now: datetime
) -> VerdictPackage:
    """The whole package: the verdict by the rules for sub-claims, every number over the sub-results as parts."""
    parts = [part(sub) for sub in subs]
    joint = aggregate([one.result for one in parts], policy.news)
    rows = with_copies_marked(joint_evidence(subs, parts), policy.stories)
    evidence = [row.evidence() for row in rows]
    segments = _segments(parent_segments([one.result for one in parts]), rows)
    trust = assess_segments(
        segments, evidence, policy.adaptive_trust, mode, trust=policy.trust, polarity=policy.polarity
    )
    kind, numeric = profile(job.claim, job.submission.domain), joint_numeric(parts)
    fixed = fixed_trust(evidence, policy.trust, bootstrap_seed(job.job_id), policy.polarity)
    truth = truthfulness(
        segments,
        joint.verdict,
        trust.diversity.value,
        policy.truthfulness,
        numeric=numeric,
        absolute_quantifier=kind.absolute,
    )
    quality = evidence_quality(
        segments,
        evidence,
        trust.diversity.value,
        policy.evidence_quality,
        assertive=kind.assertive,
        belief=kind.belief,
    )
    sureness = confidence(
        ConfidenceSignals(
            verdict=joint.verdict,
            truthfulness=truth.value,
            coverage=trust.coverage.value,
            agreement=trust.agreement.value,
            diversity=trust.diversity.value,
            adaptive_trust_post=trust.trust_post.value,
            is_sufficient=trust.gate.is_sufficient,
            strong_contradictions=strong_votes(segments, Relation.CONTRADICTS, policy.reconciliation),
            comparative=kind.comparative,
            count_claim=kind.count,
            absolute_quantifier=kind.absolute,
            numeric=numeric,
        ),
        segments,
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
    scores = [row.score.value for row in rows]
    submission = job.submission
    cited = joint_citations(subs, joint.citations)
    loop = _loop(subs, job.loop.limits)
    return VerdictPackage(
        job_id=job.job_id,
        attempt=job.attempt,
        claim=submission.claim,
        room_id=submission.room_id,
        source=submission.source,
        domain=submission.domain,
        reading=told_reading(job),
        proposal=job.proposal,
        status="completed_from_cache" if loop.stop_reason == "cache" else "completed",
        verdict=joint.verdict,
        label=joint.label,
        verdict_confidence=sureness.value,
        truthfulness_percent=truth.value * 100,
        evidence_quality_percent=quality.value * 100,
        rationale=_rationale(job, subs, rows),
        citations=cited,
        evidence=rows,
        evidence_map=evidence_map(segments),
        claim_breakdown=claim_breakdown(segments),
        sub_results=tuple(subs),
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
        data_source=data_source(rows),
        used_web_search=loop.count > 0,
        signal_counts=signal_counts(rows),
        analysis_counts=_analysis_counts(subs, rows, {one.evidence_id for one in cited}, trust),
        loop=loop,
        language=language_row(job.quota),
        guards=(*_guards(subs, joint), *number_guards(derivations)),
        derivations=derivations,
        policy=PolicyRow(name=policy.name, values=policy.as_values()),
        models=next((sub.package.models for sub in subs if sub.package is not None), {}),
        timings={"end_to_end_seconds": (now - job.accepted_at).total_seconds()},
        trace_id=trace_id(job.job_id, job.attempt),
        as_of=job.as_of,
        decided_at=now,
    )


def _segments(segments: Sequence[Segment], rows: Sequence[EvidenceRow]) -> tuple[Segment, ...]:
    """The parts with links only to rows that the bound has left in the package."""
    kept = {row.id for row in rows}
    return tuple(
        replace(segment, links=tuple(link for link in segment.links if link.evidence_id in kept))
        for segment in segments
    )


def _rationale(job: ClaimJob, subs: Sequence[SubResult], rows: Sequence[EvidenceRow]) -> str:
    """A model's summary, if there is one; else what came of the parts, and the reasons of each (004 §8)."""
    if job.proposal.rationale:
        return job.proposal.rationale
    known = {row.id for row in rows}
    reasons = [
        f'On "{sub.claim.rstrip(".")}": {sub.reasoning}' for sub in subs if set(_CITED.findall(sub.reasoning)) <= known
    ]
    return " ".join([summarise_parts([(sub.claim, sub.verdict) for sub in subs]), *reasons])


def _loop(subs: Sequence[SubResult], limits: Mapping[str, float]) -> LoopRow:
    """All loops of all parts together, and the limits that they have shared."""
    loops = [sub.package.loop for sub in subs if sub.package is not None]
    skipped: Counter[str] = Counter()
    for one in loops:
        skipped.update(one.urls_skipped)
    return LoopRow(
        count=sum(one.count for one in loops),
        iterations=max((one.iterations for one in loops), default=0),
        stop_reason=_stop_reason(subs, [one.stop_reason for one in loops]),
        limits=limits,
        queries=tuple(query for one in loops for query in one.queries),
        steps=tuple(step for one in loops for step in one.steps),
        repeated=tuple(query for one in loops for query in one.repeated),
        urls_processed=tuple(dict.fromkeys(url for one in loops for url in one.urls_processed)),
        urls_skipped=dict(skipped),
    )


def _stop_reason(subs: Sequence[SubResult], reasons: Sequence[EndReason]) -> EndReason:
    """What kept the claim from being settled, if anything did: that of a part that did not come before all others."""
    missing = [sub.missing for sub in subs if sub.missing is not None]
    if missing:
        return "deadline" if "deadline" in missing else "dead_letter"
    unsettled = [reason for reason in reasons if reason not in SETTLED]
    if unsettled:
        return unsettled[0]
    return next((reason for reason in SETTLED if reason in reasons), "cache")


def _analysis_counts(
    subs: Sequence[SubResult], rows: Sequence[EvidenceRow], cited: set[str], trust: AdaptiveTrust
) -> dict[str, Number]:
    return {
        "admissible_evidence_ratio": sum(row.admissible for row in rows) / len(rows) if rows else 0.0,
        "subclaims": trust.metrics.num_subclaims,
        "unresolved_subclaims": sum(segment.status.name == "UNKNOWN" for segment in trust.segments),
        "missing_subclaims": sum(sub.missing is not None for sub in subs),
        "stories": trust.metrics.evidence_count,
        "sources": len(one_per_story([row.evidence() for row in rows if row.id in cited])),
    }


def _guards(subs: Sequence[SubResult], joint: Aggregated) -> tuple[Guard, ...]:
    """The rule that gave the verdict, and every part that is missing from it."""
    verdicts = ", ".join(sub.label.value for sub in subs)
    missing = [
        guard(f"missing:{sub.missing}", f"{sub.job_id} → Not Enough Evidence")
        for sub in subs
        if sub.missing is not None
    ]
    return (*missing, guard(f"aggregation:{joint.rule}", f"{verdicts} → {joint.label}"))
