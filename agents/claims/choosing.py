"""Which pages one loop reads: those that the claim names itself, then those that a search found, each on its budget."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from agents.claims.job import ClaimJob
from agents.claims.looking import claim_history, inline_history
from agents.evidence.inline import as_results
from agents.evidence.ports import SearchResult
from agents.evidence.urls import registered_domain
from agents.evidence.visits import Chosen, Visits
from agents.services import Services
from scoring.evoi import worthwhile_extracts
from scoring.text.overlap import claim_overlap
from storage.ports import normal_urls

OFF_TOPIC = "off_topic_snippet"


@dataclass(frozen=True, slots=True)
class Choice:
    """Both kinds of pages, taken in this job's name."""

    named: Chosen
    found: Chosen
    off_topic: int

    @property
    def results(self) -> tuple[SearchResult, ...]:
        """What to fetch, in this order."""
        return self.named.results + self.found.results

    @property
    def done(self) -> tuple[str, ...]:
        """Read and stored by this same step before it was interrupted."""
        return self.named.done + self.found.done

    @property
    def elsewhere(self) -> tuple[str, ...]:
        """In somebody else's hands."""
        return self.named.elsewhere + self.found.elsewhere

    @property
    def inline(self) -> tuple[str, ...]:
        """Pages that the claim names."""
        return (*self.named.done, *normal_urls(result.url for result in self.named.results))

    @property
    def registered(self) -> int:
        """How many addresses could have been read."""
        return self.named.registered + self.found.registered

    @property
    def skipped(self) -> Counter[str]:
        """How many were passed over, by reason."""
        return Counter(self.named.skipped) + Counter(self.found.skipped) + Counter({OFF_TOPIC: self.off_topic})

    @property
    def pages(self) -> int:
        """Fetches that this choice amounts to."""
        return len(self.results) + len(self.done)


async def choose_pages(results: tuple[SearchResult, ...], job: ClaimJob, visits: Visits, services: Services) -> Choice:
    """Take what is worth its cost, within what is left of the job's pages and bytes."""
    loop, policy = job.loop, services.policy.loop
    budget = services.budget.within(loop.limits)
    left = budget.pages_left(loop.pages, loop.bytes)
    sources = as_results(job.reading.sources) if job.reading is not None and loop.count == 0 else ()
    worth = worthwhile_extracts(
        loop.belief, inline_history(loop), loop.sufficiency, policy.inline, most=min(left, len(sources))
    )
    named = await visits.choose(sources, worth, credibility=services.credibility)
    left -= len(named.results) + len(named.done)
    worth = worthwhile_extracts(
        loop.belief, claim_history(loop), loop.sufficiency, policy.extract, most=min(left, budget.urls_per_query)
    )
    covered = frozenset(registered_domain(row.domain) for row in job.evidence if row.admissible and row.domain)
    taken = set(normal_urls(source.url for source in sources))
    others = [result for result in results if not taken.intersection(normal_urls([result.url]))]
    likely = promising(job.claim, others, policy.snippet_overlap)
    found = await visits.choose(likely, worth, credibility=services.credibility, as_of=job.as_of, covered=covered)
    return Choice(named, found, len(others) - len(likely))


def promising(claim: str, results: Sequence[SearchResult], least: float) -> list[SearchResult]:
    """The first rung of the ladder (002): what the engine shows of a page says whether fetching it is worth while.

    A result without a snippet may be anything and stays; where nothing is promising, everything may be tried.
    """
    likely = [
        result
        for result in results
        if not result.snippet or claim_overlap(claim, f"{result.title} {result.snippet}") >= least
    ]
    return likely or list(results)
