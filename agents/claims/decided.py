"""The end of a job: the ledger keeps the first outcome, and whoever finds one says the kept one, byte for byte."""

from collections import Counter

from agents.claims.costs import END_TO_END
from agents.claims.job import SubEnd
from agents.claims.matching.earlier import answer_keys
from agents.claims.package import VerdictPackage
from agents.claims.submission import Submission
from agents.errors import Permanent
from agents.results import Detail, Note, Send, StepResult
from agents.services import Services
from storage.ports import EvidenceRef, JobState, Outcome, parent_of


async def settle(package: VerdictPackage, asked: Submission, services: Services) -> StepResult:
    """Keep the package and send what is kept: whoever was first, every emission of this job is the same bytes."""
    payload = package.model_dump_json().encode()
    keys = answer_keys(package, asked, services)
    outcome = Outcome(package.job_id, package.attempt, JobState.COMPLETED, payload, package.decided_at, *keys)
    stored = await services.ledger.decide(outcome)
    if stored.state is not JobState.COMPLETED:
        told = Note("failed_before", {"attempt": stored.attempt})
        # A parent must hear of it here too: whoever failed the part may have died before telling.
        return StepResult((say(stored),) if parent_of(stored.job_id) is not None else (), (told,))
    first = stored.payload == payload
    kept = package if first else VerdictPackage.model_validate_json(stored.payload)
    await services.ledger.record_provenance(kept.job_id, _provenance(kept))
    return StepResult((say(stored),), (_told(kept, first=first),))


async def say_again(job_id: str, services: Services) -> StepResult:
    """The winner may have died between storing and emitting, so the stored verdict is emitted, not skipped."""
    stored = await services.ledger.outcome(job_id)
    if stored is None:
        raise Permanent(f"job {job_id!r} is marked completed but the ledger holds no outcome of it")
    return StepResult((say(stored),), (Note("decided_before"),))


def say(stored: Outcome, failed: str = "") -> Send:
    """How an end is made known: a verdict to everyone, the end of a sub-job to its parent alone.

    A failure is not settled by this: its dead letter is.
    """
    parent_id = parent_of(stored.job_id)
    settles = (stored.job_id, stored.attempt) if stored.state is JobState.COMPLETED else None
    if parent_id is None:
        return Send("verdicts", stored.job_id, stored.payload, settles)
    return Send("aggregation", parent_id, SubEnd(job_id=parent_id, sub_job_id=stored.job_id, failed=failed), settles)


def _provenance(package: VerdictPackage) -> list[EvidenceRef]:
    return [
        EvidenceRef(
            evidence_id=row.id,
            url=row.url,
            domain=row.domain,
            title=row.title,
            stance=row.stance.label,
            score=row.score.value,
            content_hash=row.content_hash,
        )
        for row in package.evidence
    ]


def _told(package: VerdictPackage, *, first: bool) -> Note:
    """A part's verdict has a name of its own: nobody who counts or waits for verdicts may mistake it for one."""
    verdict = "decided" if first else "decided_before"
    return Note(
        verdict if package.parent_job_id is None else "part_decided",
        {
            "verdict": package.verdict.value,
            "status": package.status,
            "confidence": round(package.verdict_confidence, 4),
            "loops": package.loop.count,
            "stop_reason": package.loop.stop_reason,
            "seconds": package.timings[END_TO_END],
            "matched": package.match.kind if package.match is not None else None,
            **_spent(package),
            **_ends(package),
        },
    )


def _spent(package: VerdictPackage) -> dict[str, Detail]:
    """What language models cost the job, its parts included."""
    spent = package.language
    return {
        "llm_calls": spent.calls,
        "llm_tokens": spent.tokens,
        "llm_cost_usd": spent.cost_usd,
        "llm_cache_hits": spent.cache_hits,
        "llm_skipped": list(spent.skipped),
    }


def _ends(package: VerdictPackage) -> dict[str, Detail]:
    """How the parts of a decomposed claim ended."""
    ends = Counter(sub.missing or "decided" for sub in package.sub_results)
    return {f"parts_{end}": count for end, count in ends.items()}
