"""Reads an address once, strictly, into the parts a request is made of; whatever two parsers could read in two
ways is refused. Nothing after this looks at the text of the address again.
"""

import ipaddress
import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

import idna

from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import DEFAULT_PORTS, Origin, WebPolicy

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

MAX_URL_LENGTH = 2_048
# Controls, white space and the backslash: one parser skips them, the next one stops there.
_AMBIGUOUS = re.compile(r"[\x00-\x20\x7f\\]|\s")
_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(?<!-)")
# The last label of an IPv4 address in any of its spellings (decimal, octal, hexadecimal, short).
_NUMBER = re.compile(r"\d+|0x[0-9a-f]*")
# Names that lead into somebody's own network, never to the public web (RFC 6761, 6762, 7686, 8375 and custom).
_RESERVED = ("localhost", "local", "internal", "intranet", "lan", "corp", "home", "home.arpa", "onion", "localdomain")
_PATH_SAFE = "/%:@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class Target:
    """One request's destination. `literal` is set when the host is an IP address already."""

    origin: Origin
    path: str
    literal: IpAddress | None

    @property
    def host_header(self) -> str:
        """The Host header: brackets around IPv6, the port only where it is not the scheme's own."""
        host = f"[{self.origin.host}]" if ":" in self.origin.host else self.origin.host
        default = DEFAULT_PORTS[self.origin.scheme] == self.origin.port
        return host if default else f"{host}:{self.origin.port}"

    @property
    def site(self) -> str:
        """Scheme and host with port, as a robots.txt belongs to it."""
        return f"{self.origin.scheme}://{self.host_header}"

    @property
    def url(self) -> str:
        """The address as it is asked for."""
        return f"{self.site}{self.path}"

    def robots(self) -> "Target":
        """The same site's robots.txt."""
        return Target(self.origin, "/robots.txt", self.literal)


def read_target(url: str, policy: WebPolicy) -> Target:
    """The destination of `url`, or FetchFailed with what is wrong with it."""
    if len(url) > MAX_URL_LENGTH or _AMBIGUOUS.search(url):
        raise FetchFailed("bad_url", url[:200], "too long, or with white space, control characters or backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise FetchFailed("bad_url", url, f"not an address: {error}") from error
    if parts.scheme not in DEFAULT_PORTS:
        raise FetchFailed("scheme", url, "only http and https addresses are fetched")
    if "@" in parts.netloc:
        raise FetchFailed("credentials", url, "addresses with a user name are not fetched")
    host, literal = _host(parts.hostname or "", url)
    origin = Origin(parts.scheme, host, DEFAULT_PORTS[parts.scheme] if port is None else port)
    if origin not in policy.exempt:
        _check_place(origin, literal, url, policy)
    path = quote(parts.path or "/", safe=_PATH_SAFE)
    query = f"?{quote(parts.query, safe=_PATH_SAFE + '?')}" if parts.query else ""
    return Target(origin, f"{path}{query}", literal)


def _check_place(origin: Origin, literal: IpAddress | None, url: str, policy: WebPolicy) -> None:
    if origin.port not in policy.ports:
        allowed = ", ".join(map(str, sorted(policy.ports)))
        raise FetchFailed("port", url, f"port {origin.port} is not fetched from, only {allowed}")
    labels = origin.host.split(".")
    reserved = any(origin.host == name or origin.host.endswith(f".{name}") for name in _RESERVED)
    if literal is None and (len(labels) < 2 or reserved):
        raise FetchFailed("reserved_name", url, f"{origin.host} is not a name of the public web")


def _host(host: str, url: str) -> tuple[str, IpAddress | None]:
    """The host in its one canonical spelling."""
    if ":" in host:
        return _ipv6(host, url)
    try:
        name = idna.encode(host, uts46=True).decode("ascii").lower() if not host.isascii() else host.lower()
    except idna.IDNAError as error:
        raise FetchFailed("bad_url", url, f"not a host name: {error}") from error
    name = name.removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        return name, _ipv4(name, url)
    if len(name) > 253 or not all(_NAME.fullmatch(label) for label in labels):
        raise FetchFailed("bad_url", url, "not a host name")
    return name, None


def _ipv4(name: str, url: str) -> ipaddress.IPv4Address:
    try:
        return ipaddress.IPv4Address(name)
    except ValueError as error:
        message = "IPv4 addresses are read only as four decimal numbers without leading zeros"
        raise FetchFailed("address_form", url, message) from error


def _ipv6(host: str, url: str) -> tuple[str, ipaddress.IPv6Address]:
    try:
        address = ipaddress.IPv6Address(host)
    except ValueError as error:
        raise FetchFailed("address_form", url, f"not an IPv6 address: {error}") from error
    if address.scope_id:
        raise FetchFailed("address_form", url, "IPv6 addresses with a zone lead to the local link")
    return str(address), address
