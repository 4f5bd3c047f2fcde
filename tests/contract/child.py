"""What the tests run in processes of their own: `python -m tests.contract.child PLACE SCENARIO ARGUMENT`.

A child opens the stores, says `ready`, waits for a line, and prints its answer as JSON.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

from storage.ports import JobState, Outcome, Stores
from tests.contract.adapters import Place, open_stores

NOW = datetime(2026, 1, 2, tzinfo=UTC)


async def complete_parents(stores: Stores, me: str) -> list[str]:
    """Report the same children of twenty parents as everybody else; which parents did I complete?"""
    completed = []
    for parent in (f"parent-{n}" for n in range(20)):
        joins = await asyncio.gather(
            *(stores.ledger.add_sub_result(parent, child, me.encode()) for child in ("a", "b", "c"))
        )
        completed += [parent for join in joins if join.just_completed]
    return completed


async def decide_jobs(stores: Stores, me: str) -> dict[str, str]:
    """Decide the same fifty jobs as everybody else; what was kept?"""
    kept = await asyncio.gather(
        *(stores.ledger.decide(Outcome(f"job-{n}", 1, JobState.COMPLETED, me.encode(), NOW)) for n in range(50))
    )
    return {outcome.job_id: outcome.payload.decode() for outcome in kept}


async def lease_pages(stores: Stores, me: str) -> list[str]:
    """Ask for the same pages as everybody else; which did I get?"""
    pages = [f"https://example.org/{n}" for n in range(40)]
    granted: list[str] = []
    for page in pages:
        granted += await stores.urls.lease([page], owner=me, now=NOW)
    return granted


async def close_parents(stores: Stores, _: str) -> list[str]:
    """Close what is overdue, a few at a time, until nothing is left."""
    closed: list[str] = []
    while found := await stores.ledger.close_overdue(NOW, limit=3):
        closed += found
    return closed


async def decide_for_ever(stores: Stores, me: str) -> None:
    """Decide job after job and say so, until killed."""
    number = 0
    while True:
        batch = [f"{me}-{number + n}" for n in range(8)]
        outcomes = (Outcome(job, 1, JobState.COMPLETED, job.encode(), NOW) for job in batch)
        await asyncio.gather(*(stores.ledger.decide(outcome) for outcome in outcomes))
        print("\n".join(batch), flush=True)
        number += 8


SCENARIOS: dict[str, Callable[[Stores, str], Awaitable[Any]]] = {
    "complete_parents": complete_parents,
    "decide_jobs": decide_jobs,
    "lease_pages": lease_pages,
    "close_parents": close_parents,
    "decide_for_ever": decide_for_ever,
}


async def main(place: str, scenario: str, argument: str) -> None:
    stores = await open_stores(Place(**json.loads(place)))
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    print(json.dumps(await SCENARIOS[scenario](stores, argument)))
    await stores.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
