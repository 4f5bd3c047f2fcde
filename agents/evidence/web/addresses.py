"""Which IP addresses belong to the public internet. Everything that is not surely public is not."""

import ipaddress

from agents.evidence.web.targets import IpAddress

# Python's own tables differ between patch releases, so the blocks that matter are named here as well.
_FORBIDDEN = tuple(
    ipaddress.ip_network(block)
    for block in (
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12",
        "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24",
        "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "168.63.129.16/32",  # Azure's host agent: a public number that answers only inside a virtual machine
        "64:ff9b::/96", "64:ff9b:1::/48",  # NAT64: an IPv4 address, possibly a private one, in other clothes
        "2002::/16", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16",  # 6to4, Teredo and others, documentation
    )
)  # fmt: skip
# Unicast addresses are given out from this block alone; mapped, compatible, local and multicast ones lie outside.
_IPV6_UNICAST = ipaddress.IPv6Network("2000::/3")


def is_public(address: IpAddress) -> bool:
    """Whether a connection to it leaves for the public internet."""
    if isinstance(address, ipaddress.IPv6Address) and address not in _IPV6_UNICAST:
        return False
    if any(address.version == block.version and address in block for block in _FORBIDDEN):
        return False
    return address.is_global and not address.is_multicast and not address.is_reserved
