"""The loop on a web of known contents: pages in batches, none read twice, trace events, collections, inline sources."""

import asyncio
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agents.claims import retrieval
from agents.claims.job import ClaimJob
from agents.claims.package.audit import audit
from agents.claims.reading import Reading
from agents.claims.search_expansion import TRACE
from agents.claims.submission import Submission
from agents.evidence.inline import inline_sources, without_sources
from agents.evidence.ports import FetchedPage, PageFetcher
from agents.services import Services
from storage.ports import HybridQuery
from storage.ports.evidence import CURRENT_AFFAIRS, FACTS, STATIC_KNOWLEDGE
from tests.support.small_web import Article
from tests.unit.claims.town import CLAIM, SUPPORTING, UNRELATED, World, about_bread, papers, says, world


async def test_within_a_job_no_page_is_read_twice(tmp_path: Path) -> None:
    pages = [says("paper.example"), *(about_bread(number) for number in range(3))]
    async with world(tmp_path, pages, urls_per_query=1) as here:
        made = await here.package()
        assert made.loop.count > 1
        assert len(here.web.fetched) == len(set(here.web.fetched))
        assert made.loop.urls_skipped["processed"] > 0


async def test_across_jobs_no_page_is_read_twice(tmp_path: Path) -> None:
    pages = [about_bread(number) for number in range(6)]
    async with world(tmp_path, pages) as here:
        first = await here.package(job_id="first")
        again = await here.package(job_id="second")
        assert set(first.loop.urls_processed).isdisjoint(again.loop.urls_processed)
        assert again.loop.urls_skipped["processed"] >= len(first.loop.urls_processed)
        assert len(here.web.fetched) == len(set(here.web.fetched))


async def test_the_same_claim_at_the_same_time_is_fetched_for_once_and_settles_twice(tmp_path: Path) -> None:
    pages = papers(4)
    async with world(tmp_path, pages) as here:
        made = await asyncio.gather(*(here.package(job_id=f"job-{number}") for number in range(4)))
        assert {one.verdict for one in made} == {"TRUE"}
        assert {one.loop.stop_reason for one in made} <= {"sufficient", "cache"}
        assert sorted(here.web.fetched) == sorted(page.path for page in pages)


async def test_pages_are_fetched_five_at_a_time_and_told_of(tmp_path: Path) -> None:
    pages = [says(f"paper-{number}.example", number % 4) for number in range(7)]
    async with world(tmp_path, pages, urls_per_query=7, bytes_per_job=50_000_000) as here:
        made, notes = await here.journey(Submission(job_id="job", claim=CLAIM))
        assert here.web.most_in_flight <= 5
    assert made.loop.steps[0].pages == 7
    first_visit = [note for stage, note in notes if stage == "search-expansion"][:7]
    assert [(note.event, dict(note.detail)) for note in first_visit[:6]] == [
        ("urls_registered", {"stage": 0, "count": 7}),
        ("extract_batch_started", {"batch_size": 5}),
        ("extract_batch_finished", {"success_count": 5}),
        ("extract_batch_started", {"batch_size": 2}),
        ("extract_batch_finished", {"success_count": 2}),
        ("bind_completed", {"stage": 0}),
    ]
    assert first_visit[6].event == "searched"
    assert first_visit[6].detail["query"] == made.loop.queries[0]


async def test_a_batch_is_told_of_before_its_pages_have_come(tmp_path: Path) -> None:
    page = says("paper.example")
    async with world(tmp_path, [page]) as here:
        here.web.held.add(page.path)
        heard: list[str] = []
        here.services = replace(here.services, tell=lambda note: heard.append(note.event))
        journey = asyncio.create_task(here.journey(Submission(job_id="job", claim=CLAIM)))
        await here.web.until_fetched(1, seconds=30)
        assert heard == ["urls_registered", "extract_batch_started"]
        here.web.release.set()
        _, notes = await journey
    traced = [note.event for _, note in notes if note.event in TRACE]
    assert heard == traced
    assert heard[:4] == ["urls_registered", "extract_batch_started", "extract_batch_finished", "bind_completed"]


async def test_every_step_of_the_loop_is_told_of_by_search_and_by_trust(tmp_path: Path) -> None:
    async with world(tmp_path, [says("paper.example")]) as here:
        made, notes = await here.journey(Submission(job_id="job", claim=CLAIM))
    searched = [note.detail["query"] for _, note in notes if note.event == "searched"]
    assert searched == list(made.loop.queries)
    decisions = [note.detail["decision"] for _, note in notes if note.event == "assessed"]
    assert decisions == ["go_on"] * made.loop.count + [made.loop.stop_reason]
    assert [step.decision for step in made.loop.steps] == decisions[1:]


async def test_a_page_that_does_not_come_in_time_is_given_back(tmp_path: Path) -> None:
    slow = says("slow.example", 3)
    async with world(tmp_path, [slow, *papers(1)], job_deadline_seconds=3.0) as here:
        here.web.held.add(slow.path)
        made = await here.package()
        assert made.loop.urls_skipped["out_of_time"] == 1
        assert made.loop.stop_reason == "deadline"
        assert await here.services.urls.pending(now=here.services.clock()) == [slow.url]


async def test_what_the_claim_itself_names_is_read_on_a_budget_of_its_own(tmp_path: Path) -> None:
    named = Article("port-authority.example", "notice-7", "Notice 7", SUPPORTING)
    pages = [named, *(about_bread(number) for number in range(4))]
    async with world(tmp_path, pages) as here:
        made = await here.package(f"{CLAIM} (see {named.url}).")
        first = made.loop.steps[0]
        assert first.inline == 1
        assert named.url in made.loop.urls_processed
        assert here.web.fetched.count(named.path) == 1
        assert first.evoi is not None
        assert first.evoi.inputs["extracts"] == first.pages - 1


