"""Adjudication: a model may revise and propose, `scoring` decides, the ledger keeps the first, and the kept is sent."""

from agents.claims.costs import spent
from agents.claims.decided import settle
from agents.claims.job import ClaimJob, Proposal
from agents.claims.judging import trust_mode
from agents.claims.package.single import build_package
from agents.evidence.urls import registered_domain
from agents.language.quota import CallTag, skip
from agents.language.tasks.verdict import Passage
from agents.results import StepResult
from agents.services import Services
from scoring.polarity import DECISIVE, Relation, relation
from scoring.policy import Policy

SETTLED = "settled"
"""Why a model was not asked: many sources say the same."""


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """Decide, keep, and send what is kept."""
    began = services.clock()
    job = await _with_proposal(job, services)
    now = services.clock()
    job = spent(job, "adjudication", began, now)
    return await settle(build_package(job, services.policy, trust_mode(job, services), now), job.submission, services)


async def _with_proposal(job: ClaimJob, services: Services) -> ClaimJob:
    """The verdict call: revised stances, a proposal and its words. Without a model nothing changes."""
    if services.language.asker is not None and _is_beyond_doubt(job, services):
        return job.model_copy(update={"quota": skip(job.quota, CallTag.VERDICT, SETTLED)})
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


def _is_beyond_doubt(job: ClaimJob, services: Services) -> bool:
    """Whether stored evidence settled the claim, and so many sources say the same that a model's word adds nothing."""
    least = services.language.policy.agreeing_sources
    said = _sources(job, services.policy) if job.from_cache and least else {}
    sides = said.keys() - {Relation.NEUTRAL}
    return len(sides) == 1 and sides <= set(DECISIVE) and len(said[sides.pop()]) >= least


def _sources(job: ClaimJob, policy: Policy) -> dict[Relation, set[str]]:
    """Who says what: the domains of the admissible rows by the side they take, copies of a story left out."""
    said: dict[Relation, set[str]] = {}
    for row in job.evidence:
        if row.admissible and not row.same_as:
            said.setdefault(relation(row.stance, policy.polarity), set()).add(registered_domain(row.domain))
    return said
