"""The image's health check: exit 0 when a health address answers 200. Standard library only."""

import sys
import urllib.error
import urllib.request
from collections.abc import Sequence

DEFAULT_ADDRESSES = ("http://127.0.0.1:8080/health", "http://127.0.0.1:9464/health")
"""The gateway's door and the worker's; a container is one or the other."""

TIMEOUT_SECONDS = 2.0  # two tries must fit into the five seconds that the image allows
OK = 200


def answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=TIMEOUT_SECONDS) as response:  # noqa: S310 - addresses are ours
            return bool(response.status == OK)
    except (OSError, ValueError, urllib.error.URLError):
        return False


def main(arguments: Sequence[str]) -> int:
    addresses = arguments or DEFAULT_ADDRESSES
    if any(answers(address) for address in addresses):
        return 0
    print(f"no answer from {' or '.join(addresses)}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
