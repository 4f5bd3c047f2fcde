"""Adjudication: a model may revise and propose, `scoring` decides, the ledger keeps the first, and the kept is sent."""

from agents.claims.costs import spent
from agents.claims.decided import settle
from agents.claims.job import ClaimJob, Proposal
from agents.claims.judging import trust_mode
from agents.claims.packaging import build_package
from agents.language.tasks.verdict import Passage
from agents.results import StepResult
from agents.services import Services


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Decide, keep, and send what is kept."""
    began = services.clock()
    job = await _with_proposal(job, services)
    now = services.clock()
    job = spent(job, "adjudication", began, now)
    return await settle(build_package(job, services.policy, trust_mode(job, services), now), job.submission, services)


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
