"""Each provider's real client against a local server that answers in the provider's shapes."""

import asyncio
import itertools
import json
from collections.abc import AsyncIterator, Callable
from datetime import UTC, date, datetime
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from agents.evidence.ports import FetchedPage, PageUnavailable, SearchResult, UnavailableReason
from agents.evidence.search import (
    FactCheckSearch,
    Provider,
    ReviewedResult,
    SearchFailed,
    SearxngSearch,
    TavilySearch,
    WikipediaSearch,
)
from agents.evidence.search.guard import EXTRACTION, Guard
from agents.evidence.search.wire import date_of
from agents.evidence.second_try import SecondTry
from tests.unit.evidence_web.local_web import head, page

NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


class Engine:
    """Answers every request with the same bytes; keeps the requests."""

    def __init__(self) -> None:
        self.answer: bytes | None = b""
        self.answers: list[Any] = []
        """Said one after the other, before `answer`."""
        self.requests: list[str] = []
        self.bodies: list[Any] = []
        self.origin = ""

    def says(self, value: Any) -> None:
        self.answer = page(json.dumps(value).encode(), kind="application/json")

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        self.requests.append(request)
        lengths = [line.split(":")[1] for line in request.split("\r\n") if line.lower().startswith("content-length")]
        if lengths:
            self.bodies.append(json.loads(await reader.readexactly(int(lengths[0]))))
        if self.answers:
            self.says(self.answers.pop(0))
        if self.answer is None:
            await reader.read()  # until the client hangs up
        else:
            writer.write(self.answer)
            await writer.drain()
        writer.close()

    @property
    def asked(self) -> dict[str, list[str]]:
        return parse_qs(urlsplit(self.requests[-1].split(" ")[1]).query)


@pytest.fixture
async def engine() -> AsyncIterator[Engine]:
    running = Engine()
    server = await asyncio.start_server(running.serve, "127.0.0.1", 0)
    running.origin = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield running


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False) as opened:
        yield opened


Making = Callable[[str, float], Provider]
MAKERS = ["tavily", "searxng", "wikipedia", "factcheck"]


@pytest.fixture
async def make(client: httpx.AsyncClient) -> AsyncIterator[Callable[[str, str, float], Provider]]:
    opened: list[TavilySearch] = []

    def making(name: str, origin: str, timeout_s: float = 10.0) -> Provider:
        if name == "tavily":
            opened.append(TavilySearch("tvly-key", origin, timeout_s=timeout_s, now=lambda: NOW))
            return opened[-1]
        if name == "searxng":
            return SearxngSearch(client, origin, timeout_s=timeout_s, now=lambda: NOW)
        if name == "wikipedia":
            return WikipediaSearch(client, origin, timeout_s=timeout_s, now=lambda: NOW)
        return FactCheckSearch(client, "goog-key", origin, timeout_s=timeout_s, now=lambda: NOW)

    yield making
    for item in opened:
        await item.aclose()


async def test_tavily_is_asked_through_its_own_client(engine: Engine, make: Any) -> None:
    engine.says(
        {
            "query": "bridge height",
            "response_time": 0.9,
            "results": [
                {"title": "Bridge", "url": "https://a.test/bridge", "content": "It is 42 m high.", "score": 0.93,
                 "published_date": "Tue, 02 Apr 2024 10:20:00 GMT"},
                {"title": None, "url": "https://b.test/", "content": None, "score": 0.4},
                {"title": "no address", "score": 0.4},
            ],
        }
    )  # fmt: skip
    found = await make("tavily", engine.origin).search("  bridge\n height ", 5, date(2024, 4, 30))
    assert found == [
        SearchResult("Bridge", "https://a.test/bridge", "It is 42 m high.", date(2024, 4, 2), 0.93),
        SearchResult("", "https://b.test/", "", None, 0.4),
    ]
    sent = engine.bodies[0]
    assert (sent["query"], sent["max_results"], sent["end_date"]) == ("bridge height", 5, "2024-04-30")
    assert "Bearer tvly-key" in engine.requests[0]
    assert engine.requests[0].startswith("POST /search ")


