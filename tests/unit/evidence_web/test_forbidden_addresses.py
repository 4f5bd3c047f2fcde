"""No request leaves for an address that is not public, however it is written, resolved or redirected to."""

import pytest

from agents.evidence.web import FetchFailed, OpenWebFetcher, WebPolicy
from agents.evidence.web.resolver import SystemResolver
from tests.unit.evidence_web.local_web import Names, Site, Switchboard, fetcher, page, policy, redirect, system_trust

PUBLIC = "93.184.216.34"

ADDRESSES = [
    ("http://127.0.0.1/", "forbidden_address"),
    ("http://127.0.0.1:8080/", "forbidden_address"),
    ("http://127.8.9.10/", "forbidden_address"),
    ("http://0.0.0.0/", "forbidden_address"),
    ("http://10.1.2.3/", "forbidden_address"),
    ("http://172.16.0.1/", "forbidden_address"),
    ("http://172.31.255.255/", "forbidden_address"),
    ("http://192.168.1.1/", "forbidden_address"),
    ("http://100.64.0.1/", "forbidden_address"),
    ("http://100.100.100.200/latest/meta-data/", "forbidden_address"),
    ("http://169.254.169.254/latest/meta-data/", "forbidden_address"),
    ("http://168.63.129.16/machine", "forbidden_address"),
    ("http://192.0.0.192/opc/v2/", "forbidden_address"),
    ("http://198.18.0.1/", "forbidden_address"),
    ("http://203.0.113.7/", "forbidden_address"),
    ("http://224.0.0.1/", "forbidden_address"),
    ("http://255.255.255.255/", "forbidden_address"),
    ("http://240.0.0.1/", "forbidden_address"),
    ("http://2130706433/", "address_form"),
    ("http://017700000001/", "address_form"),
    ("http://0x7f000001/", "address_form"),
    ("http://0177.0.0.1/", "address_form"),
    ("http://0x7f.0.0.1/", "address_form"),
    ("http://127.1/", "address_form"),
    ("http://127.0.1/", "address_form"),
    ("http://127.0.0.01/", "address_form"),
    ("http://256.1.1.1/", "address_form"),
    ("http://1.2.3.4.5/", "address_form"),
    ("http://site.test.0x7f/", "address_form"),
    ("http://127.0.0.1./", "forbidden_address"),
    ("http://①②⑦.⓪.⓪.①/", "forbidden_address"),
    ("http://１２７.0.0.1/", "forbidden_address"),
    ("http://127。0。0。1/", "forbidden_address"),
    ("http://[::1]/", "forbidden_address"),
    ("http://[::]/", "forbidden_address"),
    ("http://[::ffff:127.0.0.1]/", "forbidden_address"),
    ("http://[::ffff:7f00:1]/", "forbidden_address"),
    ("http://[::ffff:93.184.216.34]/", "forbidden_address"),
    ("http://[::127.0.0.1]/", "forbidden_address"),
    ("http://[64:ff9b::7f00:1]/", "forbidden_address"),
    ("http://[64:ff9b:1::a00:1]/", "forbidden_address"),
    ("http://[2002:7f00:1::]/", "forbidden_address"),
    ("http://[2001:0:1::1]/", "forbidden_address"),
    ("http://[fe80::1]/", "forbidden_address"),
    ("http://[fe80::1%25eth0]/", "address_form"),
    ("http://[fc00::1]/", "forbidden_address"),
    ("http://[fd00:ec2::254]/", "forbidden_address"),
    ("http://[ff02::1]/", "forbidden_address"),
    ("http://[2001:db8::1]/", "forbidden_address"),
    ("http://localhost/", "reserved_name"),
    ("http://LOCALHOST./", "reserved_name"),
    ("http://db.localhost/", "reserved_name"),
    ("http://printer.local/", "reserved_name"),
    ("http://metadata.google.internal/computeMetadata/v1/", "reserved_name"),
    ("http://intranet/", "reserved_name"),
    ("http://hidden.onion/", "reserved_name"),
    ("ftp://site.test/", "scheme"),
    ("file:///etc/passwd", "scheme"),
    ("gopher://127.0.0.1:6379/_INFO", "scheme"),
    ("data:text/html,hello", "scheme"),
    ("javascript:alert(1)", "scheme"),
    ("//site.test/", "scheme"),
    ("http://site.test:22/", "port"),
    ("http://site.test:6379/", "port"),
    ("http://site.test:0/", "port"),
    ("http://site.test:99999/", "bad_url"),
    ("http://user:secret@site.test/", "credentials"),
    ("http://site.test@127.0.0.1/", "credentials"),
    ("http://site.test\\@127.0.0.1/", "bad_url"),
    ("http://127.0.0.1\t.site.test/", "bad_url"),
    ("http://site.test/\r\nX-Injected: 1", "bad_url"),
    ("http://site.test /", "bad_url"),
    ("http://site%2etest/", "bad_url"),
    ("http:///nowhere", "bad_url"),
    ("http://[::1/", "bad_url"),
    ("http://" + "a" * 3000 + ".test/", "bad_url"),
]


