"""How the fetcher behaves: robots.txt, turns per domain, its name, how much it does at once."""

import asyncio

import pytest

from agents.evidence.web import FetchFailed, Manners, OpenWebFetcher, Origin, TimeLimits, WebPolicy
from agents.evidence.web.politeness import Turns
from agents.evidence.web.robots import parse_robots
from tests.unit.evidence_web.local_web import (
    Clock,
    Names,
    Site,
    Switchboard,
    fetcher,
    head,
    page,
    policy,
    redirect,
    system_trust,
)


def robots(text: str) -> bytes:
    return page(text.encode(), kind="text/plain")


ROBOTS = """
User-agent: other
Disallow: /

User-agent: *
Disallow: /everyone

User-agent: Veristream
User-agent: SomeoneElse/2.0
Crawl-delay: 4
Disallow: /private
Allow: /private/press
Disallow: /*.php$
Disallow: /search?*q=
Disallow: /caf%C3%A9   # a comment
Disallow:
"""


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        ("/", True),
        ("/everyone", True),
        ("/private", False),
        ("/private/diary", False),
        ("/private/press/1", True),
        ("/a/b.php", False),
        ("/a/b.php?x=1", True),
        ("/search?lang=en&q=1", False),
        ("/search?lang=en", True),
        ("/café/menu", False),
        ("/caf%c3%a9/menu", False),
    ],
)
def test_the_longest_rule_of_our_own_group_decides(path: str, allowed: bool) -> None:
    rules = parse_robots(ROBOTS, "veristream")
    assert rules.allows(path) is allowed
    assert rules.crawl_delay == 4.0


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("", True),
        ("<html>not found</html>", True),
        ("Disallow: /", True),  # before any group: nobody's rule
        ("User-agent: *\nDisallow: /", False),
        ("\ufeffuser-agent:*\ndisallow:/", False),
        ("User-agent: veristream-beta\nDisallow: /", True),
        ("User-agent: *\nDisallow: /\nUser-agent: veristream\nDisallow:", True),
        ("User-agent: veristream\nDisallow: /a\n\nUser-agent: veristream\nDisallow: /news", False),
        ("User-agent: *\nDisallow: /news\nAllow: /news", True),  # equally long: the permission wins
        ("User-agent: *\nCrawl-delay: soon\nDisallow: " + "*a" * 500, True),
    ],
)
def test_robots_files_as_they_are_found(text: str, allowed: bool) -> None:
    assert parse_robots(text, "veristream").allows("/news") is allowed


async def test_a_page_that_robots_excludes_is_not_asked_for(site: Site) -> None:
    site.answers |= {"/robots.txt": robots("User-agent: *\nDisallow: /private"), "/private": page(), "/open": page()}
    reader = fetcher(site.origin)
    with pytest.raises(FetchFailed, match="asks not to read") as failed:
        await reader.fetch(f"{site.origin}/private")
    assert failed.value.reason == "robots"
    await reader.fetch(f"{site.origin}/open")
    # One robots.txt for both.
    assert site.asked == ["/robots.txt", "/open"]


async def test_robots_holds_behind_a_redirect_too(site: Site) -> None:
    site.answers |= {"/robots.txt": robots("User-agent: *\nDisallow: /private"), "/go": redirect("/private")}
    with pytest.raises(FetchFailed) as failed:
        await fetcher(site.origin).fetch(f"{site.origin}/go")
    assert failed.value.reason == "robots"
    assert site.pages == ["/go"]


async def test_robots_is_read_again_when_its_time_is_over(site: Site) -> None:
    site.answers |= {"/robots.txt": robots(""), "/": page()}
    clock = Clock()
    reader = fetcher(site.origin, clock=clock, sleep=clock.sleep)
    for wait in (0.0, 3_599.0, 2.0):
        clock.moment += wait
        await reader.fetch(f"{site.origin}/")
    assert site.asked.count("/robots.txt") == 2


