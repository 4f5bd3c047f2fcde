"""The package of a decomposed claim: a pure function of its sub-results, the policy and the hour (004 §8, 000 §6-7)."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from agents.claims.copies import with_copies_marked
from agents.claims.evidence import EvidenceRow
from agents.claims.job import ClaimJob
from agents.claims.loop import EndReason
from agents.claims.package import Guard, LoopRow, Number, SubResult, VerdictPackage
from agents.claims.package.assembling import Found, Told, assemble, language_row
from agents.claims.package.guards import guard
from agents.claims.parts.joining import joint_citations, joint_evidence, joint_numeric, part
from agents.language.rules.rationale import summarise_parts
from scoring.adaptive_trust import assess_segments
from scoring.aggregation import Aggregated, aggregate, parent_segments
from scoring.claim_types import profile
from scoring.coverage import Segment
from scoring.polarity import one_per_story
from scoring.policy import Policy
from scoring.sufficiency_gates import TrustMode

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
    cited = joint_citations(subs, joint.citations)
    kind = profile(job.claim, job.submission.domain)
    found = Found(joint.verdict, joint.label, trust, rows, kind, joint_numeric(parts))
    told = Told(
        rationale=_rationale(job, subs, rows),
        citations=cited,
        rules=_guards(subs, joint),
        loop=_loop(subs, job.loop.limits),
        language=language_row(job.quota),
        counts=_counts(subs, rows, {one.evidence_id for one in cited}),
        models=next((sub.package.models for sub in subs if sub.package is not None), {}),
        sub_results=tuple(subs),
    )
    return assemble(job, found, told, policy, mode=mode, now=now)


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


def _counts(subs: Sequence[SubResult], rows: Sequence[EvidenceRow], cited: set[str]) -> dict[str, Number]:
    return {
        "missing_subclaims": sum(sub.missing is not None for sub in subs),
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
