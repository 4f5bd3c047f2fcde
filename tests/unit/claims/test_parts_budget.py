"""The parts of a claim share what it may spend on looking: together they search and fetch no more than it may."""

from pathlib import Path

import pytest

from agents.claims.budget import SHARED, LoopBudget, shared_limits
from agents.claims.package import LoopRow, VerdictPackage
from agents.claims.package.audit import audit
from tests.support.small_web import Article
from tests.unit.claims.town import world

STREETS = ("Anchor Lane", "Birch Row", "Chapel Hill", "Dover Street", "Elm Walk")
PAGES = [
    Article(
        f"{street.split()[0].lower()}-{number}.example",
        f"street-{number}",
        f"{street} in Port Ellory, part {number}",
        (f"{street} in Port Ellory was paved in {1900 + number * 7}, and its lamps are from another time.",) * 2,
    )
    for street in STREETS
    for number in range(6)
]


def claim_of(parts: int) -> str:
    return " ".join(
        f"{street} in Port Ellory has {number + 3} bakeries." for number, street in enumerate(STREETS[:parts])
    )


def spent(loop: LoopRow) -> dict[str, int]:
    return {
        "queries": loop.count,
        "pages": sum(step.pages for step in loop.steps),
        "bytes": sum(step.bytes for step in loop.steps),
    }


def loops(made: VerdictPackage) -> list[LoopRow]:
    return [sub.package.loop for sub in made.sub_results if sub.package is not None]


@pytest.mark.parametrize(
    ("parts", "budget", "shares"),
    [
        (2, {"query_budget": 6, "pages_per_job": 9}, {"queries": [3, 3], "pages": [5, 4]}),
        (5, {"query_budget": 6, "pages_per_job": 12}, {"queries": [2, 1, 1, 1, 1], "pages": [3, 3, 2, 2, 2]}),
        (2, {"query_budget": 1, "pages_per_job": 1}, {"queries": [1, 1], "pages": [1, 1]}),
        (2, {"query_budget": 0}, {"queries": [0, 0], "pages": [6, 6]}),
    ],
)
async def test_parts_spend_together_what_their_claim_may(
    tmp_path: Path, parts: int, budget: dict[str, int], shares: dict[str, list[int]]
) -> None:
    async with world(tmp_path, PAGES, **budget) as here:
        made = await here.package(claim_of(parts))
        asked, fetched = len(here.web.searches), len(here.web.fetched)
    own = loops(made)
    assert len(own) == parts
    assert {name: [loop.limits[name] for loop in own] for name in shares} == shares
    # One search and one page each is the least, even where the claim has fewer of them than parts.
    most = {"queries": max(made.loop.limits["queries"], sum(shares["queries"]))}
    most |= {"pages": max(made.loop.limits["pages"], parts), "bytes": made.loop.limits["bytes"]}
    together = spent(made.loop)
    assert all(together[name] <= most[name] for name in SHARED)
    assert all(spent(loop)[name] <= loop.limits[name] for loop in own for name in SHARED)
    assert (together["queries"], together["pages"]) == (asked, fetched)
    assert audit(made) == []


async def test_an_audit_sees_a_part_that_had_more_than_its_share(tmp_path: Path) -> None:
    async with world(tmp_path, PAGES) as here:
        made = await here.package(claim_of(2))
    first, second = made.sub_results
    assert first.package is not None
    limits = {**first.package.loop.limits, "queries": 6}
    loop = first.package.loop.model_copy(update={"limits": limits})
    forged = first.model_copy(update={"package": first.package.model_copy(update={"loop": loop})})
    differences = audit(made.model_copy(update={"sub_results": (forged, second)}))
    assert any(one.where == "sub_results.0.package.loop.limits.queries" for one in differences)
    unsaid = made.model_copy(update={"loop": made.loop.model_copy(update={"limits": {}})})
    assert any(one.where.startswith("sub_results.0.package.loop.limits") for one in audit(unsaid))


@pytest.mark.parametrize("parts", [1, 2, 3, 5])
def test_shares_add_up_to_the_whole(parts: int) -> None:
    whole = LoopBudget().limits
    shares = shared_limits(whole, parts)
    assert {name: sum(share[name] for share in shares) for name in SHARED} == {name: whole[name] for name in SHARED}
    assert all({**share, **{name: whole[name] for name in SHARED}} == whole for share in shares)
    # Every page of a share can be fetched, whatever its size.
    for share in shares:
        own = LoopBudget().within(share)
        assert own.pages_left(0, 0) >= min(2, own.pages)


def test_limits_that_a_job_has_hold_when_the_settings_change() -> None:
    begun = LoopBudget(queries=2, pages=3).limits
    assert LoopBudget(queries=9).within(begun).limits == begun
    assert LoopBudget(queries=9).within({}).queries == 9
