"""What an address says about itself: who registered it, and whether it can hold an article (004 §9.1)."""

import re
from functools import lru_cache
from typing import Literal
from urllib.parse import parse_qs, urlsplit

import tldextract

from scoring.urls import url_kind
from storage.errors import StoreRefused
from storage.ports import normal_url

AddressReason = Literal["not_web", "homepage", "section", "search_results", "whois", "paywall", "account", "media"]
"""Why an address is not worth fetching, as the address itself tells."""

# The public suffix list that comes with the library: nothing is downloaded and nothing is written to disk.
_SUFFIXES = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)


@lru_cache(maxsize=16_384)
def registered_domain(host: str) -> str:
    """The part of a host that somebody registered: `news.bbc.co.uk` is `bbc.co.uk`.

    Under a suffix that the list does not know (`.example`) it is the last two labels; an IP address is its own.
    """
    name = host.strip().rstrip(".").lower()
    found = _SUFFIXES(name)
    if found.suffix and found.domain:
        return f"{found.domain}.{found.suffix}"
    if found.suffix or found.domain == name:
        return name
    return ".".join(name.split(".")[-2:])


def public_suffix(domain: str) -> str:
    """The suffix under which names are registered: `co.uk`. Empty where the list knows none."""
    suffix: str = _SUFFIXES(domain.strip().rstrip(".").lower()).suffix
    return suffix


def host_and_parents(host: str) -> tuple[str, ...]:
    """The host without www and every name above it, down to the registered domain: the most exact first."""
    name = host.strip().rstrip(".").lower().removeprefix("www.")
    registered = registered_domain(name)
    labels = name.split(".")
    names = (".".join(labels[start:]) for start in range(len(labels)))
    longer = [parent for parent in names if parent.endswith(f".{registered}")]
    return (*longer, registered)


_ENGINES = frozenset(("google.com", "bing.com", "duckduckgo.com", "yandex.com", "yandex.ru", "baidu.com", "ecosia.org",
                      "startpage.com", "qwant.com", "ask.com"))  # fmt: skip
_QUERY_NAMES = frozenset(("q", "query", "s", "search", "keyword", "keywords", "searchterm"))
_WHOIS_DOMAINS = frozenset(("who.is", "whois.com", "domaintools.com", "whoxy.com", "domaintools.net", "viewdns.info"))
# Sites that show nobody a whole article without a subscription. Those that count free articles are worth a try.
_PAYWALLED = frozenset(("wsj.com", "ft.com", "barrons.com", "thetimes.co.uk", "thetimes.com", "theinformation.com",
                        "statista.com", "stratfor.com", "handelsblatt.com", "lesechos.fr"))  # fmt: skip
_PAYWALL_SEGMENTS = frozenset(("paywall", "premium", "subscriber-only", "subscribers-only", "plus"))
_ACCOUNT_SEGMENTS = frozenset(("login", "signin", "sign-in", "signup", "sign-up", "register", "subscribe", "account"))
_MEDIA = re.compile(
    r"\.(jpe?g|png|gif|webp|svg|ico|mp[34]|m4a|wav|ogg|webm|avi|mov|zip|gz|tar|rar|7z|exe|dmg|apk|css|js|woff2?|"
    r"docx?|xlsx?|pptx?)$"
)


def skip_reason(url: str) -> AddressReason | None:
    """Why this address is not worth fetching as evidence, from the address alone; None if it may be."""
    try:
        parts = urlsplit(normal_url(url))
    except StoreRefused:
        return "not_web"
    host = parts.hostname or ""
    domain = registered_domain(host)
    segments = [segment for segment in parts.path.lower().split("/") if segment]
    kind = url_kind(url)
    # The first that applies is the reason, from the surest to the least sure.
    tests: tuple[tuple[AddressReason, bool], ...] = (
        ("media", bool(_MEDIA.search(parts.path.lower()))),
        ("whois", domain in _WHOIS_DOMAINS or "whois" in host.split(".") or "whois" in segments[:-1]),
        ("search_results", _is_search(domain, host, segments, parts.query)),
        ("paywall", domain in _PAYWALLED or bool(_PAYWALL_SEGMENTS.intersection(segments[:1]))),
        ("account", bool(_ACCOUNT_SEGMENTS.intersection(segments[:1] + segments[-1:]))),
        ("homepage", kind == "homepage"),
        ("section", kind == "section"),
    )
    return next((reason for reason, applies in tests if applies), None)


def _is_search(domain: str, host: str, segments: list[str], query: str) -> bool:
    """Results of an engine, or of a site's own search: a search word in the path, or a query on a page without one."""
    if domain in _ENGINES and segments[:1] in ([], ["search"], ["html"], ["url"], ["s"]):
        return True
    if host.startswith("search."):
        return True
    asks = bool(_QUERY_NAMES.intersection(name.lower() for name in parse_qs(query)))
    return asks and (not segments or segments[-1] in {"search", "suche", "recherche", "results", "index.php", "find"})
