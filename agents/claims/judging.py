"""What the evidence of a job amounts to: the one reading of it that trust and adjudication share."""

from agents.claims.evidence import EvidenceRow
from agents.claims.job import ClaimJob
from agents.language.ports import Pair
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust, assess
from scoring.coverage import Stances
from scoring.policy import Policy
from scoring.sufficiency_gates import TrustMode


async def with_stances(job: ClaimJob, services: Services) -> ClaimJob:
    """The job with the stance of every row towards the claim, and towards each part of it."""
    parts = judged_parts(job)
    passages = [_passage(row) for row in job.evidence]
    pairs = [Pair(text, passage) for text in (job.claim, *parts) for passage in passages]
    stances = await services.stance.judge(pairs) if pairs else ()
    count = len(passages)
    rows = tuple(
        row.model_copy(
            update={
                "stance": stances[number],
                "part_stances": tuple(stances[count * (part + 1) + number] for part in range(len(parts))),
            }
        )
        for number, row in enumerate(job.evidence)
    )
    return job.model_copy(update={"evidence": rows})


def judged_parts(job: ClaimJob) -> tuple[str, ...]:
    """The subclaims that are judged one by one; a claim without parts is judged as a whole."""
    return job.subclaims if len(job.subclaims) > 1 else ()


def trust_mode(job: ClaimJob, services: Services) -> TrustMode:
    """The mode that the submission asks for, else the system's."""
    asked = job.submission.trust_mode or services.budget.trust_mode
    return "confidence" if asked == "confidence" else "adaptive"


def adaptive_trust(job: ClaimJob, policy: Policy, mode: TrustMode) -> AdaptiveTrust:
    """Adaptive trust over the rows as they stand."""
    return assess(
        job.claim,
        judged_parts(job),
        [row.evidence() for row in job.evidence],
        policy.adaptive_trust,
        mode,
        trust=policy.trust,
        polarity=policy.polarity,
        stances=_part_stances(job),
    )


def _part_stances(job: ClaimJob) -> Stances:
    return {
        part: {row.id: row.part_stances[number] for row in job.evidence if number < len(row.part_stances)}
        for number, part in enumerate(judged_parts(job))
    }


def _passage(row: EvidenceRow) -> str:
    return f"{row.title}. {row.text}" if row.title else row.text
