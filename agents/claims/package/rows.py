"""The rows of a verdict package that a claim of its own and a decomposed one are told with alike."""

import hashlib
from collections.abc import Sequence

from agents.claims.evidence import EvidenceRow
from agents.claims.package.citations import STANCE_OF_RELATION
from agents.claims.package.model import DataSource, EvidenceLink, FixedTrustRow, SegmentRow, TrustGate
from scoring.adaptive_trust import AdaptiveTrust
from scoring.coverage import Segment
from scoring.trust import FixedTrust
from storage.ports.evidence import FACTS


def bootstrap_seed(job_id: str) -> int:
    """The bootstrap's seed follows from the job, so that a repeated step draws the same."""
    return int.from_bytes(hashlib.sha256(job_id.encode()).digest()[:4], "big")


def trace_id(job_id: str, attempt: int) -> str:
    """One id for everything that one attempt of a job does."""
    return hashlib.sha256(f"{job_id}/{attempt}".encode()).hexdigest()[:32]


def claim_breakdown(segments: Sequence[Segment]) -> tuple[SegmentRow, ...]:
    """What the evidence says of each part."""
    return tuple(
        SegmentRow(
            text=segment.text,
            status=segment.status,
            weight=segment.weight,
            strength=segment.strength,
            support=segment.support,
            contradiction=segment.contradiction,
            contested=segment.contested,
            anchors=segment.anchors,
            best_evidence_id=segment.best_evidence_id,
            supporting=segment.supporting_ids,
            refuting=segment.refuting_ids,
        )
        for segment in segments
    )


def evidence_map(segments: Sequence[Segment]) -> tuple[EvidenceLink, ...]:
    """Which passage speaks to which part."""
    return tuple(
        EvidenceLink(
            segment=number,
            evidence_id=link.evidence_id,
            stance=STANCE_OF_RELATION.get(link.relation, "neutral"),
            relation=link.relation,
            strength=link.strength,
            match=link.match,
            weight=link.weight,
            story=link.story,
            contested=segment.contested,
        )
        for number, segment in enumerate(segments)
        for link in segment.links
    )


def fixed_trust_row(fixed: FixedTrust) -> FixedTrustRow:
    """The traditional view."""
    return FixedTrustRow(
        value=fixed.value,
        grade=fixed.grade,
        agreement_ratio=fixed.agreement_ratio,
        ci_low=fixed.ci_low,
        ci_high=fixed.ci_high,
    )


def trust_gate(trust: AdaptiveTrust) -> TrustGate:
    """The sufficiency decision."""
    return TrustGate(
        is_sufficient=trust.gate.is_sufficient,
        route=trust.gate.route or "",
        num_subclaims=trust.metrics.num_subclaims,
        strong_covered=trust.metrics.strong_covered,
        contradicted=trust.metrics.contradicted,
        thresholds=trust.gate.thresholds,
    )


def data_source(evidence: Sequence[EvidenceRow]) -> DataSource:
    """Whether the rows were stored before, found on the web for a claim, or both."""
    from_web = any(row.collection == FACTS for row in evidence)
    from_base = any(row.collection != FACTS for row in evidence)
    if from_web and from_base:
        return "both"
    if from_web:
        return "web"
    return "knowledge_base" if from_base else "none"


def signal_counts(evidence: Sequence[EvidenceRow]) -> dict[str, int]:
    """How many rows there are, and on which side."""
    labels = [row.stance.label for row in evidence]
    return {
        "evidence": len(evidence),
        "admissible": sum(row.admissible for row in evidence),
        "copies": sum(bool(row.same_as) for row in evidence),
        "supports": labels.count("supports"),
        "refutes": labels.count("refutes"),
        "neutral": labels.count("neutral"),
    }