async def test_tavily_extracts_the_pages_it_can_read(engine: Engine, make: Any) -> None:
    engine.says(
        {
            "results": [{"url": "https://a.test/1", "raw_content": "The text."}],
            "failed_results": [{"url": "https://a.test/2", "error": "not reachable"}],
        }
    )
    provider = make("tavily", engine.origin)
    found = await provider.extract(["https://a.test/1", "https://a.test/2"])
    assert [(item.url, item.text) for item in found] == [("https://a.test/1", "The text.")]
    assert engine.requests[0].startswith("POST /extract ")
    with pytest.raises(ValueError, match="between 1 and 20"):
        await provider.extract([])


def guard() -> Guard:
    """Of the real policy, on a clock that gives every request its turn."""
    ticks = itertools.count()
    return Guard(EXTRACTION, lambda: float(next(ticks)))


class Failing:
    """A fetcher to which no page comes."""

    def __init__(self, reason: UnavailableReason) -> None:
        self._reason = reason

    async def fetch(self, url: str) -> FetchedPage:
        raise PageUnavailable(self._reason, url, "no")


async def test_what_did_not_come_in_time_is_read_by_tavily(engine: Engine, make: Any) -> None:
    engine.says({"results": [{"url": "https://a.test/1", "raw_content": "The text."}]})
    fetcher = SecondTry(Failing("idle_timeout"), make("tavily", engine.origin), guard())
    found = await fetcher.fetch("https://a.test/1")
    assert (found.body, found.content_type) == (b"The text.", "text/plain")
    assert found.cost == pytest.approx(0.0016)


async def test_a_tavily_that_keeps_failing_is_left_alone_and_the_first_failure_stands(
    engine: Engine, make: Any
) -> None:
    fetcher = SecondTry(Failing("connect"), make("tavily", engine.origin), guard())
    engine.answer = b"HTTP/1.1 500 Down\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    for _ in range(12):
        with pytest.raises(PageUnavailable) as failed:
            await fetcher.fetch("https://a.test/1")
        assert failed.value.reason == "connect"
    assert 0 < len(engine.requests) < 12


@pytest.mark.parametrize("reason", ["robots", "forbidden_address", "not_found", "bad_status", "too_large"])
async def test_what_is_forbidden_or_gone_is_not_asked_for_by_another_door(
    reason: UnavailableReason, engine: Engine, make: Any
) -> None:
    with pytest.raises(PageUnavailable):
        await SecondTry(Failing(reason), make("tavily", engine.origin), guard()).fetch("https://a.test/1")
    assert engine.requests == []


@pytest.mark.parametrize("answer", [{"results": []}, {"results": [{"url": "https://a.test/1", "raw_content": " "}]}, 7])
async def test_where_tavily_has_nothing_either_the_first_failure_stands(answer: Any, engine: Engine, make: Any) -> None:
    engine.says(answer)
    with pytest.raises(PageUnavailable) as failed:
        await SecondTry(Failing("connect"), make("tavily", engine.origin), guard()).fetch("https://a.test/1")
    assert failed.value.reason == "connect"


def test_tavily_without_a_key_says_what_to_set() -> None:
    with pytest.raises(ValueError, match="TAVILY_API_KEY"):
        TavilySearch(" ")


async def test_searxng_is_asked_for_json(engine: Engine, make: Any) -> None:
    engine.says(
        {
            "query": "q", "number_of_results": 0, "unresponsive_engines": [["bing", "timeout"]],
            "results": [
                {"url": "https://a.test/1", "title": "One", "content": "first", "engine": "ddg", "score": 3.5,
                 "publishedDate": "2024-03-01T08:00:00"},
                {"url": "https://a.test/2", "title": "Two", "content": None, "publishedDate": None},
                {"url": "https://a.test/3", "title": "Three"},
            ],
        }
    )  # fmt: skip
    found = await make("searxng", engine.origin).search("bridge height", 2)
    assert found == [
        SearchResult("One", "https://a.test/1", "first", date(2024, 3, 1), 3.5),
        SearchResult("Two", "https://a.test/2", "", None, 0.0),
    ]
    assert engine.asked["format"] == ["json"]
    assert engine.asked["q"] == ["bridge height"]