@pytest.mark.parametrize("status", [500, 503, 429])
async def test_a_site_whose_robots_cannot_be_had_is_left_alone_for_a_while(status: int, site: Site) -> None:
    site.answers |= {"/robots.txt": head(status), "/": page()}
    clock = Clock()
    reader = fetcher(site.origin, clock=clock, sleep=clock.sleep)
    for _ in range(2):
        with pytest.raises(FetchFailed, match="left alone") as failed:
            await reader.fetch(f"{site.origin}/")
        assert failed.value.reason == "robots"
    assert site.asked == ["/robots.txt"]
    site.answers["/robots.txt"] = robots("")
    clock.moment += 301.0
    await reader.fetch(f"{site.origin}/")


@pytest.mark.parametrize("status", [401, 403, 404, 410])
async def test_a_site_without_robots_is_open(status: int, site: Site) -> None:
    site.answers |= {"/robots.txt": head(status), "/": page()}
    assert (await fetcher(site.origin).fetch(f"{site.origin}/")).body


async def test_robots_longer_than_we_read_counts_as_far_as_we_read(site: Site) -> None:
    site.answers |= {"/robots.txt": robots("User-agent: *\nDisallow: /no\n" + "# padding\n" * 200_000), "/": page()}
    reader = fetcher(site.origin)
    await reader.fetch(f"{site.origin}/")
    with pytest.raises(FetchFailed):
        await reader.fetch(f"{site.origin}/no")


async def test_pages_of_one_site_asked_for_at_once_share_one_robots(site: Site) -> None:
    site.answers |= {"/robots.txt": robots("")} | {f"/{n}": page() for n in range(5)}
    reader = fetcher(site.origin)
    await asyncio.gather(*(reader.fetch(f"{site.origin}/{n}") for n in range(5)))
    assert site.asked.count("/robots.txt") == 1


async def test_a_request_says_who_we_are_and_carries_nothing_else(site: Site) -> None:
    site.answers["/"] = page(b"x", "Set-Cookie: id=1")
    reader = fetcher(site.origin)
    await reader.fetch(f"{site.origin}/")
    await reader.fetch(f"{site.origin}/")
    names = [line.split(":")[0].lower() for line in site.heads[-1].split("\r\n")[1:] if line]
    assert names == ["host", "user-agent", "accept", "accept-encoding", "connection"]
    assert "User-Agent: Veristream/" in site.heads[-1]


async def test_requests_to_one_domain_keep_their_distance_and_others_do_not_wait() -> None:
    clock = Clock()
    turns = Turns(Manners(interval=1.0), clock, clock.sleep)
    await turns.take("a.test", "u")
    await turns.take("b.test", "u")
    await turns.take("a.test", "u")
    await turns.take("a.test", "u", 4.0)
    await turns.take("a.test", "u")
    assert clock.slept == [1.0, 1.0, 4.0]


async def test_who_would_wait_too_long_for_a_turn_gives_up() -> None:
    clock = Clock()
    turns = Turns(Manners(max_wait=5.0), clock, clock.sleep)
    turns.hold("a.test", 6.0)
    with pytest.raises(FetchFailed) as failed:
        await turns.take("a.test", "u")
    assert failed.value.reason == "politeness"
    clock.moment += 2.0
    await turns.take("a.test", "u")
    assert clock.slept == [4.0]


async def test_an_endless_crawl_delay_is_honoured_up_to_a_limit() -> None:
    clock = Clock()
    turns = Turns(Manners(max_interval=10.0), clock, clock.sleep)
    await turns.take("a.test", "u", 86_400.0)
    await turns.take("a.test", "u")
    assert clock.slept == [10.0]


async def test_turns_forget_the_domains_that_are_free_again_first() -> None:
    clock = Clock()
    turns = Turns(Manners(memory=2, max_wait=100.0), clock, clock.sleep)
    turns.hold("held.test", 50.0)
    await turns.take("a.test", "u")
    clock.moment += 2.0
    await turns.take("b.test", "u")
    await turns.take("held.test", "u")
    assert clock.slept == [48.0]


