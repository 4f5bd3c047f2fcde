"""Servers that lie, drip, flood or never end: each fetch ends soon, small, and with one clear cause."""

import asyncio
import gzip
import tracemalloc
import zlib
from dataclasses import replace
from datetime import timedelta

import pytest

from agents.evidence.documents import Document
from agents.evidence.fetched import read_fetched
from agents.evidence.web import FetchFailed, SizeLimits, TimeLimits
from tests.unit.evidence_web.local_web import (
    Answering,
    Authority,
    Clock,
    Names,
    Site,
    Switchboard,
    fetcher,
    head,
    page,
    redirect,
    serving,
)

SMALL = SizeLimits(headers=4_096, body=20_000, unpacked=40_000, ratio=50.0, ratio_from=1_000)
# Long enough for a busy machine, short enough for a test: only servers that never answer wait for them.
BRIEF = TimeLimits(first_byte=0.6, idle=0.4, total=5.0)


async def cause_of(site: Site, answer: bytes | Answering, times: TimeLimits | None = None) -> str:
    site.answers["/page"] = answer
    with pytest.raises(FetchFailed) as failed:
        await fetcher(site.origin, sizes=SMALL, times=times).fetch(f"{site.origin}/page")
    assert str(failed.value).startswith("http")
    return failed.value.reason


def packed(body: bytes, encoding: str = "gzip") -> bytes:
    squeezed = gzip.compress(body, mtime=0) if encoding.endswith("gzip") else zlib.compress(body)
    return page(squeezed, f"Content-Encoding: {encoding}")


