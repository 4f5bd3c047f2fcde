"""What the sub-results of a decomposed claim are made of, and what they amount to as the parts of their parent."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, zip_longest
from typing import TypeVar

from agents.claims.evidence import ROW_LIMIT, EvidenceRow
from agents.claims.judging import adaptive_trust
from agents.claims.package import Citation, Missing, SubResult, VerdictPackage
from agents.claims.package.rebuilding import job_of, policy_of
from agents.claims.package.verdict import decide
from scoring import aggregation, news
from scoring.numeric import NumericRelation
from scoring.values import Label, Verdict

Item = TypeVar("Item")


def sub_result(package: VerdictPackage) -> SubResult:
    """A part with its verdict."""
    return SubResult(
        job_id=package.job_id,
        claim=package.claim,
        verdict=package.verdict,
        label=package.label,
        reasoning=package.rationale,
        citations=package.citations,
        package=package,
    )


def missing_result(job_id: str, claim: str, why: Missing, detail: str) -> SubResult:
    """A part that has no verdict: nothing is known of it, which is Not Enough Evidence and never a refutation."""
    return SubResult(
        job_id=job_id,
        claim=claim,
        verdict=Verdict.UNVERIFIABLE,
        label=Label.NOT_ENOUGH,
        reasoning=detail,
        missing=why,
    )


@dataclass(frozen=True, slots=True)
class Part:
    """A sub-result as the formulas see it."""

    result: aggregation.SubResult
    counts: bool = False
    """Whether it claims a number; then `numeric` says whether that number was found."""
    numeric: NumericRelation = NumericRelation.SILENT


def part(sub: SubResult) -> Part:
    """From the part's own package, judged once more: its links and its strength are not written down anywhere else."""
    if sub.package is None:
        return Part(aggregation.SubResult(sub.claim, sub.verdict))
    policy, job = policy_of(sub.package), job_of(sub.package)
    trust = adaptive_trust(job, policy, sub.package.trust_policy_mode)
    decision = decide(job, trust, policy)
    (segment,) = trust.segments
    result = aggregation.SubResult(
        claim=sub.claim,
        verdict=sub.verdict,
        conflict=sub.verdict is Verdict.UNVERIFIABLE and sub.label is Label.MIXED,
        citations=tuple(news.Citation(one.evidence_id, one.url, one.domain, one.title) for one in sub.citations),
        status=segment.status,
        coverage=trust.coverage.value,
        best_evidence_id=segment.best_evidence_id,
        links=segment.links,
    )
    return Part(result, decision.profile.count, decision.numeric)


def joint_numeric(parts: Sequence[Part]) -> NumericRelation:
    """The figures of the claim agree if those of all its parts do. One that differs has refuted its part already."""
    found = [one.numeric for one in parts if one.counts]
    agree = bool(found) and all(one is NumericRelation.AGREES for one in found)
    return NumericRelation.AGREES if agree else NumericRelation.SILENT


def joint_citations(subs: Sequence[SubResult], merged: Sequence[news.Citation]) -> tuple[Citation, ...]:
    """The merged citations with their quotes; a passage that two parts cite is quoted for the first."""
    quoted: dict[str, Citation] = {}
    for one in in_turns([sub.citations for sub in subs]):
        quoted.setdefault(one.evidence_id, one)
    return tuple(quoted[one.evidence_id] for one in merged)


def joint_evidence(subs: Sequence[SubResult], parts: Sequence[Part]) -> tuple[EvidenceRow, ...]:
    """The rows of all parts, each passage once and as the part that it says most about has it; bounded.

    What the parts rest on comes first, then what they cite, then the rest in turns, so that the bound takes from all.
    """
    rows: dict[str, EvidenceRow] = {}
    for row in chain.from_iterable(sub.package.evidence for sub in subs if sub.package is not None):
        known = rows.get(row.id)
        if known is None or row.stance.neutral < known.stance.neutral:
            rows[row.id] = row
    best = [one.result.best_evidence_id for one in parts if one.result.best_evidence_id]
    cited = [one.evidence_id for one in in_turns([sub.citations for sub in subs])]
    rest = [row.id for row in in_turns([sub.package.evidence for sub in subs if sub.package is not None])]
    ordered = dict.fromkeys([*best, *cited, *rest])
    # An audited package may cite what none of its parts has.
    return tuple(rows[one] for one in ordered if one in rows)[:ROW_LIMIT]


def in_turns(lists: Sequence[Sequence[Item]]) -> Iterable[Item]:
    """The first of each list, then the second of each, and so on."""
    return (one for turn in zip_longest(*lists) for one in turn if one is not None)
