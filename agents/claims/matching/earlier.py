"""What the ledger holds of a claim that was asked before: its verdict, or, if it was worded otherwise, its evidence."""

from collections.abc import Iterator
from datetime import datetime

from agents.claims.costs import END_TO_END, cost_row
from agents.claims.evidence import CandidateRow
from agents.claims.job import ClaimJob, Match
from agents.claims.matching.decision import MatchKind, MatchPolicy, compare
from agents.claims.matching.key import claim_key, scope, sense_key
from agents.claims.package import CostRow, LanguageRow, VerdictPackage
from agents.claims.package.rows import trace_id
from agents.claims.submission import Submission
from agents.language.ports import embed_queries
from agents.services import Services
from scoring.values import Verdict
from storage.ports import Outcome

CUT_SHORT = frozenset(("deadline", "dead_letter"))
"""Ends of a search that say nothing about what there is to be found."""
EARLIER = "an earlier job"


async def answered(
    submission: Submission, attempt: int, accepted_at: datetime, services: Services
) -> VerdictPackage | None:
    """The fresh verdict on the same claim, as the package of this job, which cost nothing; None when there is none."""
    policy = services.matching
    if not policy.enabled:
        return None
    now = services.clock()
    key = claim_key(submission.claim, _scope(submission, services))
    stored = await services.ledger.answered(key, now - policy.window)
    earlier = _fresh(stored, policy, now) if stored is not None else None
    if earlier is None:
        return None
    return earlier.model_copy(
        update={
            "job_id": submission.job_id,
            "attempt": attempt,
            "claim": submission.claim,
            "room_id": submission.room_id,
            "source": submission.source,
            "matched_job_id": earlier.job_id,
            "match": matched(earlier, "exact", earlier.claim, 1.0).aged(now),
            "language": LanguageRow(),
            "cost": CostRow(),
            "timings": {END_TO_END: (now - accepted_at).total_seconds()},
            "trace_id": trace_id(submission.job_id, attempt),
            "decided_at": now,
        }
    )


def matched(earlier: VerdictPackage, kind: MatchKind, claim: str, similarity: float) -> Match:
    """How a job refers to an earlier one, by the claim that its own was compared with."""
    return Match(
        kind=kind,
        job_id=earlier.job_id,
        attempt=earlier.attempt,
        claim=claim,
        decided_at=earlier.decided_at,
        similarity=similarity,
        timings=earlier.timings,
    )


def first_told(package: VerdictPackage) -> VerdictPackage:
    """The package as the earlier job had it, from the one that repeats it."""
    match = package.match
    if match is None or match.kind != "exact":
        return package
    return package.model_copy(
        update={
            "job_id": match.job_id,
            "attempt": match.attempt,
            "claim": match.claim,
            "matched_job_id": None,
            "match": None,
            "cost": cost_row(package.language, package.loop, match.timings, package.sub_results),
            "timings": match.timings,
            "trace_id": trace_id(match.job_id, match.attempt),
            "decided_at": match.decided_at,
        }
    )


async def worded_anew(job: ClaimJob, services: Services) -> tuple[Match, tuple[CandidateRow, ...]] | None:
    """A fresh verdict on the same claim in other words: who it was, and the evidence that it lends."""
    policy = services.matching
    key = sense_key(job.claim, _scope(job.submission, services)) if policy.enabled else ""
    if not key:
        return None
    now = services.clock()
    for stored in await services.ledger.alike(key, now - policy.window, policy.candidates):
        earlier = _fresh(stored, policy, now)
        if earlier is None or earlier.job_id == job.job_id:
            continue
        read = earlier.reading.standalone
        similarity = await _similarity(read, job.claim, services)
        if compare(read, job.claim, similarity, policy).kind is not None:
            return matched(earlier, "near", read, similarity), tuple(_lent(earlier))
    return None


def answer_keys(package: VerdictPackage, submission: Submission, services: Services) -> tuple[str, str]:
    """The keys under which a verdict is found by later jobs; both empty if it may answer nobody else."""
    if not services.matching.enabled or not _is_whole(package, services):
        return "", ""
    within = _scope(submission, services)
    return claim_key(submission.claim, within), sense_key(package.reading.standalone, within)


def _is_whole(package: VerdictPackage, services: Services) -> bool:
    """First-hand, with nothing missing: no part without an answer, no model or search that was not to be had."""
    if package.parent_job_id is not None or (package.match is not None and package.match.kind == "exact"):
        return False
    if package.language.degraded or any(sub.missing is not None for sub in package.sub_results):
        return False
    reason = package.loop.stop_reason
    return reason not in CUT_SHORT and (reason != "no_provider" or services.search is None)


def _scope(submission: Submission, services: Services) -> str:
    return scope(submission, submission.trust_mode or services.budget.trust_mode, services.policy.name)


def _fresh(stored: Outcome, policy: MatchPolicy, now: datetime) -> VerdictPackage | None:
    """The stored package, unless it left the question open too long ago."""
    package = VerdictPackage.model_validate_json(stored.payload)
    age = now - stored.decided_at
    return None if package.verdict is Verdict.UNVERIFIABLE and age > policy.open_window else package


async def _similarity(earlier: str, later: str, services: Services) -> float:
    one, other = await embed_queries(services.embedder, [earlier, later])
    return services.embedder.calibration(float(one @ other))


def _lent(earlier: VerdictPackage) -> Iterator[CandidateRow]:
    """Its admissible rows, to be ranked and judged again; how near they are to the claim was measured for its words."""
    names = CandidateRow.model_fields
    for row in earlier.evidence:
        if row.admissible:
            fields = {name: getattr(row, name) for name in names}
            yield CandidateRow(**{**fields, "same_as": "", "found_by": (f"{EARLIER} ({earlier.job_id})",)})
