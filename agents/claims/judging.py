"""What the evidence of a job amounts to: the one reading of it that ranking, trust and adjudication share."""

import asyncio
from collections.abc import Sequence

from agents.claims.job import ClaimJob
from agents.language.hostile import screen
from agents.language.ports import Pair
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust, assess
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


def trust_mode(job: ClaimJob, services: Services) -> TrustMode:
    """The mode that the submission asks for, else the system's."""
    asked = job.submission.trust_mode or services.budget.trust_mode
    return "confidence" if asked == "confidence" else "adaptive"


def adaptive_trust(job: ClaimJob, policy: Policy, mode: TrustMode) -> AdaptiveTrust:
    """Adaptive trust over the rows as they stand. A claim of several statements is not judged here: its parts are."""
    return assess(
        job.claim,
        (),
        [row.evidence() for row in job.evidence],
        policy.adaptive_trust,
        mode,
        trust=policy.trust,
        polarity=policy.polarity,
        proposed_anchors=job.reading.anchors if job.reading is not None else None,
    )
