"""What the evidence of a job amounts to: the one reading of it that ranking, trust and adjudication share."""

import asyncio
from collections.abc import Sequence

from agents.claims.job import ClaimJob
from agents.language.hostile import screen
from agents.language.ports import Pair
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust, assess
from scoring.coverage import Stances
from scoring.policy import Policy
from scoring.sufficiency_gates import TrustMode
from scoring.values import Stance


async def judge_rows(claim: str, texts: Sequence[tuple[str, str]], services: Services) -> tuple[Stance, ...]:
    """The stance of each (title, text) towards a claim, or a part of one; what gives orders in them is not heard."""
    if not texts:
        return ()
    pairs = await asyncio.to_thread(_pairs, claim, texts)
    return tuple(await services.stance.judge(pairs))


def _pairs(claim: str, texts: Sequence[tuple[str, str]]) -> list[Pair]:
    shown = [f"{title}. {text}" if title else text for title, text in texts]
    return [Pair(claim, screen(text, len(text)).text) for text in shown]


async def with_part_stances(job: ClaimJob, services: Services) -> ClaimJob:
    """The job with the stance of every row towards each part of the claim; a plain claim has no parts."""
    parts = judged_parts(job)
    if not parts:
        return job
    texts = [(row.title, row.text) for row in job.evidence]
    by_part = [await judge_rows(part, texts, services) for part in parts]
    rows = tuple(
        row.model_copy(update={"part_stances": tuple(stances[number] for stances in by_part)})
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
        proposed_anchors=job.reading.anchors if job.reading is not None else None,
        stances=_part_stances(job),
    )


def _part_stances(job: ClaimJob) -> Stances:
    return {
        part: {row.id: row.part_stances[number] for row in job.evidence if number < len(row.part_stances)}
        for number, part in enumerate(judged_parts(job))
    }
