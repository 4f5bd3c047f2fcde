"""Loopback ports for servers that must come back on the same one after they were killed."""

import random
import socket
from collections.abc import Collection
from pathlib import Path

from deploy.servers.errors import ServiceError

HOST = "127.0.0.1"

LOWEST_PORT = 20_000
"""Above the well-known defaults of databases and development servers."""

DEFAULT_EPHEMERAL_START = 32_768
EPHEMERAL_RANGE = Path("/proc/sys/net/ipv4/ip_local_port_range")

ATTEMPTS = 500
"""Tries before giving up; twelve thousand candidates make even ten unlikely."""


def ephemeral_start(range_file: Path = EPHEMERAL_RANGE) -> int:
    """The first port the system hands to outgoing connections."""
    try:
        return int(range_file.read_text(encoding="ascii").split()[0])
    except (OSError, ValueError, IndexError):
        return DEFAULT_EPHEMERAL_START


def is_free(port: int, host: str = HOST) -> bool:
    """Whether a server could listen on `port` now."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as the servers do: TIME_WAIT is no obstacle
        try:
            probe.bind((host, port))
        except OSError:
            return False
    return True


def choose(count: int, draw: random.Random, taken: Collection[int] = ()) -> list[int]:
    """`count` free ports in a row (Weaviate wants two of its own side by side), below the ephemeral range.

    A port from the ephemeral range could be taken by some outgoing connection while its server is down, even by
    a client that keeps trying to reach that very server (it then talks to itself), and the server could not
    come back.
    """
    highest = max(ephemeral_start() - 1, LOWEST_PORT + 1000)
    for _ in range(ATTEMPTS):
        first = draw.randint(LOWEST_PORT, highest - count)
        candidates = list(range(first, first + count))
        if not any(port in taken for port in candidates) and all(is_free(port) for port in candidates):
            return candidates
    raise ServiceError(f"no {count} free ports in a row between {LOWEST_PORT} and {highest}; give ports explicitly")