def chunked(*chunks: bytes) -> bytes:
    framed = b"".join(b"%x\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks)
    return head(200, "Transfer-Encoding: chunked") + framed


NOISE = bytes(range(1, 256)) * 100
# A hundred million zeros as brotli packs them.
BROTLI_BOMB = bytes.fromhex(
    "cfffff7f002400e2b14072effff9ffff0f8004401c1680eefd3fffffff01900088c302d0bdffe7ffff3f001200715800"
    "baf7fffcffff074002200e0b40f7fe3fffc1eb014800c46101e862d703"
)

ANSWERS: list[tuple[str, bytes, str]] = [
    ("a picture", page(kind="image/png"), "content_type"),
    ("a program", page(kind="application/octet-stream"), "content_type"),
    ("no content type", page(kind=None), "content_type"),
    ("a content type with a list", page(kind="text/html, image/png"), "content_type"),
    ("a picture that says it is HTML", page(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + b"data" * 20), "content_type"),
    ("HTML that says it is a PDF", page(kind="application/pdf"), "content_type"),
    ("two content types", page(b"x", "Content-Type: image/png"), "protocol"),
    ("two lengths", head(200, "Content-Length: 5", "Content-Length: 6") + b"hello!", "protocol"),
    ("a length that is no number", head(200, "Content-Length: five") + b"hello", "protocol"),
    ("a negative length", head(200, "Content-Length: -5") + b"hello", "protocol"),
    ("a length beyond all bounds", head(200, f"Content-Length: {10**19}") + b"x", "too_large"),
    ("a length over the limit", head(200, "Content-Length: 20001") + b"x", "too_large"),
    ("a body over the limit without a length", head(200) + b"x" * 20_001, "too_large"),
    ("chunks over the limit", chunked(*[b"x" * 1_000] * 21), "too_large"),
    ("a body that breaks off", head(200, "Content-Length: 100") + b"short", "protocol"),
    ("chunks that break off", chunked(b"hello"), "protocol"),
    ("a chunk of no size", head(200, "Transfer-Encoding: chunked") + b"zz\r\nhello\r\n", "protocol"),
    ("a gzip bomb", packed(b"\0" * 3_000_000), "bomb"),
    ("a zlib bomb", packed(b"a" * 3_000_000, "deflate"), "bomb"),
    ("packed under the ratio and over the size", packed(b"".join(n.to_bytes(4) for n in range(11_000))), "too_large"),
    ("a brotli bomb", page(BROTLI_BOMB, "Content-Encoding: br"), "encoding"),
    ("a brotli bomb that says it is gzip", page(BROTLI_BOMB, "Content-Encoding: gzip"), "encoding"),
    ("brotli", page(b"\x8b\x02\x80hello\x03", "Content-Encoding: br"), "encoding"),
    ("zstandard", page(b"\x28\xb5\x2f\xfd", "Content-Encoding: zstd"), "encoding"),
    ("packed twice", page(gzip.compress(gzip.compress(b"x")), "Content-Encoding: gzip, gzip"), "encoding"),
    ("packed twice in two headers", page(b"x", "Content-Encoding: gzip", "Content-Encoding: gzip"), "encoding"),
    ("an encoding nobody knows", page(b"x", "Content-Encoding: rot13"), "encoding"),
    ("plain text that says it is packed", page(b"<p>hello</p>", "Content-Encoding: gzip"), "encoding"),
    ("packed and cut", page(gzip.compress(NOISE)[:200], "Content-Encoding: gzip"), "encoding"),
    ("packed with something behind", page(gzip.compress(b"x") + b"more", "Content-Encoding: gzip"), "encoding"),
    ("a large header", head(200, "X-Large: " + "x" * 5_000) + b"x", "headers_too_large"),
    ("many headers", head(200, *[f"X-{n}: value" for n in range(500)]) + b"x", "headers_too_large"),
    ("a header that does not end", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 300_000, "headers_too_large"),
    ("endless provisional answers", b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" * 9_000, "headers_too_large"),
    ("not HTTP", b"SSH-2.0-OpenSSH_9.6\r\n", "protocol"),
    ("nothing at all", b"", "protocol"),
    ("a header without a name", b"HTTP/1.1 200 OK\r\n: x\r\n\r\n", "protocol"),
    ("a status of letters", b"HTTP/1.1 abc OK\r\n\r\n", "protocol"),
    ("not found", head(404), "not_found"),
    ("gone", head(410), "not_found"),
    ("forbidden", head(403), "bad_status"),
    ("legal reasons", head(451), "bad_status"),
    ("no content", head(204, kind=None), "bad_status"),
    ("part of a page", head(206) + b"x", "bad_status"),
    ("a broken server", head(500), "bad_status"),
    ("a redirect to nowhere", head(302), "bad_status"),
    ("a busy server", head(429, "Retry-After: 5"), "busy"),
    ("a server in maintenance", head(503, "Retry-After: never"), "busy"),
]


@pytest.mark.parametrize(("answer", "cause"), [pytest.param(a, c, id=name) for name, a, c in ANSWERS])
async def test_a_bad_answer_has_one_cause(answer: bytes, cause: str, site: Site) -> None:
    assert await cause_of(site, answer) == cause


async def test_a_body_without_end_is_cut_at_the_limit(site: Site) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200))
        while True:
            writer.write(b"x" * 1_000)
            await writer.drain()

    assert await cause_of(site, endless) == "too_large"


async def test_framing_without_end_around_a_tiny_body_is_cut(site: Site) -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(head(200, "Transfer-Encoding: chunked"))
        while True:
            writer.write(b"1;" + b"padding" * 500 + b"\r\nx\r\n")
            await writer.drain()

    assert await cause_of(site, endless) == "headers_too_large"


async def silent(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def half_a_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-")
    await silent(writer)


async def dripping_head(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"X: y\r\n")
        await writer.drain()
        await asyncio.sleep(0.02)


async def half_a_body(writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, "Content-Length: 100") + b"<p>")
    await silent(writer)


