"""Every stop reason is reached by the real stages on a small web of known contents, and the record says why."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.support.small_web import Article
from tests.unit.claims.town import SUPPORTING, about_bread, papers, says, world


async def test_sufficient_at_the_first_evidence_and_no_second_query_is_sent(tmp_path: Path) -> None:
    pages = papers(4)
    async with world(tmp_path, pages) as here:
        made = await here.package()
        assert (made.loop.stop_reason, made.loop.count) == ("sufficient", 1)
        assert here.web.searches == list(made.loop.queries)
        assert len(here.web.searches) == 1
        assert sorted(here.web.fetched) == sorted(page.path for page in pages)


async def test_cache_when_stored_evidence_settles_it(tmp_path: Path) -> None:
    async with world(tmp_path, papers(4)) as here:
        await here.package(job_id="first")
        asked = len(here.web.searches)
        again = await here.package(job_id="second")
        assert (again.loop.stop_reason, again.status, again.loop.count) == ("cache", "completed_from_cache", 0)
        assert len(here.web.searches) == asked


async def test_query_budget(tmp_path: Path) -> None:
    async with world(tmp_path, [says("paper.example")], query_budget=1) as here:
        made = await here.package()
        assert (made.loop.stop_reason, made.loop.count, len(here.web.searches)) == ("query_budget", 1, 1)


async def test_url_exhausted_when_no_search_finds_a_page(tmp_path: Path) -> None:
    async with world(tmp_path, []) as here:
        made = await here.package()
        assert made.loop.stop_reason == "url_exhausted"
        assert made.loop.count == len(here.web.searches) >= 1
        assert made.loop.iterations == 1


async def test_url_exhausted_when_the_pages_of_the_job_are_spent(tmp_path: Path) -> None:
    async with world(tmp_path, papers(2), pages_per_job=1) as here:
        made = await here.package()
        assert (made.loop.stop_reason, len(here.web.fetched)) == ("url_exhausted", 1)


async def test_url_exhausted_when_the_bytes_of_the_job_are_spent(tmp_path: Path) -> None:
    async with world(tmp_path, papers(2), bytes_per_job=5_000_000) as here:
        made = await here.package()
        # One page is set aside for in full; what is left after it would not hold another of the largest size.
        assert (made.loop.stop_reason, len(here.web.fetched)) == ("url_exhausted", 1)
        assert made.loop.decided_by["pages_left"] == 0


async def test_iteration_budget(tmp_path: Path) -> None:
    async with world(tmp_path, [says("paper.example")], agentic_loop_max_iter=1) as here:
        made = await here.package()
        assert (made.loop.stop_reason, made.loop.iterations) == ("iteration_budget", 1)
        assert {step.iteration for step in made.loop.steps} == {1}


async def test_deadline(tmp_path: Path) -> None:
    async with world(tmp_path, [says("paper.example")]) as here:
        start, looks = here.services.clock(), iter(range(10_000))
        # Every look at the clock is ten seconds later: the deadline passes in the middle of the journey.
        here.services = replace(here.services, clock=lambda: start + timedelta(seconds=10 * next(looks)))
        made = await here.package()
        assert made.loop.stop_reason == "deadline"
        assert made.loop.decided_by["overdue"] is True


async def test_confidence_mode(tmp_path: Path) -> None:
    async with world(tmp_path, papers(2)) as here:
        made = await here.package(trust_mode="confidence")
        assert (made.loop.stop_reason, made.trust_gate.route) == ("confidence_mode", "confidence_mode")
        assert made.loop.count == 1


async def test_comparative_monopoly(tmp_path: Path) -> None:
    claim = "Port Ellory has a longer harbour wall than Saint Brannock."
    told = ("Port Ellory has a longer harbour wall than Saint Brannock, the port authority says with some pride.",)
    more = ("Some say the wall of Port Ellory is longer than that of Saint Brannock; nobody from outside measured it.",)
    pages = [
        Article(
            "port-ellory.example", "harbour-wall", "Port Ellory has a longer harbour wall than Saint Brannock", told
        ),
        Article("port-ellory.example", "wall-walk", "A walk on the harbour wall of Port Ellory", more),
        Article("port-ellory.example", "wall-false", "Is the longer wall of Port Ellory false or debunked", more),
    ]
    async with world(tmp_path, pages, urls_per_query=1) as here:
        made = await here.package(claim)
        assert made.loop.stop_reason == "comparative_monopoly"
        assert [step.domains for step in made.loop.steps[-2:]] == [1, 1]
        assert made.loop.decided_by["monopoly_loops"] == 2


async def test_evoi_below_cost_when_pages_say_nothing_about_the_claim(tmp_path: Path) -> None:
    async with world(tmp_path, [about_bread(number) for number in range(8)]) as here:
        made = await here.package()
        assert made.loop.stop_reason == "evoi_below_cost"
        last = made.loop.steps[-1]
        assert last.evoi is not None
        assert last.evoi.value == made.loop.decided_by["evoi"] < 0.5
        assert len(here.web.fetched) < 8


async def test_no_new_evidence_when_a_whole_set_taught_nothing(tmp_path: Path) -> None:
    async with world(tmp_path, papers(1)) as here:
        here.web.gone.add(says("paper-0.example").path)
        made = await here.package()
        assert (made.loop.stop_reason, made.loop.decided_by["set_evidence"]) == ("no_new_evidence", 0)
        assert len(here.web.fetched) == made.loop.urls_skipped["not_found"] == 1


async def test_no_provider_when_nobody_answers(tmp_path: Path) -> None:
    async with world(tmp_path, [says("paper.example")]) as here:
        here.web.down = True
        made = await here.package()
        assert made.loop.stop_reason == "no_provider"
        assert made.loop.steps[-1].attempts[0].outcome == "unavailable"
        assert here.web.fetched == []


async def test_no_provider_when_none_is_configured(tmp_path: Path) -> None:
    async with world(tmp_path, [], search_providers=("none",)) as here:
        made = await here.package()
        assert (made.loop.stop_reason, made.loop.count) == ("no_provider", 0)


@pytest.mark.parametrize("iterations", [2, 3])
async def test_a_set_that_is_through_is_planned_anew_and_looks_at_more_rows(tmp_path: Path, iterations: int) -> None:
    pages = [
        says("paper.example"),
        *(Article("b.example", f"b{n}", f"Harbour Bridge report {n}", SUPPORTING[1:]) for n in (1, 2)),
    ]
    async with world(tmp_path, pages, urls_per_query=1, agentic_loop_max_iter=iterations) as here:
        made = await here.package()
    assert made.loop.iterations >= 2
    assert len(set(made.loop.queries)) == len(made.loop.queries) == len(here.web.searches)
    assert set(made.loop.repeated).isdisjoint(made.loop.queries)
