"""Adjudication: a model may revise and propose, `scoring` decides, the ledger keeps the first, and the kept is sent."""

from agents.claims.job import ClaimJob, Proposal
from agents.claims.judging import trust_mode
from agents.claims.package import VerdictPackage
from agents.claims.packaging import build_package
from agents.language.tasks.verdict import Passage
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import EvidenceRef, JobState, Outcome


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Decide, keep, and send what is kept: whoever was first, every emission of this job is the same bytes."""
    job = await _with_proposal(job, services)
    now = services.clock()
    package = build_package(job, services.policy, trust_mode(job, services), now)
    outcome = Outcome(job.job_id, job.attempt, JobState.COMPLETED, package.model_dump_json().encode(), now)
    stored = await services.ledger.decide(outcome)
    if stored.state is not JobState.COMPLETED:
        return StepResult(notes=(Note("failed_before", {"attempt": stored.attempt}),))
    kept = VerdictPackage.model_validate_json(stored.payload)
    await services.ledger.record_provenance(job.job_id, _provenance(kept))
    verdict = Send("verdicts", job.job_id, stored.payload, settles=(stored.job_id, stored.attempt))
    first = stored.payload == outcome.payload
    return StepResult((verdict,), (_told(kept, "decided" if first else "decided_before"),))


async def _with_proposal(job: ClaimJob, services: Services) -> ClaimJob:
    """The verdict call: revised stances, a proposal and its words. Without a model nothing changes."""
    passages = [
        Passage(row.id, row.text, row.stance, row.title, row.domain, row.published)
        for row in job.evidence
        if row.admissible
    ]
    reading, quota = await services.language.judge_evidence(job.claim, passages, job.quota)
    rows = tuple(
        row.model_copy(update={"stance": reading.stances[row.id]}) if row.id in reading.stances else row
        for row in job.evidence
    )
    proposal = Proposal(verdict=reading.proposed, rationale=reading.rationale)
    return job.model_copy(update={"evidence": rows, "proposal": proposal, "quota": quota})


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


def _told(package: VerdictPackage, event: str) -> Note:
    return Note(
        event,
        {
            "verdict": package.verdict.value,
            "status": package.status,
            "confidence": round(package.verdict_confidence, 4),
            "loops": package.loop.count,
            "stop_reason": package.loop.stop_reason,
            "seconds": package.timings["end_to_end_seconds"],
        },
    )
