"""The limits of fetching and searching, against a real server on the loopback interface."""

import json
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, date, datetime
from typing import Any

import httpx
import pytest

from agents.errors import DependencyDown, Permanent, Transient
from agents.evidence import (
    FetchPolicy,
    PageUnavailable,
    SamplePageFetcher,
    SampleWebSearch,
    SearchResult,
    open_client,
)
from agents.evidence.http import retry_after_seconds

Reply = Callable[..., bytes]
PAGE = "https://gazette.example/news/bridge"
SERVED = "/gazette.example/news/bridge"


@pytest.fixture
async def client() -> AsyncIterator[httpx.AsyncClient]:
    async with open_client() as client:
        yield client


async def test_a_canonical_address_is_fetched_from_the_sample_web(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply("<p>Grünfurt</p>".encode())
    page = await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert (page.url, page.final_url, page.content_type, page.charset) == (PAGE, PAGE, "text/html", "utf-8")
    assert page.html == "<p>Grünfurt</p>"
    assert raw_server.requests == [SERVED]


async def test_a_page_whose_charset_does_not_fit_keeps_its_bytes(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"\xfc", content_type="text/html; charset=utf-8")
    assert (await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)).html == b"\xfc"


@pytest.mark.parametrize(
    "url",
    [
        "https://news.test/a",
        "http://127.0.0.1/admin",
        "http://[::1]/",
        "https://example/a",
        "https://notexample/a",
        "https://evil.com/?gazette.example",
        "https://gazette.example:8080/a",
        "https://user@gazette.example/a",
        "https://gazette.example:99999/a",
        "https://[gazette.example/a",
        "file:///etc/passwd",
        "ftp://gazette.example/a",
        "gazette.example/a",
        "",
    ],
)
async def test_any_other_address_is_refused_without_a_request(
    url: str, client: httpx.AsyncClient, raw_server: Any
) -> None:
    with pytest.raises(PageUnavailable) as refused:
        await SamplePageFetcher(client, raw_server.origin).fetch(url)
    assert refused.value.reason == "refused"
    assert raw_server.requests == []


