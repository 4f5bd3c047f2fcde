"""Names to addresses, once per request: every address a name has must be public, and only those are dialled."""

import asyncio
import ipaddress
import socket
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Protocol

from agents.evidence.web.addresses import is_public
from agents.evidence.web.failures import FetchFailed
from agents.evidence.web.policy import WebPolicy
from agents.evidence.web.targets import IpAddress, Target

# Nobody needs more addresses than these to reach one site, and each is a connection attempt.
MAX_ADDRESSES = 4


class Resolver(Protocol):
    """Looks a name up."""

    async def addresses(self, host: str, port: int) -> list[str]:
        """Its addresses as text; OSError when there are none."""
        ...


class SystemResolver:
    """The machine's own resolver, in threads of its own: a look-up that hangs must not hold up other work."""

    def __init__(self, threads: int = 8) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="resolver")

    async def addresses(self, host: str, port: int) -> list[str]:
        """In the order in which the system would try them."""
        loop = asyncio.get_running_loop()
        look_up = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        found = await loop.run_in_executor(self._pool, look_up)
        return list(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


async def checked_addresses(target: Target, resolver: Resolver, policy: WebPolicy) -> tuple[IpAddress, ...]:
    """Where the target may be dialled. One forbidden address among several condemns the name."""
    found = (target.literal,) if target.literal is not None else await _resolve(target, resolver, policy)
    if target.origin not in policy.exempt:
        forbidden = [str(address) for address in found if not is_public(address)]
        if forbidden:
            message = f"{target.origin.host} leads to {forbidden[0]}, which is not on the public internet"
            raise FetchFailed("forbidden_address", target.url, message)
    return found[:MAX_ADDRESSES]


async def _resolve(target: Target, resolver: Resolver, policy: WebPolicy) -> tuple[IpAddress, ...]:
    host = target.origin.host
    try:
        async with asyncio.timeout(policy.times.resolve):
            found = await resolver.addresses(host, target.origin.port)
        addresses = tuple(ipaddress.ip_address(text) for text in found)
    except TimeoutError as error:
        raise FetchFailed("dns", target.url, f"{host} could not be looked up in time") from error
    except (OSError, ValueError) as error:
        raise FetchFailed("dns", target.url, f"{host} could not be looked up ({error})") from error
    if not addresses:
        raise FetchFailed("dns", target.url, f"{host} has no address")
    return addresses
