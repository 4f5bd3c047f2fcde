"""Queries that repeat an earlier one in meaning are not run; later sets ask about what is open."""

from datetime import date
from typing import Any

import numpy as np
import pytest

from agents.claims.planning import new_queries
from agents.language.embedders.static import StaticEmbedder
from agents.language.rules.queries import plan_again, plan_queries

CLAIM = "The Harbour Bridge in Port Ellory reopened to traffic on 12 January 2026."
NAMES = ("Harbour Bridge", "Port Ellory")


class Directions:
    """An embedder that is told the angle of each text."""

    name = "directions"
    dimension = 2
    calibration: Any = None

    def __init__(self, **cosines: float) -> None:
        self._cosines = cosines

    async def embed(self, texts: list[str]) -> Any:
        rows = [(self._cosines[text], np.sqrt(1 - self._cosines[text] ** 2)) for text in texts]
        return np.asarray(rows, dtype=np.float64)


async def test_a_query_above_the_cosine_is_not_run_and_one_at_it_is() -> None:
    near = Directions(first=1.0, at=0.9, above=0.9001, other=0.0)
    planned = await new_queries(["at", "above", "other"], ["first"], near, 0.9)
    assert planned.repeated == ("above",)
    assert planned.queries == ("at", "other")


async def test_the_queries_of_one_set_are_held_against_each_other_as_well() -> None:
    planned = await new_queries(["a", "b"], [], Directions(a=1.0, b=0.99), 0.9)
    assert (planned.queries, planned.repeated) == (("a",), ("b",))


async def test_nothing_proposed_is_nothing_planned() -> None:
    assert await new_queries([], ["asked"], Directions(asked=1.0), 0.9) == ((), ())


async def test_a_rewording_is_recognised_by_the_real_embedder() -> None:
    proposed = plan_queries(CLAIM, NAMES, claimed_on=date(2026, 2, 1))
    planned = await new_queries(proposed, [], StaticEmbedder(), 0.9)
    assert planned.queries[0] == proposed[0]
    assert CLAIM.rstrip(".") in planned.repeated
    assert planned.queries[-1].endswith("false debunked")


@pytest.mark.parametrize("latest", [False, True])
def test_a_later_set_asks_without_the_figures_of_the_claim(latest: bool) -> None:
    again = plan_again(CLAIM, [CLAIM], NAMES, date(2026, 2, 1), latest=latest)
    assert again
    assert not any("12" in query for query in again)
    assert set(again).isdisjoint(plan_queries(CLAIM, NAMES, claimed_on=date(2026, 2, 1)))
    assert any("February 2026" in query for query in again) == latest


def test_parts_that_are_open_are_asked_about_first() -> None:
    part = "The ferry across the bay has stopped running."
    assert "ferry" in plan_again(CLAIM, [part], NAMES)[0]