async def test_wikipedia_answers_with_articles(engine: Engine, make: Any) -> None:
    engine.says(
        {
            "batchcomplete": True,
            "query": {
                "search": [
                    {"ns": 0, "title": "Øresund Bridge", "pageid": 1, "timestamp": "2024-02-03T04:05:06Z",
                     "snippet": 'The <span class="searchmatch">bridge</span> &amp; tunnel'},
                    {"ns": 0, "title": "AC/DC", "pageid": 2},
                ]
            },
        }
    )  # fmt: skip
    found = await make("wikipedia", engine.origin).search("bridge", 5)
    address = f"{engine.origin}/wiki/%C3%98resund_Bridge"
    assert found[0] == SearchResult("Øresund Bridge", address, "The bridge & tunnel", date(2024, 2, 3), 1.0)
    assert found[1].url == f"{engine.origin}/wiki/AC/DC"
    assert found[1].score < found[0].score
    assert "User-Agent: Veristream" in engine.requests[0]


async def test_wikipedia_gives_the_version_of_the_day(engine: Engine, make: Any) -> None:
    entries = [
        {"title": "Edited since", "timestamp": "2024-02-03T04:05:06Z"},
        {"title": "Younger", "timestamp": "2024-02-04T00:00:00Z"},
        {"title": "Untouched", "timestamp": "2023-01-01T00:00:00Z"},
    ]
    engine.answers = [
        {"query": {"search": entries}},
        {
            "query": {
                "pages": [{"title": "Edited since", "revisions": [{"revid": 7, "timestamp": "2023-12-30T01:00:00Z"}]}]
            }
        },
        {"query": {"pages": [{"title": "Younger"}]}},
    ]
    found = await make("wikipedia", engine.origin).search("bridge", 5, date(2023, 12, 31))
    assert [(result.url, result.published) for result in found] == [
        (f"{engine.origin}/wiki/Edited_since?oldid=7", date(2023, 12, 30)),
        (f"{engine.origin}/wiki/Untouched", date(2023, 1, 1)),
    ]
    assert engine.asked["rvstart"] == ["2023-12-31T23:59:59Z"]


@pytest.mark.parametrize("name", ["searxng", "factcheck"])
async def test_an_engine_that_cannot_go_back_in_time_gives_all_it_has(name: str, engine: Engine, make: Any) -> None:
    """What is too late is dropped by the chain, and what is left must still be as many as were asked for."""
    reviews = [{"url": f"https://a.test/{n}", "reviewDate": "2024-01-01T00:00:00Z"} for n in range(9)]
    engine.says({"results": reviews, "claims": [{"text": "It is so.", "claimReview": reviews}]})
    provider = make(name, engine.origin)
    assert (len(await provider.search("bridge", 3)), len(await provider.search("bridge", 3, date(2023, 1, 1)))) == (
        3,
        9,
    )


@pytest.mark.parametrize(("code", "reason"), [("maxlag", "unavailable"), ("badquery", "refused")])
async def test_wikipedias_own_errors_come_with_status_200(code: str, reason: str, engine: Engine, make: Any) -> None:
    engine.says({"error": {"code": code, "info": "…"}})
    with pytest.raises(SearchFailed) as failed:
        await make("wikipedia", engine.origin).search("bridge", 5)
    assert failed.value.reason == reason


async def test_fact_checks_come_back_with_rating_and_publisher(engine: Engine, make: Any) -> None:
    engine.says(
        {
            "claims": [
                {
                    "text": "The bridge is closed.", "claimant": "A post", "claimDate": "2024-01-01T00:00:00Z",
                    "claimReview": [
                        {"publisher": {"name": "Full Fact", "site": "fullfact.org"}, "url": "https://fullfact.org/b",
                         "title": "Is it?", "reviewDate": "2024-01-05T00:00:00Z", "textualRating": "False",
                         "languageCode": "en"},
                        {"publisher": {"site": "check.test"}, "url": "https://check.test/b"},
                    ],
                },
                {"text": "no review"},
            ],
            "nextPageToken": "CAo",
        }
    )  # fmt: skip
    found = await make("factcheck", engine.origin).search("bridge closed", 5)
    first = found[0]
    assert isinstance(first, ReviewedResult)
    assert (first.review.rating, first.review.publisher, first.review.claim) == (
        "False",
        "Full Fact",
        "The bridge is closed.",
    )
    assert (first.url, first.published) == ("https://fullfact.org/b", date(2024, 1, 5))
    assert "Rated by Full Fact: False" in first.snippet
    assert found[1].title == "The bridge is closed."
    # The key is in a header, never in the address.
    assert "goog-key" not in engine.requests[0].split("\r\n")[0]
    assert "X-Goog-Api-Key: goog-key".lower() in engine.requests[0].lower()


