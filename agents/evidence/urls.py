"""What an address says about itself: the registered domain it belongs to."""

from functools import lru_cache

import tldextract

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
