"""The planned sets of queries: what the claim's reading proposed, then what is still open. None is asked twice."""

from collections.abc import Sequence
from typing import NamedTuple

from agents.claims.job import ClaimJob
from agents.claims.wire import Wire
from agents.language.ports import Embedder
from agents.language.quota import QuotaState
from agents.language.rules.queries import MAX_QUERIES
from agents.language.tasks.queries import Sought
from agents.services import Services
from scoring.adaptive_trust import AdaptiveTrust
from scoring.values import SegmentStatus

OPEN = (SegmentStatus.UNKNOWN, SegmentStatus.PARTIALLY_VALID, SegmentStatus.PARTIALLY_INVALID)


STEP = "queries"


class Proposed(Wire):
    """What may be asked next, and the quota after it was thought of."""

    queries: tuple[str, ...]
    quota: QuotaState


class Planned(NamedTuple):
    """Queries that ask something new, and those that only repeat an earlier one."""

    queries: tuple[str, ...]
    repeated: tuple[str, ...]


async def new_queries(proposed: Sequence[str], asked: Sequence[str], embedder: Embedder, most_alike: float) -> Planned:
    """A query whose cosine with one that was asked, or is kept before it, is above `most_alike` is not run."""
    texts = [*asked, *proposed]
    # Without the prefix of searches: it is the same before each and would make them all alike.
    vectors = await embedder.embed(texts) if proposed else ()
    kept = list(range(len(asked)))
    repeated = []
    for number in range(len(asked), len(texts)):
        if any(float(vectors[number] @ vectors[other]) > most_alike for other in kept):
            repeated.append(texts[number])
        else:
            kept.append(number)
    return Planned(tuple(texts[number] for number in kept[len(asked) :]), tuple(repeated))


async def with_first_set(job: ClaimJob, services: Services) -> ClaimJob:
    """The job with what its reading proposed to ask."""
    proposed = job.reading.queries if job.reading is not None else ()
    planned = await new_queries(proposed, (), services.embedder, services.policy.loop.repeat_cosine)
    loop = job.loop.updated(plan=planned.queries, repeated=planned.repeated)
    return job.model_copy(update={"loop": loop})


async def with_next_set(job: ClaimJob, trust: AdaptiveTrust, services: Services) -> ClaimJob:
    """The job with queries about what its evidence leaves open; the last set looks for what is new."""
    loop = job.loop
    sought = Sought(
        claim=job.claim,
        still_open=[segment.text for segment in trust.segments if segment.status in OPEN],
        entities=job.entities,
        asked=loop.queries,
        as_of=job.as_of,
        latest=loop.iteration + 1 >= services.budget.iterations,
    )
    found = await _proposed_once(sought, job, services)
    planned = await new_queries(found.queries, loop.queries, services.embedder, services.policy.loop.repeat_cosine)
    repeated = tuple(dict.fromkeys((*loop.repeated, *planned.repeated)))
    loop = loop.updated(iteration=loop.iteration + 1, plan=planned.queries[:MAX_QUERIES], repeated=repeated)
    return job.model_copy(update={"loop": loop, "quota": found.quota})


async def _proposed_once(sought: Sought, job: ClaimJob, services: Services) -> Proposed:
    """What is proposed to ask. A model may propose something else the second time, so the first time is kept."""
    queries, quota = await services.language.plan_next(sought, job.quota)
    found = Proposed(queries=queries, quota=quota)
    if services.language.asker is None:
        return found
    ledger, told = services.ledger, found.model_dump_json().encode()
    return Proposed.model_validate_json(await ledger.remember(job.job_id, job.attempt, job.loop.count, STEP, told))
