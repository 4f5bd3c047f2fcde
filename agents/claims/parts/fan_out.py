"""Fan-out: a claim that makes several statements becomes as many sub-jobs, each on the same topics (004 §3-4)."""

import asyncio

from agents.claims.budget import shared_limits
from agents.claims.decided import say, say_again
from agents.claims.job import ClaimJob, SubClaim
from agents.claims.loop import LoopState
from agents.claims.reading import Named, Reading
from agents.language.rules.entities import find_entities
from agents.language.rules.queries import plan_queries
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports import JobRecord, JobState, VerdictLedger, sub_job_id

STEP = "fan-out"
FIRST_ATTEMPT = 1
"""A claim is taken apart once, whatever attempt does it: the ids of its parts must go on meaning the same."""


def is_decomposed(job: ClaimJob) -> bool:
    """Whether the claim has parts to fan out. A part has none of its own."""
    return job.sub is None and len(job.subclaims) > 1


async def fan_out(job: ClaimJob, services: Services) -> StepResult:
    """Register the parts and start those that have not ended. Repeated, it starts the same parts under the same ids."""
    ledger = services.ledger
    record = await ledger.job(job.job_id)
    if record is not None and record.state is JobState.COMPLETED:
        return await say_again(job.job_id, services)
    limits = services.budget.within(job.loop.limits).limits
    parent = await _kept_first(job.model_copy(update={"loop": job.loop.updated(limits=limits)}), ledger)
    parts = sub_jobs(parent, services)
    due = services.clock() + services.budget.parent_deadline
    await ledger.open_parent(job.job_id, [part.job_id for part in parts], due)
    # The deadline is this delivery's own: parts that are started again after an outage have their time again.
    fresh = [part.model_copy(update={"deadline": job.deadline}) for part in parts]
    sends = await asyncio.gather(*(_start(part, services) for part in fresh))
    told = Note("decomposed", {"parts": len(parts), "claims": list(parent.subclaims)})
    return StepResult(tuple(sends), (told,))


async def kept_parent(job_id: str, ledger: VerdictLedger) -> ClaimJob | None:
    """The job as it was when it was taken apart."""
    kept = await ledger.recall(job_id, FIRST_ATTEMPT, 0, STEP)
    return None if kept is None else ClaimJob.model_validate_json(kept)


async def _kept_first(job: ClaimJob, ledger: VerdictLedger) -> ClaimJob:
    """A model may take the same claim apart differently the second time, so the first time counts."""
    kept = await ledger.remember(job.job_id, FIRST_ATTEMPT, 0, STEP, job.model_dump_json().encode())
    return ClaimJob.model_validate_json(kept)


def sub_jobs(parent: ClaimJob, services: Services) -> list[ClaimJob]:
    """One job per part. What the parent's reading already says of it is not asked for again."""
    count = len(parent.subclaims)
    shares = services.language.shares(parent.quota, count)
    limits = shared_limits(parent.loop.limits, count)
    made = []
    for number, (text, share, own) in enumerate(zip(parent.subclaims, shares, limits, strict=True), start=1):
        reading = _reading(parent, text)
        made.append(
            ClaimJob(
                job_id=sub_job_id(parent.job_id, number),
                submission=parent.submission.model_copy(update={"claim": text}),
                accepted_at=parent.accepted_at,
                deadline=parent.deadline,
                reading=reading,
                loop=LoopState(limits=own),
                quota=share,
                sub=SubClaim(parent_id=parent.job_id, number=number, share=share),
            )
        )
    return made


def _reading(parent: ClaimJob, text: str) -> Reading:
    """Names and anchors from the parent's reading; queries of the part's own, for the parent's mix all parts."""
    assert parent.reading is not None
    named = tuple(one for one in parent.reading.entities if _names(text, one))
    entities = named or tuple(Named(name=one.name, aliases=one.aliases) for one in find_entities(text))
    names = [one.name for one in entities]
    return Reading(
        standalone=text,
        entities=entities,
        subclaims=(text,),
        anchors={text: parent.reading.anchors.get(text, ())},
        queries=plan_queries(text, names, parent.submission.domain, parent.as_of),
        sources=parent.reading.sources,
    )


def _names(text: str, entity: Named) -> bool:
    return any(name.casefold() in text.casefold() for name in (entity.name, *entity.aliases) if name)


async def _start(part: ClaimJob, services: Services) -> Send:
    """Open the part's job and send it on its way; one that has its end already tells its parent again."""
    record = await services.ledger.open_job(
        JobRecord(part.job_id, part.submission.fingerprint(), b"", services.clock(), deadline=part.deadline)
    )
    if record.state is JobState.OPEN:
        return Send("retrieval", part.job_id, part.model_copy(update={"attempt": record.attempt}))
    stored = await services.ledger.outcome(part.job_id)
    assert stored is not None
    return say(stored)