EMPTY: dict[str, Any] = {
    "tavily": {"results": []},
    "searxng": {"results": []},
    "wikipedia": {"query": {"search": []}},
    "factcheck": {},
}


@pytest.mark.parametrize("name", MAKERS)
async def test_nothing_found_is_an_empty_list(name: str, engine: Engine, make: Any) -> None:
    engine.says(EMPTY[name])
    assert await make(name, engine.origin).search("bridge", 5) == []


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(
    ("answer", "reason", "wait"),
    [
        (head(429, "Retry-After: 30"), "rate_limited", 30.0),
        (head(429, "Retry-After: Wed, 01 May 2024 12:01:00 GMT"), "rate_limited", 60.0),
        (head(429), "rate_limited", None),
        (head(401), "unauthorized", None),
        (head(403), "unauthorized", None),
        (head(400), "refused", None),
        (head(500), "unavailable", None),
        (head(503, "Retry-After: 5"), "unavailable", 5.0),
        (page(b"<html>login</html>"), "bad_answer", None),
        (page(b"[1, 2]", kind="application/json"), "bad_answer", None),
        (page(b'{"results": 7, "claims": 7}', kind="application/json"), "bad_answer", None),
        (b"garbage\r\n\r\n", "unavailable", None),
        (b"", "unavailable", None),
    ],
)
async def test_every_failure_has_a_reason(
    *, name: str, answer: bytes, reason: str, wait: float | None, engine: Engine, make: Any
) -> None:
    engine.answer = answer
    with pytest.raises(SearchFailed) as failed:
        await make(name, engine.origin).search("bridge", 5)
    assert (failed.value.reason, failed.value.retry_after) == (reason, wait)


@pytest.mark.parametrize("name", MAKERS)
async def test_a_silent_engine_times_out(name: str, engine: Engine, make: Any) -> None:
    engine.answer = None
    with pytest.raises(SearchFailed) as failed:
        await make(name, engine.origin, 0.1).search("bridge", 5)
    assert failed.value.reason == "timeout"


@pytest.mark.parametrize("name", MAKERS)
async def test_an_engine_that_is_gone_is_unavailable(name: str, make: Any, unused_tcp_port: int) -> None:
    with pytest.raises(SearchFailed) as failed:
        await make(name, f"http://127.0.0.1:{unused_tcp_port}").search("bridge", 5)
    assert failed.value.reason == "unavailable"


@pytest.mark.parametrize("name", ["searxng", "wikipedia", "factcheck"])
async def test_an_answer_without_end_is_cut(name: str, engine: Engine, make: Any) -> None:
    engine.answer = page(b'{"results": "' + b"x" * 2_100_000 + b'"}', kind="application/json")
    with pytest.raises(SearchFailed, match="larger than") as failed:
        await make(name, engine.origin).search("bridge", 5)
    assert failed.value.reason == "bad_answer"


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize(("query", "limit"), [(" ", 5), ("bridge", 0)])
async def test_a_search_for_nothing_is_a_mistake_of_the_caller(name: str, query: str, limit: int, make: Any) -> None:
    with pytest.raises(ValueError, match="a search needs"):
        await make(name, "http://127.0.0.1:1").search(query, limit)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("2024-03-01", date(2024, 3, 1)),
        ("2024-03-01T08:00:00Z", date(2024, 3, 1)),
        ("Tue, 02 Apr 2024 10:20:00 GMT", date(2024, 4, 2)),
        ("3 days ago", None),
        ("2024-13-45", None),
        ("", None),
        (None, None),
    ],
)
def test_dates_as_engines_write_them(text: str | None, day: date | None) -> None:
    assert date_of(text) == day
