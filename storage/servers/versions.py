"""Which versions of the servers will do."""

import re

from storage.errors import StoreMismatch

Version = tuple[int, int]

NUMBERS = re.compile(r"(\d+)\.(\d+)")


def require_version(product: str, found: str, oldest: Version, reason: str) -> None:
    """Refuse a server that is older than `oldest`; `found` is the version as the server words it."""
    match = NUMBERS.search(found)
    version = (int(match[1]), int(match[2])) if match else (0, 0)
    if version < oldest:
        needed = ".".join(map(str, oldest))
        raise StoreMismatch(
            f"{product} {found or 'of unknown version'} is too old: {reason}; upgrade to {needed} or newer"
        )
