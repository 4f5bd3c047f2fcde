"""Whether a request comes straight from this machine: what stands in for a key in embedded mode, and nothing else."""

import ipaddress
from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.requests import Request

PASSED_ON = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip", "via")
"""What proxies add. None of it is believed; that it is there at all says that somebody else is asking."""


def why_not_local(request: Request, origins: Sequence[str]) -> str | None:
    """None for a request from this machine itself, else what speaks against it.

    The peer's address alone is not enough: a reverse proxy on this machine has a loopback address too, and so has the
    browser of whoever sits here, on behalf of any page it shows. So the request must not have been passed on, must
    name this machine as its host (a page that rebinds its name in DNS cannot), and must not come from another origin.
    """
    if request.client is None or not _is_loopback(request.client.host):
        return "it does not come from this machine"
    passed_on = next((name for name in PASSED_ON if name in request.headers), None)
    if passed_on is not None:
        return f"a proxy passed it on (header {passed_on})"
    host = _host(f"//{request.headers.get('host', '')}")
    if host != "localhost" and not _is_loopback(host):
        return "its Host header does not name this machine"
    origin = request.headers.get("origin")
    if origin is not None and origin.lower() not in origins and urlsplit(origin).netloc != request.headers.get("host"):
        return "a page of another origin sent it"
    return None


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _is_loopback(host: str) -> bool:
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