@pytest.mark.parametrize(("url", "cause"), ADDRESSES)
async def test_an_address_that_is_not_plainly_public_is_refused_without_a_connection(url: str, cause: str) -> None:
    names, switchboard = Names(), Switchboard(port=1)
    reader = fetcher(resolver=names, dialler=switchboard)
    with pytest.raises(FetchFailed) as failed:
        await reader.fetch(url)
    assert failed.value.reason == cause
    assert (names.asked, switchboard.dialled) == ([], [])


@pytest.mark.parametrize(
    "answer",
    [
        ["127.0.0.1"],
        ["10.0.0.1"],
        ["169.254.169.254"],
        ["0.0.0.0"],
        ["::1"],
        ["::ffff:10.0.0.1"],
        ["64:ff9b::a00:1"],
        ["fe80::1%eth0"],
        ["fd12::1"],
        [PUBLIC, "192.168.0.1"],
        ["192.168.0.1", PUBLIC],
        [PUBLIC, "::1"],
    ],
    ids=str,
)
async def test_a_name_with_a_forbidden_address_among_its_own_is_refused(answer: list[str], inside: Site) -> None:
    switchboard = Switchboard(inside.port)
    reader = fetcher(resolver=Names({"site.test": [answer]}), dialler=switchboard)
    with pytest.raises(FetchFailed, match="not on the public internet") as failed:
        await reader.fetch("http://site.test/")
    assert failed.value.reason == "forbidden_address"
    assert (inside.connections, switchboard.dialled) == (0, [])


async def test_the_connection_goes_to_the_checked_address_though_the_name_has_moved_by_then(site: Site) -> None:
    site.answers["/"] = page()
    names = Names({"site.test": [[PUBLIC], [PUBLIC], ["127.0.0.1"]]})
    switchboard = Switchboard(site.port)
    found = await fetcher(resolver=names, dialler=switchboard).fetch("http://site.test/")
    assert found.body == b"<p>Hello</p>"
    # One look-up for robots.txt and one for the page, each dialled at the address that was checked.
    assert switchboard.dialled == [(PUBLIC, 80), (PUBLIC, 80)]
    assert names.asked == ["site.test", "site.test"]


async def test_a_name_that_moves_into_private_space_before_the_page_is_asked_for_is_refused(site: Site) -> None:
    names = Names({"site.test": [[PUBLIC], ["127.0.0.1"]]})
    switchboard = Switchboard(site.port)
    with pytest.raises(FetchFailed) as failed:
        await fetcher(resolver=names, dialler=switchboard).fetch("http://site.test/")
    assert failed.value.reason == "forbidden_address"
    assert site.asked == ["/robots.txt"]


async def test_all_checked_addresses_are_tried_in_their_order() -> None:
    class Refusing(Switchboard):
        async def dial(self, address: str, port: int, timeout_s: float):  # type: ignore[no-untyped-def] # never returns
            self.dialled.append((address, port))
            raise_connect_error()

    switchboard = Refusing(1)
    names = Names({"site.test": [["93.184.216.34", "2606:2800:220:1::1"]]})
    with pytest.raises(FetchFailed) as failed:
        await fetcher(resolver=names, dialler=switchboard).fetch("https://site.test/")
    assert failed.value.reason == "connect"
    assert switchboard.dialled == [("93.184.216.34", 443), ("2606:2800:220:1::1", 443)]