async def test_a_server_that_asks_for_time_gets_it(site: Site) -> None:
    site.answers |= {"/busy": head(429, "Retry-After: 9"), "/": page()}
    clock = Clock()
    reader = fetcher(site.origin, clock=clock, sleep=clock.sleep)
    with pytest.raises(FetchFailed):
        await reader.fetch(f"{site.origin}/busy")
    await reader.fetch(f"{site.origin}/")
    assert clock.slept == [9.0]


async def test_hosts_of_one_registered_domain_share_their_turns(site: Site) -> None:
    site.answers["/"] = page()
    clock = Clock()
    names = Names({host: [["93.184.216.34"]] for host in ("www.bbc.co.uk", "news.bbc.co.uk", "other.co.uk")})
    reader = OpenWebFetcher(
        WebPolicy(), resolver=names, dialler=Switchboard(site.port), ssl_context=system_trust(),
        clock=clock, sleep=clock.sleep,
    )  # fmt: skip
    for host in names.answers:
        await reader.fetch(f"http://{host}/")
    assert clock.slept == [1.0]


async def test_no_more_pages_are_in_flight_than_there_are_places(site: Site) -> None:
    gate = asyncio.Barrier(5)

    async def together(writer: asyncio.StreamWriter) -> None:
        # Answers only when five are waiting: fewer in flight would hang, more would raise the count.
        async with asyncio.timeout(10):
            await gate.wait()
        writer.write(page())
        await writer.drain()

    urls = [f"{site.origin}/{n}" for n in range(10)]
    site.answers |= {f"/{n}": together for n in range(10)} | {"/robots.txt": robots("")}
    limited = policy(site.origin, max_concurrent=5)
    reader = OpenWebFetcher(limited, resolver=Names(), ssl_context=system_trust())
    found = await asyncio.gather(*map(reader.fetch, urls))
    assert [page.url for page in found] == urls
    assert site.most_in_flight == 5


async def test_a_fetch_that_finds_no_place_says_so(site: Site) -> None:
    opened = asyncio.Event()
    release = asyncio.Event()

    async def holding(writer: asyncio.StreamWriter) -> None:
        opened.set()
        await release.wait()
        writer.write(page())
        await writer.drain()

    site.answers["/slow"] = holding
    limited = policy(site.origin, max_concurrent=1, times=TimeLimits(queue=0.05))
    reader = OpenWebFetcher(limited, resolver=Names(), ssl_context=system_trust())
    first = asyncio.create_task(reader.fetch(f"{site.origin}/slow"))
    async with asyncio.timeout(10):
        await opened.wait()
        with pytest.raises(FetchFailed) as failed:
            await reader.fetch(f"{site.origin}/other")
        assert failed.value.reason == "queue"
        release.set()
        assert (await first).body


async def test_who_waits_for_a_turn_holds_no_place(site: Site) -> None:
    asked_to_sleep = asyncio.Event()

    async def sleep(seconds: float) -> None:
        asked_to_sleep.set()
        await asyncio.Event().wait()

    site.answers["/"] = page()
    names = Names({host: [["93.184.216.34"]] for host in ("a.test", "b.test")})
    reader = OpenWebFetcher(
        WebPolicy(max_concurrent=1), resolver=names, dialler=Switchboard(site.port), ssl_context=system_trust(),
        clock=Clock(), sleep=sleep,
    )  # fmt: skip
    await reader.fetch("http://a.test/")
    waiting = asyncio.create_task(reader.fetch("http://a.test/"))
    async with asyncio.timeout(10):
        await asked_to_sleep.wait()
        assert (await reader.fetch("http://b.test/")).body
    waiting.cancel()


@pytest.mark.parametrize("bad", [{"max_concurrent": 0}, {"max_redirects": -1}])
def test_a_policy_without_sense_is_refused(bad: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="at least"):
        WebPolicy(**bad)  # type: ignore[arg-type] # one number at a time


def test_an_origin_has_the_port_of_its_scheme() -> None:
    assert Origin.of("https://a.test/") == Origin("https", "a.test", 443)
