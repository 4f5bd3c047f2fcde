"""Search expansion: one query, its best new pages fetched, read and stored, then back to retrieval."""

from collections import Counter
from dataclasses import replace

from agents.claims.acquisition import Gathered, await_others, gather_pages
from agents.claims.choosing import Choice, choose_pages
from agents.claims.costs import timed
from agents.claims.job import ClaimJob
from agents.claims.looking import concluded
from agents.claims.loop import AttemptRow, LoopStep
from agents.errors import Permanent
from agents.evidence.ports import SearchOutcome
from agents.evidence.visits import Visitor, Visits
from agents.results import Note, Notes, Send, StepResult
from agents.services import Services

WIDER = 3
"""Results asked for, as a multiple of the pages wanted: many will be known or unwanted."""
READING_SECONDS = 45.0
"""For the pages of one visit; what is left of the stage's time limit is for the stores."""
PATIENCE_SECONDS = 10.0
"""For pages that another job is reading."""
TRACE = frozenset({"urls_registered", "extract_batch_started", "extract_batch_finished", "bind_completed"})
"""002's trace events: told while the step runs, so they say nothing of its end."""


@timed("search_expansion")
async def handle(job: ClaimJob, services: Services) -> StepResult:
    """One visit is one loop: the next planned query, never more."""
    if services.search is None or services.fetcher is None:
        raise Permanent("no web search is configured, so no job should have come here")
    budget = services.budget.within(job.loop.limits)
    if services.clock() >= job.deadline:
        job = concluded(job, "deadline", replace(job.loop.facts, overdue=True), budget)
        return StepResult((Send("adjudication", job.job_id, job),), (Note("overdue"),))
    query = job.loop.plan[0]
    outcome = await services.search.search(query, budget.urls_per_query * WIDER, job.submission.as_of)
    step = _searched(job, query, outcome)
    if not outcome.answered:
        # The evidence that the job has is still with it, so it is decided on that.
        job = _with_step(job, step)
        facts = replace(job.loop.facts, loops=job.loop.count, provider=False)
        job = concluded(job, "no_provider", facts, budget)
        return StepResult((Send("adjudication", job.job_id, job),), (Note("unanswered", {"reason": outcome.message}),))
    visits = Visits(Visitor(job.job_id, job.attempt, job.loop.count), services.urls, services.fetcher, services.clock)
    choice = await choose_pages(outcome.results, job, visits, services)
    notes, stage = Notes(services.tell), job.loop.count
    notes.add("urls_registered", stage=stage, count=choice.registered)
    seconds = min(READING_SECONDS, (job.deadline - services.clock()).total_seconds())
    pages = await gather_pages(choice.results, job, visits, services, seconds=seconds, notes=notes)
    notes.add("bind_completed", stage=stage)
    shared = await await_others(choice.elsewhere, services, min(seconds, PATIENCE_SECONDS))
    step = _with_reading(step, choice, pages, shared)
    job = _with_pages(_with_step(job, step), choice, pages)
    return StepResult((Send("retrieval", job.job_id, job),), (*notes.noted, _told(step)))


def _searched(job: ClaimJob, query: str, outcome: SearchOutcome) -> LoopStep:
    """The record of this visit; reading adds its pages, and trust what came of them."""
    attempts = tuple(
        AttemptRow(provider=one.provider, outcome=one.outcome, cost_usd=one.cost) for one in outcome.attempts
    )
    return LoopStep(
        iteration=job.loop.iteration,
        query=query,
        results=len(outcome.results),
        attempts=attempts,
        cost_usd=outcome.cost,
        trust_before=job.loop.trust,
    )


def _with_reading(step: LoopStep, choice: Choice, pages: Gathered, shared: int) -> LoopStep:
    return step.model_copy(
        update={
            "pages": choice.pages,
            "inline": len(choice.inline),
            "shared": shared,
            "read": len(choice.done) + len(pages.read),
            "bytes": pages.bytes,
            "extraction_cost_usd": pages.cost,
            "cost_usd": step.cost_usd + pages.cost,
        }
    )


def _with_step(job: ClaimJob, step: LoopStep) -> ClaimJob:
    loop = job.loop.updated(
        count=job.loop.count + 1,
        plan=job.loop.plan[1:],
        queries=(*job.loop.queries, step.query),
        steps=(*job.loop.steps, step),
    )
    return job.model_copy(update={"loop": loop})


def _with_pages(job: ClaimJob, choice: Choice, pages: Gathered) -> ClaimJob:
    """The job with what was read; its evidence is looked for anew."""
    skipped = Counter(job.loop.urls_skipped) + choice.skipped + pages.skipped
    loop = job.loop.updated(
        urls_processed=(*job.loop.urls_processed, *choice.done, *pages.read),
        inline=(*job.loop.inline, *choice.inline),
        urls_skipped=dict(skipped),
    )
    return job.model_copy(update={"loop": loop, "quota": pages.quota, "evidence": (), "candidates": ()})


def _told(step: LoopStep) -> Note:
    """The loop's step, once it is over."""
    return Note(
        "searched",
        {
            "query": step.query,
            "iteration": step.iteration,
            "results": step.results,
            "pages": step.pages,
            "read": step.read,
            "bytes": step.bytes,
            "cost_usd": step.cost_usd,
        },
    )
