"""What the evidence of a job amounts to: the one reading of it that ranking, trust and adjudication share."""

import asyncio
from collections.abc import Sequence

from agents.claims.evidence import TEXT_LIMIT, CandidateRow
from agents.claims.job import ClaimJob
from agents.language.ports import Pair
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust, assess
from scoring.coverage import Stances
from scoring.policy import Policy
from scoring.sufficiency_gates import TrustMode
from scoring.values import Stance


async def judge_rows(claim: str, rows: Sequence[CandidateRow], services: Services) -> tuple[Stance, ...]:
    """The stance of each row towards a claim, or a part of one.

    A model that understands more than one sentence at a time (`reads_pages`) also reads the rows of one page together,
    in the order given: what one leaves open the next may settle. If the page as a whole says more than its first row
    does, that row speaks for the page; the others speak for themselves, so that a page does not become several voices.
    """
    pages = _pages(rows) if getattr(services.stance, "reads_pages", False) else []
    alone = [Pair(claim, row.text, row.title, row.published) for row in rows]
    together = [Pair(claim, _joined(page), page[0].title, page[0].published) for page in pages]
    if not alone:
        return ()
    judged = await services.stance.judge([*alone, *together])
    stances = {row.id: stance for row, stance in zip(rows, judged[: len(rows)], strict=True)}
    for page, whole in zip(pages, judged[len(rows) :], strict=True):
        if whole.neutral < stances[page[0].id].neutral:
            stances[page[0].id] = whole
    return tuple(stances[row.id] for row in rows)


def _pages(rows: Sequence[CandidateRow]) -> list[list[CandidateRow]]:
    """The rows of every page that has more than one."""
    pages: dict[tuple[str, str], list[CandidateRow]] = {}
    for row in rows:
        if row.title and row.origin != "kg":
            pages.setdefault((row.domain, row.title), []).append(row)
    return [page for page in pages.values() if len(page) > 1]


def _joined(page: Sequence[CandidateRow]) -> str:
    """As much of a page as one row may hold."""
    return " ".join(dict.fromkeys(row.text for row in page))[:TEXT_LIMIT]


async def with_part_stances(job: ClaimJob, services: Services) -> ClaimJob:
    """The job with the stance of every row towards each part of the claim; a plain claim has no parts."""
    parts = judged_parts(job)
    if not parts:
        return job
    by_part = await asyncio.gather(*(judge_rows(part, job.evidence, services) for part in parts))
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
