"""When two passages or citations are the same one: by normalised address, or by the hash of what they state (001)."""

import hashlib
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode, urlsplit

Item = TypeVar("Item")

# Parameters that say where a reader came from, not what the page is.
_TRACKING_PREFIXES = ("utm_", "mc_", "pk_", "hsa_")
_TRACKING = frozenset(
    ("fbclid", "gclid", "dclid", "msclkid", "yclid", "igshid", "ref", "ref_src", "cmpid", "ocid", "smid")
)
_DEFAULT_PORTS = {"http": 80, "https": 443}


@lru_cache(maxsize=2_048)
def url_key(url: str) -> str:
    """The same text for every spelling of one address; empty for no address, the text itself if it is not a URL."""
    text = url.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:  # "http://[", "http://host:port"
        return text
    if not parts.hostname:
        return text
    host = parts.hostname.removeprefix("www.").rstrip(".")
    if port is not None and port != _DEFAULT_PORTS.get(parts.scheme.lower()):
        host = f"{host}:{port}"
    query = _plain_query(parts.query) if parts.query else ""
    return host + parts.path.rstrip("/") + (f"?{query}" if query else "")


def domain_key(domain: str) -> str:
    """A domain as it is compared: lower case, without www and without a final dot."""
    return domain.strip().lower().rstrip(".").removeprefix("www.")


def statement_hash(text: str) -> str:
    """The same for texts that differ only in case and white space."""
    return hashlib.sha256(" ".join(text.casefold().split()).encode("utf-8", "surrogatepass")).hexdigest()


def first_of_each(items: Iterable[Item], keys: Callable[[Item], Iterable[str]]) -> list[Item]:
    """The items of which no key was seen before, in order: one that shares any key with an earlier one is dropped."""
    seen: set[str] = set()
    kept = []
    for item in items:
        own = [key for key in keys(item) if key]
        if seen.isdisjoint(own):
            kept.append(item)
            seen.update(own)
    return kept


def _plain_query(query: str) -> str:
    """The parameters in one order, without those that only track."""
    return urlencode(sorted((k, v) for k, v in parse_qsl(query, keep_blank_values=True) if not _tracks(k)))


def _tracks(parameter: str) -> bool:
    lowered = parameter.lower()
    return lowered in _TRACKING or lowered.startswith(_TRACKING_PREFIXES)