async def test_redirects_are_followed_in_canonical_addresses(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers["/gazette.example/old"] = reply(status="301 Moved", location="/older")
    raw_server.answers["/gazette.example/older"] = reply(status="302 Found", location=PAGE)
    raw_server.answers[SERVED] = reply(b"<p>here</p>")
    page = await SamplePageFetcher(client, raw_server.origin).fetch("https://gazette.example/old")
    assert (page.url, page.final_url, page.body) == ("https://gazette.example/old", PAGE, b"<p>here</p>")


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/", "https://news.test/", "file:///etc/passwd", "http://[x"])
async def test_a_redirect_out_of_the_sample_web_is_refused(
    target: str, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(status="302 Found", location=target)
    with pytest.raises(PageUnavailable) as refused:
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert refused.value.reason == "refused"


@pytest.mark.parametrize(("redirects", "arrives"), [(5, True), (6, False)])
async def test_five_redirects_are_followed_and_a_sixth_is_not(
    redirects: int, arrives: bool, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    for number in range(redirects):
        raw_server.answers[f"/gazette.example/{number}"] = reply(status="302 Found", location=f"/{number + 1}")
    raw_server.answers[f"/gazette.example/{redirects}"] = reply(b"<p>here</p>")
    fetch = SamplePageFetcher(client, raw_server.origin).fetch("https://gazette.example/0")
    if arrives:
        assert (await fetch).body == b"<p>here</p>"
    else:
        with pytest.raises(PageUnavailable) as refused:
            await fetch
        assert refused.value.reason == "too_many_redirects"
        assert len(raw_server.requests) == 6


@pytest.mark.parametrize(("size", "arrives"), [(1000, True), (1001, False)])
async def test_a_body_may_be_as_large_as_the_limit_and_no_larger(
    size: int, arrives: bool, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"x" * size, content_length=str(size))
    raw_server.answers["/gazette.example/unannounced"] = reply(b"x" * size)
    fetcher = SamplePageFetcher(client, raw_server.origin, FetchPolicy(max_bytes=1000))
    for url in (PAGE, "https://gazette.example/unannounced"):
        if arrives:
            assert len((await fetcher.fetch(url)).body) == size
        else:
            with pytest.raises(PageUnavailable) as refused:
                await fetcher.fetch(url)
            assert refused.value.reason == "too_large"


async def test_a_body_without_end_is_cut_off(client: httpx.AsyncClient, raw_server: Any, reply: Reply) -> None:
    def endless() -> Iterator[bytes]:
        yield reply()
        while True:
            yield b"x" * 65536

    raw_server.answers[SERVED] = endless
    with pytest.raises(PageUnavailable) as refused:
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert refused.value.reason == "too_large"


@pytest.mark.parametrize("content_type", ["application/pdf", "image/png", "", "text/htmlx"])
async def test_other_content_types_are_refused(
    content_type: str, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"x", content_type=content_type)
    with pytest.raises(PageUnavailable) as refused:
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert refused.value.reason == "content_type"


async def test_a_compressed_body_that_nobody_asked_for_is_refused(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"x", content_encoding="gzip")
    with pytest.raises(PageUnavailable) as refused:
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert refused.value.reason == "content_type"


@pytest.mark.parametrize(
    ("status", "reason"), [("404 Not Found", "not_found"), ("410 Gone", "not_found"), ("403 Forbidden", "bad_status")]
)
async def test_a_page_that_is_not_there_is_unavailable(
    status: str, reason: str, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"x", status=status)
    with pytest.raises(PageUnavailable) as refused:
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert refused.value.reason == reason


@pytest.mark.parametrize(
    ("answer", "wait"),
    [
        ({"status": "429 Too Many Requests", "retry_after": "7"}, 7.0),
        ({"status": "503 Service Unavailable"}, None),
        ({"status": "500 Internal Server Error", "retry_after": "soon"}, None),
    ],
)
async def test_an_overloaded_server_is_a_transient_failure_with_its_own_wish_for_a_pause(
    answer: dict[str, str], wait: float | None, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"x", **answer)
    with pytest.raises(Transient) as failure:
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)
    assert failure.value.retry_after == wait


@pytest.mark.parametrize("policy", [FetchPolicy(idle_timeout_s=0.05), FetchPolicy(deadline_s=0.05)])
async def test_a_server_that_does_not_answer_is_a_transient_failure(
    policy: FetchPolicy, client: httpx.AsyncClient, raw_server: Any
) -> None:
    raw_server.silent.add(SERVED)
    with pytest.raises(Transient, match="did not answer in time"):
        await SamplePageFetcher(client, raw_server.origin, policy).fetch(PAGE)


async def test_a_connection_that_breaks_off_is_a_transient_failure(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[SERVED] = reply(b"half", content_length="1000")
    with pytest.raises(Transient):
        await SamplePageFetcher(client, raw_server.origin).fetch(PAGE)


async def test_a_server_that_is_gone_is_a_dependency_that_is_down(client: httpx.AsyncClient) -> None:
    with socket.socket() as placeholder:
        placeholder.bind(("127.0.0.1", 0))  # bound but not listening: connections are refused
        origin = f"http://127.0.0.1:{placeholder.getsockname()[1]}"
        with pytest.raises(DependencyDown) as failure:
            await SamplePageFetcher(client, origin).fetch(PAGE)
        with pytest.raises(DependencyDown):
            await SampleWebSearch(client, origin).search("bridge", 5)
    assert failure.value.name == "sample web"


async def test_search_results_become_frozen_values(client: httpx.AsyncClient, raw_server: Any, reply: Reply) -> None:
    hit = {"title": "Bridge", "url": PAGE, "snippet": "…", "published": "2025-10-03", "score": 4.5}
    undated = {**hit, "published": None, "score": 1}
    raw_server.answers["/search?q=weir+bridge&limit=2"] = reply(
        json.dumps([hit, undated, hit]).encode(), content_type="application/json"
    )
    results = await SampleWebSearch(client, raw_server.origin + "/").search(" weir bridge ", 2)
    assert results == [
        SearchResult("Bridge", PAGE, "…", date(2025, 10, 3), 4.5),
        SearchResult("Bridge", PAGE, "…", None, 1.0),
    ]


async def test_a_blank_query_asks_nobody(client: httpx.AsyncClient, raw_server: Any) -> None:
    assert await SampleWebSearch(client, raw_server.origin).search("  ", 5) == []
    assert raw_server.requests == []


async def test_a_search_for_less_than_one_result_is_a_mistake_of_the_caller(client: httpx.AsyncClient) -> None:
    with pytest.raises(ValueError, match="at least 1"):
        await SampleWebSearch(client, "http://127.0.0.1:1").search("bridge", 0)


async def test_long_queries_and_large_limits_are_cut_to_what_the_engine_accepts(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers[f"/search?q={'x' * 400}&limit=20"] = reply(b"[]", content_type="application/json")
    assert await SampleWebSearch(client, raw_server.origin).search("x" * 2000, 500) == []


@pytest.mark.parametrize("body", [b"not json", b"{}", b'[{"title": "only"}]'])
async def test_an_answer_that_makes_no_sense_is_permanent(
    body: bytes, client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers["/search?q=a&limit=1"] = reply(body, content_type="application/json")
    with pytest.raises(Permanent, match="cannot be read"):
        await SampleWebSearch(client, raw_server.origin).search("a", 1)


async def test_a_search_is_not_redirected_to_another_server(
    client: httpx.AsyncClient, raw_server: Any, reply: Reply
) -> None:
    raw_server.answers["/search?q=a&limit=1"] = reply(status="302 Found", location="http://127.0.0.1:1/search")
    with pytest.raises(PageUnavailable, match="not redirected"):
        await SampleWebSearch(client, raw_server.origin).search("a", 1)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("0", 0.0),
        ("120", 120.0),
        ("Sat, 04 Oct 2025 10:00:30 GMT", 30.0),
        ("Sat, 04 Oct 2025 09:00:00 GMT", 0.0),
        ("tomorrow", None),
        ("-5", None),
        ("²", None),
    ],
)
def test_retry_after_is_understood_as_seconds_or_as_a_date(value: str | None, seconds: float | None) -> None:
    assert retry_after_seconds(value, datetime(2025, 10, 4, 10, 0, tzinfo=UTC)) == seconds


@pytest.mark.parametrize("wait", [-1.0, float("inf"), float("nan")])
def test_a_pause_must_be_a_finite_number_of_seconds(wait: float) -> None:
    with pytest.raises(ValueError, match="retry_after"):
        Transient("busy", retry_after=wait)