def raise_connect_error() -> None:
    import httpcore

    raise httpcore.ConnectError("refused")


@pytest.mark.parametrize(
    ("answer", "reason"),
    [([[]], "has no address"), ([["not an address"]], "could not be looked up"), (None, "could not be looked up")],
)
async def test_a_name_that_cannot_be_looked_up_is_said_so(answer: list[list[str]] | None, reason: str) -> None:
    names = Names({"site.test": answer} if answer else {})
    with pytest.raises(FetchFailed, match=reason) as failed:
        await fetcher(resolver=names).fetch("http://site.test/")
    assert failed.value.reason == "dns"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_redirect_into_private_space_is_not_followed(status: int, site: Site, inside: Site) -> None:
    site.answers["/go"] = redirect(f"{inside.origin}/secret", status)
    with pytest.raises(FetchFailed) as failed:
        await fetcher(site.origin).fetch(f"{site.origin}/go")
    assert failed.value.reason == "port"
    assert inside.connections == 0


@pytest.mark.parametrize(
    ("to", "cause"),
    [
        ("http://169.254.169.254/latest/", "forbidden_address"),
        ("http://[::1]:8080/", "forbidden_address"),
        ("//127.0.0.1:8080/", "forbidden_address"),
        ("http://2130706433/", "address_form"),
        ("http://0x7f.1:8080/", "address_form"),
        ("http://localhost:8080/", "reserved_name"),
        ("file:///etc/passwd", "scheme"),
        ("ftp://site.test/", "scheme"),
        ("http://a@127.0.0.1/", "credentials"),
        ("http://private.test/", "forbidden_address"),
        ("http://[", "bad_redirect"),
    ],
)
async def test_every_redirect_is_checked_like_a_first_address(to: str, cause: str, site: Site) -> None:
    site.answers |= {"/1": redirect("/2"), "/2": redirect("/3"), "/3": redirect(to)}
    reader = fetcher(site.origin, resolver=Names({"private.test": [["10.0.0.1"]]}))
    with pytest.raises(FetchFailed) as failed:
        await reader.fetch(f"{site.origin}/1")
    assert failed.value.reason == cause
    assert site.pages == ["/1", "/2", "/3"]


async def test_robots_redirected_into_private_space_is_not_followed(site: Site, inside: Site) -> None:
    site.answers |= {"/robots.txt": redirect(f"{inside.origin}/secret"), "/": page()}
    with pytest.raises(FetchFailed) as failed:
        await fetcher(site.origin).fetch(f"{site.origin}/")
    assert failed.value.reason == "port"
    assert (inside.connections, site.pages) == (0, [])


async def test_the_exception_holds_for_its_exact_origin_alone(site: Site, inside: Site) -> None:
    site.answers["/"] = page()
    reader = fetcher(site.origin)
    assert (await reader.fetch(f"{site.origin}/")).body == b"<p>Hello</p>"
    for other in (
        f"http://127.0.0.1:{inside.port}/",
        f"https://127.0.0.1:{site.port}/",
        f"http://localhost:{site.port}/",
    ):
        with pytest.raises(FetchFailed):
            await reader.fetch(other)
    assert inside.connections == 0


async def test_without_an_exception_no_local_server_is_reached(inside: Site) -> None:
    allowed = WebPolicy(ports=frozenset((inside.port,)))
    reader = OpenWebFetcher(allowed, resolver=Names(), ssl_context=system_trust())
    with pytest.raises(FetchFailed) as failed:
        await reader.fetch(f"{inside.origin}/secret")
    assert failed.value.reason == "forbidden_address"
    assert inside.connections == 0


@pytest.mark.parametrize("text", ["127.0.0.1:80", "ftp://a.test", "http://a.test/path", "http://"])
def test_an_exception_that_is_more_or_less_than_an_origin_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="an origin is"):
        policy(text)


async def test_the_machines_own_resolver_is_asked(inside: Site) -> None:
    assert "127.0.0.1" in await SystemResolver().addresses("localhost", inside.port)
