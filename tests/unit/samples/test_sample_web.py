"""The sample web serves and finds the sample pages, over a real port."""

import asyncio
import socket
from collections.abc import AsyncIterator

import httpx
import pytest

import samples
from agents.evidence import PageUnavailable, SamplePageFetcher, SampleWebSearch, open_client
from streams.embedded.sample_web import SampleSearchEngine, create_sample_web, main_text, serve
from streams.errors import PortInUse

CORPUS = samples.load()
BY_URL = {page.url: page for page in CORPUS.pages}
ENGINE = SampleSearchEngine(CORPUS.pages)


@pytest.fixture
async def origin() -> AsyncIterator[str]:
    async with serve() as origin:
        yield origin


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


async def test_every_page_can_be_fetched_by_its_canonical_address(origin: str, client: httpx.AsyncClient) -> None:
    fetcher = SamplePageFetcher(client, origin)
    for page in CORPUS.pages:
        assert (await fetcher.fetch(page.url)).html == page.html()


async def test_a_redirect_of_the_manifest_ends_on_its_page(origin: str, client: httpx.AsyncClient) -> None:
    fetcher = SamplePageFetcher(client, origin)
    for old, new in CORPUS.redirects.items():
        assert (await fetcher.fetch(old)).final_url == new


@pytest.mark.parametrize("path", ["", "nothing", "../manifest.json", "%2e%2e/claims.jsonl"])
async def test_a_page_that_does_not_exist_is_not_found(path: str, origin: str, client: httpx.AsyncClient) -> None:
    with pytest.raises(PageUnavailable) as missing:
        await SamplePageFetcher(client, origin).fetch(f"https://nobody.example/{path}")
    assert missing.value.reason == "not_found"


async def test_search_finds_pages_whether_or_not_the_knowledge_base_holds_them(
    origin: str, client: httpx.AsyncClient
) -> None:
    results = await SampleWebSearch(client, origin).search("population of Kelderwick", 5)
    found = {BY_URL[result.url].knowledge_base for result in results if BY_URL[result.url].topic == "population"}
    assert found == {True, False}
    scores = [result.score for result in results]
    assert scores == sorted(scores, reverse=True)
    assert all(result.score > 0 and result.snippet for result in results)
    assert results[0].published == BY_URL[results[0].url].published


async def test_a_search_the_engine_cannot_accept_is_refused_with_the_field(
    origin: str, client: httpx.AsyncClient
) -> None:
    for query in ("", "?q=", "?q=a&limit=0", "?q=a&limit=21", f"?q={'x' * 401}"):
        answer = await client.get(f"{origin}/search{query}")
        assert answer.status_code == 422
        assert answer.json()["detail"][0]["loc"][0] == "query"


@pytest.mark.parametrize(
    "claim",
    [claim for claim in CORPUS.claims if CORPUS.expected[claim.job_id].path == "one_loop"],
    ids=lambda claim: claim.job_id,
)
def test_one_search_brings_three_new_sources_for_a_claim_that_needs_the_loop(claim: samples.SampleClaim) -> None:
    best = [BY_URL[result.url] for result in ENGINE.search(claim.claim, 6)]
    topic = next(page.topic for page in best if page.kind == "article")
    new = {page.syndicated_from or page.host for page in best if page.topic == topic and not page.knowledge_base}
    assert len({host for host in new if host not in CORPUS.hosts or CORPUS.hosts[host].credible}) >= 3


def test_a_quoted_phrase_counts_more_than_its_words() -> None:
    plain = ENGINE.search("Station Road bridge", 20)
    quoted = ENGINE.search('"Station Road bridge"', 20)
    assert {result.url for result in quoted} == {result.url for result in plain}
    with_phrase = next(result for result in quoted if "closed-for-repairs" in result.url)
    without = next(result for result in plain if result.url == with_phrase.url)
    assert with_phrase.score > without.score


@pytest.mark.parametrize("query", ["zyzzyva", "!?", '""', "   "])
def test_a_query_without_a_known_word_finds_nothing(query: str) -> None:
    assert ENGINE.search(query, 10) == []


@pytest.mark.parametrize(
    "query", ['"unclosed bridge', "bridge AND (", "title:bridge", "bridge*", "NEAR(bridge)", "-bridge"]
)
def test_the_engine_reads_every_query_as_words(query: str) -> None:
    assert ENGINE.search(query, 3)


def test_umlauts_may_be_left_out() -> None:
    assert ENGINE.search("Grunfurt", 1)[0].url == ENGINE.search("Grünfurt", 1)[0].url


def test_the_menu_and_the_footer_are_not_searched() -> None:
    page = next(page for page in CORPUS.pages if page.host == "northmarch-radio.example")
    assert "Listen live" in page.html()
    assert "Listen live" not in main_text(page.html())


async def test_a_port_in_use_is_one_clear_line() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(PortInUse, match=f"cannot listen on 127.0.0.1:{port} .*to another port"):
            async with serve(port=port):
                pass


async def test_the_port_is_free_again_after_the_block_and_no_task_is_left() -> None:
    before = asyncio.all_tasks()
    async with serve() as origin, open_client() as client:
        await client.get(f"{origin}/search", params={"q": "bridge"})
    with pytest.raises(httpx.ConnectError):
        async with open_client() as client:
            await client.get(origin)
    assert asyncio.all_tasks() == before


async def test_the_app_works_without_a_port() -> None:
    transport = httpx.ASGITransport(create_sample_web(samples.samples_dir()))
    async with httpx.AsyncClient(transport=transport, base_url="http://sample") as client:
        answer = await client.get("/KELDERWICK-ROVERS.example/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
