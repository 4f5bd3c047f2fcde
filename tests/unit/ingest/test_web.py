"""Named addresses are fetched wherever they lie; what they point to is fetched on their own site only."""

import pytest

from agents.errors import DependencyDown
from agents.evidence.documents import FeedMemory, Piece, Skip, Visit, read_address
from agents.evidence.documents.feeds import read_feed
from agents.evidence.documents.web import WEIGHT, same_site
from agents.evidence.http import open_client
from agents.evidence.ports import FetchedPage
from tests.unit.evidence.conftest import RawServer, reply
from tests.unit.evidence.conftest import raw_server as raw_server  # noqa: PLC0414 - a fixture, used by its name
from tests.unit.ingest.makers import ARTICLE, html, pdf


class Elsewhere:
    """The fetcher for the rest of the web, as a list of what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def fetch(self, url: str) -> FetchedPage:
        self.asked.append(url)
        if "down" in url:
            raise DependencyDown("the web", "no route")
        return FetchedPage(url, url, "text/html", "utf-8", html().encode())


async def read(url: str, outside: Elsewhere | None = None, feeds: FeedMemory | None = None) -> list[Piece]:
    async with open_client() as client:
        return [piece async for piece in read_address(url, Visit(client, outside, feeds=feeds or FeedMemory()))]


def rss(*links: str) -> bytes:
    items = "".join(f"<item><title>x</title><link>{link}</link></item>" for link in links)
    return f"<?xml version='1.0'?><rss version='2.0'><channel><title>f</title>{items}</channel></rss>".encode()


def outcomes(pieces: list[Piece]) -> list[tuple[str, str]]:
    return [(item.where, item.reason) if isinstance(item, Skip) else (item.page.url, item.method) for item, _ in pieces]


@pytest.mark.parametrize(
    ("path", "content_type", "body", "method"),
    [
        ("/page", "text/html; charset=utf-8", html().encode(), "trafilatura"),
        ("/r.pdf", "application/pdf", pdf([ARTICLE]), "pypdf"),
        ("/r.md", "text/markdown", b"# T\n\nText of it.", "markdown"),
        ("/r.txt", "text/plain", b"Text of it.", "text"),
    ],
)
async def test_a_named_address_is_read_as_what_it_is(
    raw_server: RawServer, path: str, content_type: str, body: bytes, method: str
) -> None:
    raw_server.answers[path] = reply(body, content_type=content_type)
    assert outcomes(await read(raw_server.origin + path)) == [(raw_server.origin + path, method)]


async def test_json_lines_on_the_web_are_many_documents(raw_server: RawServer) -> None:
    raw = b'{"id": 1, "text": "One."}\n{"id": 2, "text": "Two."}\n'
    raw_server.answers["/corpus.jsonl"] = reply(raw, content_type="application/octet-stream")
    found = outcomes(await read(f"{raw_server.origin}/corpus.jsonl"))
    assert found == [("doc:corpus/1", "json"), ("doc:corpus/2", "json")]


async def test_the_pages_of_a_feed_are_read_from_its_own_site(raw_server: RawServer) -> None:
    origin = raw_server.origin
    links = [f"{origin}/{n}?utm_source=rss" for n in range(7)]
    raw_server.answers["/feed"] = reply(rss(*links, links[0]), content_type="application/rss+xml")
    for n in range(6):
        raw_server.answers[f"/{n}"] = reply(html(title=f"Page {n}").encode())
    found = await read(f"{origin}/feed")
    assert outcomes(found) == [
        *((f"{origin}/{n}", "trafilatura") for n in range(6)),
        (f"{origin}/6", "unreachable"),
    ]
    assert [piece.consumed for piece in found] == sorted(piece.consumed for piece in found)
    assert found[-1].consumed == WEIGHT


async def test_a_feed_does_not_lead_us_into_other_sites(raw_server: RawServer) -> None:
    raw_server.answers["/feed"] = reply(rss("http://localhost:1/admin"), content_type="text/xml")
    assert outcomes(await read(f"{raw_server.origin}/feed")) == [("http://localhost:1/admin", "refused")]


async def test_other_sites_of_a_feed_are_left_to_the_products_own_fetcher(raw_server: RawServer) -> None:
    links = ("https://news.org/a", "https://down.org/b")
    raw_server.answers["/feed"] = reply(rss(*links), content_type="text/xml")
    elsewhere = Elsewhere()
    assert outcomes(await read(f"{raw_server.origin}/feed", elsewhere)) == [
        ("https://news.org/a", "trafilatura"),
        ("https://down.org/b", "unreachable"),
    ]
    assert elsewhere.asked == list(links)


async def test_a_redirect_to_another_site_is_refused_with_its_address(raw_server: RawServer) -> None:
    raw_server.answers["/moved"] = reply(status="302 Found", location="http://localhost:1/secret")
    (piece,) = await read(f"{raw_server.origin}/moved")
    assert isinstance(piece.item, Skip)
    assert piece.item.reason == "refused"
    assert "http://localhost:1/secret" in piece.item.detail


async def test_a_redirect_within_the_site_is_followed(raw_server: RawServer) -> None:
    raw_server.answers["/old"] = reply(status="301 Moved Permanently", location="/new")
    raw_server.answers["/new"] = reply(html().encode())
    assert outcomes(await read(f"{raw_server.origin}/old")) == [(f"{raw_server.origin}/old", "trafilatura")]


async def test_pages_of_a_feed_that_were_read_today_are_not_fetched_again(raw_server: RawServer) -> None:
    origin = raw_server.origin
    raw_server.answers["/feed"] = reply(rss(f"{origin}/a", f"{origin}/b"), content_type="text/xml")
    raw_server.answers["/b"] = reply(html().encode())
    memory = FeedMemory(known=frozenset({f"{origin}/a"}))
    found = outcomes(await read(f"{origin}/feed", feeds=memory))
    assert found == [(f"{origin}/a", "read_today"), (f"{origin}/b", "trafilatura")]
    assert raw_server.requests == ["/feed", "/b"]
    assert memory.read == {f"{origin}/b"}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(b"x", content_type="image/png"), "unknown_type"),
        (reply(b"x", content_type="application/octet-stream"), "unknown_type"),
        (reply(b"not a feed", content_type="application/rss+xml"), "unreadable"),
        (reply(b"", content_length="999999999"), "too_large"),
        (reply(status="403 Forbidden"), "unreachable"),
        (reply(status="503 Unavailable"), "unreachable"),
        (reply(rss("mailto:x", "nothing"), content_type="text/xml"), "unreadable"),
    ],
)
async def test_an_address_that_gives_no_document_says_why(raw_server: RawServer, answer: bytes, reason: str) -> None:
    raw_server.answers["/x"] = answer
    assert [why for _, why in outcomes(await read(f"{raw_server.origin}/x"))] == [reason]


async def test_a_server_that_is_not_there_is_unreachable(unused_tcp_port: int) -> None:
    assert outcomes(await read(f"http://127.0.0.1:{unused_tcp_port}/"))[0][1] == "unreachable"


def test_an_atom_feed_names_its_pages_once_each() -> None:
    atom = (
        b'<feed xmlns="http://www.w3.org/2005/Atom"><title>f</title>'
        b'<entry><title>a</title><link href="https://a.org/1"/><id>x</id></entry>'
        b"<entry><title>b</title><id>https://a.org/2</id></entry>"
        b'<entry><title>a again</title><link href="https://a.org/1?utm_source=f"/><id>y</id></entry></feed>'
    )
    entries = read_feed(atom)
    assert not isinstance(entries, str)
    assert [(entry.url, entry.title) for entry in entries] == [("https://a.org/1", "a"), ("https://a.org/2", "b")]


@pytest.mark.parametrize(
    "raw", [b"", b"<html></html>", b'<!DOCTYPE r [<!ENTITY a "aaaa">]><rss>&a;</rss>', b"\x00\xff"]
)
def test_what_is_no_feed_is_said_to_be_none(raw: bytes) -> None:
    assert isinstance(read_feed(raw), str)


@pytest.mark.parametrize(
    ("named", "other", "same"),
    [
        ("example.org", "www.example.org", True),
        ("feeds.example.org", "example.org", True),
        ("example.org", "evilexample.org", False),
        ("a.github.io", "b.github.io", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("example.org", "127.0.0.1", False),
        ("", "", False),
    ],
)
def test_a_site_is_a_host_and_what_lies_under_it(named: str, other: str, same: bool) -> None:
    assert same_site(named, other) is same