A, B = "https://a.example/x/y", "http://b.example/z"


@pytest.mark.parametrize(
    ("text", "urls", "statement"),
    [
        ("Nothing here.", (), "Nothing here."),
        (f"The bridge is open. See {A}, and {B}.", (A, B), "The bridge is open."),
        (f"The bridge is open (see {A}).", (A,), "The bridge is open."),
        (f"The bridge is open (source: {A})", (A,), "The bridge is open"),
        (f"According to {A}, the bridge is open.", (A,), "the bridge is open."),
        (f"({A}) <{A}> The bridge is open.", (A,), "The bridge is open."),
        (A, (A,), A),
        ("ftp://a.example/x javascript:alert(1) https://", (), "ftp://a.example/x javascript:alert(1) https://"),
    ],
)
def test_addresses_in_a_text(text: str, urls: tuple[str, ...], statement: str) -> None:
    assert inline_sources(text) == urls
    assert without_sources(text) == statement


class Watched:
    """The index, with every query written down."""

    def __init__(self, index: Any) -> None:
        self._index = index
        self.queries: list[HybridQuery] = []

    async def search(self, query: HybridQuery) -> Any:
        self.queries.append(query)
        return await self._index.search(query)


@pytest.mark.parametrize(
    ("iteration", "iterations", "collections", "limit"),
    [
        (0, 3, (CURRENT_AFFAIRS, STATIC_KNOWLEDGE, FACTS), 10),
        (1, 3, (CURRENT_AFFAIRS, STATIC_KNOWLEDGE, FACTS), 12),
        (2, 3, (CURRENT_AFFAIRS, STATIC_KNOWLEDGE, FACTS), 14),
        (3, 3, (CURRENT_AFFAIRS, FACTS), 16),
        (1, 1, (CURRENT_AFFAIRS, STATIC_KNOWLEDGE, FACTS), 12),
    ],
)
async def test_each_set_looks_at_more_and_the_last_at_current_affairs_only(
    tmp_path: Path, iteration: int, iterations: int, collections: tuple[str, ...], limit: int
) -> None:
    async with world(tmp_path, [], agentic_loop_max_iter=iterations) as here:
        index = Watched(here.services.index)
        services: Services = replace(here.services, index=index)  # type: ignore[arg-type]  # what a job uses of it
        await retrieval.handle(_job(here, iteration), services)
    assert {query.collections for query in index.queries} == {collections}
    assert {query.limit for query in index.queries} == {limit}


def _job(here: World, iteration: int) -> ClaimJob:
    now = here.services.clock()
    job = ClaimJob(
        job_id="job",
        submission=Submission(job_id="job", claim=CLAIM),
        accepted_at=now,
        deadline=now,
        reading=Reading(standalone=CLAIM),
    )
    return job.model_copy(update={"loop": job.loop.updated(iteration=iteration)})


async def test_pages_that_do_not_speak_of_the_claim_are_no_evidence(tmp_path: Path) -> None:
    async with world(tmp_path, [about_bread(0)]) as here:
        made = await here.package()
        assert made.verdict == "UNVERIFIABLE"
        assert UNRELATED[0] not in made.rationale


async def test_stored_evidence_from_after_the_as_of_day_is_not_used(tmp_path: Path) -> None:
    async with world(tmp_path, papers(4)) as here:
        await here.package(job_id="first")
        earlier = await here.package(job_id="earlier", as_of=date(2026, 1, 14))
        assert earlier.evidence == ()
        assert earlier.verdict == "UNVERIFIABLE"
        later = await here.package(job_id="later", as_of=date(2026, 1, 15))
        assert later.verdict == "TRUE"


async def test_of_a_page_that_cannot_be_read_the_snippet_is_kept_as_a_lead_on_which_nothing_rests(
    tmp_path: Path,
) -> None:
    async with world(tmp_path, papers(1)) as here:
        here.web.gone.add(says("paper-0.example").path)
        made = await here.package()
        (lead,) = made.evidence
        assert "snippet" in lead.notes
        assert not lead.admissible
        assert (made.verdict, made.citations) == ("UNVERIFIABLE", ())


class Paid:
    """The real fetcher, as if somebody were paid for every page."""

    def __init__(self, fetcher: PageFetcher) -> None:
        self._fetcher = fetcher

    async def fetch(self, url: str) -> FetchedPage:
        return replace(await self._fetcher.fetch(url), cost=0.0016)


async def test_what_pages_cost_stands_beside_what_the_search_cost(tmp_path: Path) -> None:
    async with world(tmp_path, papers(3)) as here:
        assert here.services.fetcher is not None
        here.services = replace(here.services, fetcher=Paid(here.services.fetcher))
        made, notes = await here.journey(Submission(job_id="job", claim=CLAIM))
    first = made.loop.steps[0]
    assert first.extraction_cost_usd == pytest.approx(0.0016 * 3)
    assert first.cost_usd == pytest.approx(first.extraction_cost_usd + sum(one.cost_usd for one in first.attempts))
    told = [note.detail["cost_usd"] for _, note in notes if note.event == "searched"]
    assert told == [step.cost_usd for step in made.loop.steps]
    dearer = first.model_copy(update={"extraction_cost_usd": 1.0})
    loop = made.loop.model_copy(update={"steps": (dearer, *made.loop.steps[1:])})
    assert audit(made.model_copy(update={"loop": loop}))