@pytest.mark.parametrize(
    ("answering", "times", "cause"),
    [
        (silent, replace(BRIEF, idle=5.0), "first_byte_timeout"),
        (half_a_head, replace(BRIEF, idle=5.0), "first_byte_timeout"),
        (dripping_head, BRIEF, "first_byte_timeout"),
        (silent, replace(BRIEF, first_byte=5.0), "idle_timeout"),
        (half_a_body, BRIEF, "idle_timeout"),
        (half_a_body, TimeLimits(total=0.6), "total_timeout"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
async def test_a_server_that_falls_silent_is_given_up(
    answering: Answering, times: TimeLimits, cause: str, site: Site
) -> None:
    assert await cause_of(site, answering, times) == cause


async def test_a_body_that_drips_is_given_up_by_its_rate(site: Site) -> None:
    site.answers |= {"/robots.txt": head(404, "Content-Length: 0"), "/page": chunked(*[b"x" * 10] * 50)}
    # Each look at the clock is a second later: ten bytes a second, where 2,000 are asked for after three.
    reader = fetcher(site.origin, clock=Clock(step=1.0))
    with pytest.raises(FetchFailed, match="bytes a second") as failed:
        await reader.fetch(f"{site.origin}/page")
    assert failed.value.reason == "slow_drip"


async def test_a_body_that_comes_fast_enough_is_not_given_up(site: Site) -> None:
    site.answers["/page"] = page(b"x" * 50_000)
    assert len((await fetcher(site.origin, clock=Clock(step=1.0)).fetch(f"{site.origin}/page")).body) == 50_000


async def flood(writer: asyncio.StreamWriter) -> None:
    writer.write(head(200))
    while True:
        writer.write(b"x" * 100_000)
        await writer.drain()


async def flood_of_framing(writer: asyncio.StreamWriter) -> None:
    writer.write(head(200, "Transfer-Encoding: chunked"))
    while True:
        writer.write(b"1;" + b"padding" * 5_000 + b"\r\nx\r\n")
        await writer.drain()


MEMORY_OF_ONE_FETCH = 12_000_000
"""The body's limit twice (collected and handed over) and the buffers on the way: the bound that the handbook states."""


@pytest.mark.parametrize(
    ("answer", "cause"),
    [
        pytest.param(packed(b"\0" * 100_000_000), "bomb", id="gzip bomb"),
        pytest.param(packed(b"a" * 100_000_000, "deflate"), "bomb", id="zlib bomb"),
        pytest.param(page(BROTLI_BOMB, "Content-Encoding: br"), "encoding", id="brotli bomb"),
        pytest.param(head(200, f"Content-Length: {10**12}") + b"x" * 100_000, "too_large", id="announced"),
        pytest.param(b"HTTP/1.1 200 OK\r\nX: " + b"x" * 3_000_000, "headers_too_large", id="header"),
        pytest.param(flood, "too_large", id="endless body"),
        pytest.param(flood_of_framing, "headers_too_large", id="endless framing"),
    ],
)
async def test_whatever_a_server_sends_one_fetch_takes_little_memory(
    answer: bytes | Answering, cause: str, site: Site
) -> None:
    site.answers["/page"] = answer
    reader = fetcher(site.origin)
    tracemalloc.start()
    try:
        with pytest.raises(FetchFailed) as failed:
            await reader.fetch(f"{site.origin}/page")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert failed.value.reason == cause
    assert peak < MEMORY_OF_ONE_FETCH


async def test_nothing_that_a_page_contains_is_followed_or_run(site: Site, inside: Site) -> None:
    lures = (
        f'<meta http-equiv="refresh" content="0; url={inside.origin}/1"><base href="{inside.origin}/">'
        f'<link rel="stylesheet" href="{inside.origin}/2"><link rel="canonical" href="{inside.origin}/3">'
        f'<script src="{inside.origin}/4"></script><script>location = "{inside.origin}/5"</script>'
        f'<iframe src="{inside.origin}/6"></iframe><img src="{inside.origin}/7">'
        f'<object data="{inside.origin}/8"></object>'
        f'<!DOCTYPE x [<!ENTITY e SYSTEM "{inside.origin}/9">]><p>&e;</p>'
    )
    told = "The harbour bridge was closed to all traffic on Monday, the port authority said in the morning. " * 3
    body = f"<html><head><title>T</title>{lures}</head><body><article><p>{told}</p></article></body></html>"
    site.answers["/page"] = page(body.encode())
    fetched = await fetcher(site.origin).fetch(f"{site.origin}/page")
    read = await read_fetched(fetched, f"{site.origin}/page")
    assert isinstance(read, Document)
    assert "port authority" in read.page.text
    assert "location" not in read.page.text
    assert (inside.connections, site.pages) == (0, ["/page"])


async def test_a_redirect_loop_is_noticed(site: Site) -> None:
    site.answers |= {"/page": redirect("/other"), "/other": redirect("/page#again")}
    assert await cause_of(site, redirect("/other")) == "redirect_loop"
    assert site.pages == ["/page", "/other"]


async def test_five_redirects_are_followed_and_six_are_not(site: Site) -> None:
    site.answers |= {f"/{n}": redirect(f"/{n + 1}") for n in range(1, 6)} | {"/6": page()}
    found = await fetcher(site.origin).fetch(f"{site.origin}/1")
    assert (found.url, found.final_url) == (f"{site.origin}/1", f"{site.origin}/6")
    assert await cause_of(site, redirect("/1")) == "too_many_redirects"


@pytest.mark.parametrize(
    ("served", "trusted", "lasts"),
    [("other.test", True, 1), ("site.test", False, 1), ("site.test", True, -1)],
    ids=["another name", "an unknown authority", "expired"],
)
async def test_an_invalid_certificate_is_refused_before_anything_is_said(
    served: str, trusted: bool, lasts: int, authority: Authority
) -> None:
    context = authority.server_context(served, timedelta(days=lasts))
    async with serving(Site({"/": page()}), context) as site:
        names = Names({"site.test": [["93.184.216.34"]]})
        trust = {"ssl_context": authority.client_context()} if trusted else {}
        reader = fetcher(resolver=names, dialler=Switchboard(site.port), **trust)
        with pytest.raises(FetchFailed) as failed:
            await reader.fetch("https://site.test/")
        assert failed.value.reason == "tls"
        assert site.asked == []


async def test_a_valid_certificate_is_verified_against_the_name_not_the_address(authority: Authority) -> None:
    async with serving(Site({"/": page()}), authority.server_context("site.test")) as site:
        reader = fetcher(
            resolver=Names({"site.test": [["93.184.216.34"]]}),
            dialler=Switchboard(site.port),
            ssl_context=authority.client_context(),
        )
        assert (await reader.fetch("https://site.test/")).body == b"<p>Hello</p>"


async def test_plain_http_where_tls_is_expected_is_refused() -> None:
    def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(page())
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        dialler = Switchboard(server.sockets[0].getsockname()[1])
        reader = fetcher(resolver=Names({"site.test": [["93.184.216.34"]]}), dialler=dialler)
        with pytest.raises(FetchFailed) as failed:
            await reader.fetch("https://site.test/")
    assert failed.value.reason == "tls"


@pytest.mark.parametrize(
    ("named", "body", "charset"),
    [
        ("utf-8", "Straße".encode(), "utf-8"),
        ("UTF8", "Straße".encode(), "utf-8"),
        ("iso-8859-1", "Straße".encode("latin-1"), "iso8859-1"),
        ("utf-8", "Straße".encode("latin-1"), None),
        ("utf-16", b"<p>plain ascii text.</p>", None),
        ("utf-16", "<p>wide text</p>".encode("utf-16"), "utf-16"),
        ("utf-7", b"+ADw-script+AD4-", None),
        ("unicode_escape", b"\\x3cscript\\x3e", None),
        ("zlib", b"<p>text</p>", None),
        ("idna", b"<p>text</p>", None),
        ("no-such-charset", b"<p>text</p>", None),
        ("'utf-8'", b"<p>text</p>", "utf-8"),
        ("", b"<p>text</p>", None),
        ("x" * 3_000, b"<p>text</p>", None),
    ],
)
async def test_a_charset_is_believed_only_if_the_body_is_written_in_it(
    named: str, body: bytes, charset: str | None, site: Site
) -> None:
    site.answers["/"] = page(body, kind=f"text/html; charset={named}")
    found = await fetcher(site.origin).fetch(f"{site.origin}/")
    assert (found.charset, found.body, found.content_type) == (charset, body, "text/html")


@pytest.mark.parametrize("encoding", ["gzip", "x-gzip", "deflate", "GZIP"])
async def test_a_packed_page_is_unpacked(encoding: str, site: Site) -> None:
    site.answers["/"] = packed(b"<p>Hello</p>" * 100, encoding.lower()).replace(
        encoding.lower().encode(), encoding.encode(), 1
    )
    assert (await fetcher(site.origin).fetch(f"{site.origin}/")).body == b"<p>Hello</p>" * 100
