"""The one way a verdict package is put together, whether a claim was judged itself or joined from its parts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from agents.claims.costs import cost_row, timings
from agents.claims.evidence import EvidenceRow
from agents.claims.job import ClaimJob
from agents.claims.package.guards import number_guards
from agents.claims.package.model import (
    Citation,
    Guard,
    LanguageRow,
    LoopRow,
    Number,
    PolicyRow,
    SubResult,
    VerdictPackage,
)
from agents.claims.package.rows import (
    bootstrap_seed,
    claim_breakdown,
    data_source,
    evidence_map,
    fixed_trust_row,
    signal_counts,
    trace_id,
    trust_gate,
)
from agents.claims.reading import Reading
from agents.language.quota import QuotaState
from scoring.adaptive_trust import AdaptiveTrust
from scoring.claim_types import ClaimProfile
from scoring.confidence import ConfidenceSignals, confidence
from scoring.derivation import Derivation
from scoring.evidence_quality import evidence_quality
from scoring.numeric import NumericRelation
from scoring.polarity import Relation
from scoring.policy import Policy
from scoring.reconciliation import strong_votes
from scoring.sufficiency_gates import TrustMode
from scoring.trust import FixedTrust, fixed_trust
from scoring.truthfulness import truthfulness
from scoring.values import Label, Verdict


@dataclass(frozen=True, slots=True)
class Found:
    """What was decided, and what every number is made of."""

    verdict: Verdict
    label: Label
    trust: AdaptiveTrust
    rows: tuple[EvidenceRow, ...]
    profile: ClaimProfile
    numeric: NumericRelation


@dataclass(frozen=True, slots=True)
class Told:
    """What is said of it: the words, what they rest on, the rules that made the verdict, and how it was found."""

    rationale: str
    citations: tuple[Citation, ...]
    rules: tuple[Guard, ...]
    loop: LoopRow
    language: LanguageRow
    counts: Mapping[str, Number]
    """What `analysis_counts` holds beyond what both kinds of package count."""
    models: Mapping[str, str]
    sub_results: tuple[SubResult, ...] = ()


@dataclass(frozen=True, slots=True)
class _Numbers:
    fixed: FixedTrust
    truth: Derivation
    quality: Derivation
    sureness: Derivation


def assemble(
    job: ClaimJob, found: Found, told: Told, policy: Policy, *, mode: TrustMode, now: datetime
) -> VerdictPackage:
    """The whole package."""
    trust, rows, submission = found.trust, found.rows, job.submission
    numbers = _numbers(job.job_id, found, policy)
    derivations = _derivations(trust, numbers)
    scores = [row.score.value for row in rows]
    timed = timings(job, now)
    return VerdictPackage(
        job_id=job.job_id,
        parent_job_id=job.sub.parent_id if job.sub is not None else None,
        attempt=job.attempt,
        claim=submission.claim,
        room_id=submission.room_id,
        source=submission.source,
        domain=submission.domain,
        reading=_told_reading(job),
        proposal=job.proposal,
        status="completed_from_cache" if told.loop.stop_reason == "cache" else "completed",
        verdict=found.verdict,
        label=found.label,
        verdict_confidence=numbers.sureness.value,
        truthfulness_percent=numbers.truth.value * 100,
        evidence_quality_percent=numbers.quality.value * 100,
        rationale=told.rationale,
        citations=told.citations,
        evidence=rows,
        evidence_map=evidence_map(trust.segments),
        claim_breakdown=claim_breakdown(trust.segments),
        sub_results=told.sub_results,
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
        trust_post_fixed=fixed_trust_row(numbers.fixed),
        trust_gate=trust_gate(trust),
        data_source=data_source(rows),
        used_web_search=told.loop.count > 0,
        signal_counts=signal_counts(rows),
        analysis_counts={**_counts(rows, trust), **told.counts},
        loop=told.loop,
        language=told.language,
        cost=cost_row(told.language, told.loop, timed, told.sub_results),
        guards=(*told.rules, *number_guards(derivations)),
        derivations=derivations,
        matched_job_id=job.match.job_id if job.match is not None else None,
        match=job.match.aged(now) if job.match is not None else None,
        policy=_policy_row(policy),
        models=told.models,
        timings=timed,
        trace_id=trace_id(job.job_id, job.attempt),
        as_of=job.as_of,
        decided_at=now,
    )


@lru_cache(maxsize=8)
def _policy_row(policy: Policy) -> PolicyRow:
    """Every package of a worker carries the same one."""
    return PolicyRow(name=policy.name, values=policy.as_values())


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


def _numbers(job_id: str, found: Found, policy: Policy) -> _Numbers:
    trust, kind, numeric = found.trust, found.profile, found.numeric
    segments, diversity = trust.segments, trust.diversity.value
    evidence = [row.evidence() for row in found.rows]
    truth = truthfulness(
        segments,
        found.verdict,
        diversity,
        policy.truthfulness,
        numeric=numeric,
        absolute_quantifier=kind.absolute,
    )
    quality = evidence_quality(
        segments, evidence, diversity, policy.evidence_quality, assertive=kind.assertive, belief=kind.belief
    )
    signals = ConfidenceSignals(
        verdict=found.verdict,
        truthfulness=truth.value,
        coverage=trust.coverage.value,
        agreement=trust.agreement.value,
        diversity=diversity,
        adaptive_trust_post=trust.trust_post.value,
        is_sufficient=trust.gate.is_sufficient,
        strong_contradictions=strong_votes(segments, Relation.CONTRADICTS, policy.reconciliation),
        comparative=kind.comparative,
        count_claim=kind.count,
        absolute_quantifier=kind.absolute,
        numeric=numeric,
    )
    return _Numbers(
        fixed=fixed_trust(evidence, policy.trust, bootstrap_seed(job_id), policy.polarity),
        truth=truth,
        quality=quality.derivation,
        sureness=confidence(signals, segments, policy.confidence),
    )


def _derivations(trust: AdaptiveTrust, numbers: _Numbers) -> dict[str, Derivation]:
    return {
        "coverage": trust.coverage,
        "diversity": trust.diversity,
        "agreement": trust.agreement,
        "trust_post_adaptive": trust.trust_post,
        "trust_post_fixed": numbers.fixed.derivation,
        "truthfulness": numbers.truth,
        "evidence_quality": numbers.quality,
        "confidence": numbers.sureness,
    }


def _counts(rows: Sequence[EvidenceRow], trust: AdaptiveTrust) -> dict[str, Number]:
    return {
        "admissible_evidence_ratio": sum(row.admissible for row in rows) / len(rows) if rows else 0.0,
        "subclaims": trust.metrics.num_subclaims,
        "unresolved_subclaims": sum(segment.status.name == "UNKNOWN" for segment in trust.segments),
        "stories": trust.metrics.evidence_count,
    }


def _told_reading(job: ClaimJob) -> Reading:
    """Without what only the journey needed."""
    reading = job.reading or Reading(standalone=job.claim)
    return reading.model_copy(update={"quota": QuotaState(), "queries": ()})
