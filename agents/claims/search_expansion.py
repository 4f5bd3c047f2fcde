"""Search expansion: one query, its best new pages fetched, read and stored, then back to retrieval."""

import asyncio
from collections import Counter
from collections.abc import Sequence

from agents.claims.job import AttemptRow, ClaimJob, SearchRow
from agents.errors import Permanent
from agents.evidence.ingest import ingest_page
from agents.evidence.ports import SearchOutcome
from agents.evidence.relations import ingest_relations
from agents.evidence.replacing import replace_earlier
from agents.evidence.urls import registered_domain
from agents.evidence.visits import ReadPage, Unread, Visitor, Visits
from agents.language.quota import QuotaState
from agents.language.tasks.facts import Page
from agents.results import Note, Send, StepResult
from agents.services import Services
from storage.ports.evidence import FACTS

WIDER = 3
"""Results asked for, as a multiple of the pages wanted: many will be known or unwanted."""


async def handle(job: ClaimJob, services: Services) -> StepResult:
    """One visit is one loop: the next planned query, never more."""
    if services.search is None or services.fetcher is None:
        raise Permanent("no web search is configured, so no job should have come here")
    budget = services.budget
    query, rest = job.loop.plan[0], job.loop.plan[1:]
    outcome = await services.search.search(query, budget.urls_per_query * WIDER, job.submission.as_of)
    job = _with_search(job, query, outcome)
    if not outcome.answered:
        # The evidence that the job has is still with it, so it is decided on that.
        job = job.stopped("no_provider")
        return StepResult((Send("adjudication", job.job_id, job),), (Note("unanswered", {"reason": outcome.message}),))
    visits = Visits(Visitor(job.job_id, job.attempt, job.loop.count), services.urls, services.fetcher, services.clock)
    chosen = await visits.choose(
        outcome.results,
        budget.urls_per_query,
        credibility=services.credibility,
        as_of=job.as_of,
        covered=_covered(job),
    )
    outcomes = await asyncio.gather(*(visits.read(result) for result in chosen.results))
    pages = [one for one in outcomes if isinstance(one, ReadPage)]
    unread = [one for one in outcomes if isinstance(one, Unread)]
    quota = await _store(pages, visits, job, services)
    await visits.remember([one.page.url for one in pages])
    skipped = Counter(job.loop.urls_skipped) + Counter(chosen.skipped) + Counter(one.reason for one in unread)
    loop = job.loop.model_copy(
        update={
            "count": job.loop.count + 1,
            "plan": rest,
            "queries": (*job.loop.queries, query),
            "urls_processed": (*job.loop.urls_processed, *chosen.done, *(one.page.url for one in pages)),
            "urls_skipped": dict(skipped),
        }
    )
    told = Note("searched", {"query": query, "results": len(outcome.results), "pages": len(pages)})
    job = job.model_copy(update={"loop": loop, "quota": quota, "evidence": (), "candidates": ()})
    return StepResult((Send("retrieval", job.job_id, job),), (told,))


def _with_search(job: ClaimJob, query: str, outcome: SearchOutcome) -> ClaimJob:
    """The job with this search on record, answered or not."""
    attempts = tuple(
        AttemptRow(provider=one.provider, outcome=one.outcome, cost_usd=one.cost) for one in outcome.attempts
    )
    row = SearchRow(query=query, results=len(outcome.results), attempts=attempts, cost_usd=outcome.cost)
    return job.model_copy(update={"loop": job.loop.model_copy(update={"searches": (*job.loop.searches, row)})})


def _covered(job: ClaimJob) -> frozenset[str]:
    """Registered domains that the job has usable evidence from."""
    return frozenset(registered_domain(row.domain) for row in job.evidence if row.admissible and row.domain)


async def _store(pages: Sequence[ReadPage], visits: Visits, job: ClaimJob, services: Services) -> QuotaState:
    """Passages into the index, relations into the graph, each acknowledged when its store has it."""
    asked = [Page(one.page.url, one.page.text, one.page.title, one.page.published) for one in pages]
    facts, quota = await services.language.read_pages(job.claim, asked, job.quota)
    for read in pages:
        page, now = read.page, services.clock()
        passages = await ingest_page(
            page, FACTS, index=services.index, embedder=services.embedder, credibility=services.credibility, now=now
        )
        await visits.stored(read, "index")
        await ingest_relations(page, facts[page.url].triples, passages, graph=services.graph, now=now)
        reading = {page.url: [passage.id for passage in passages]}
        await replace_earlier(FACTS, reading, index=services.index, graph=services.graph, before=now)
        await visits.stored(read, "graph")
    return quota
