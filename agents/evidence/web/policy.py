"""What the fetcher may reach, how much it takes and how long it waits: every number in one frozen object."""

from dataclasses import dataclass, field
from urllib.parse import urlsplit

DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Origin:
    """Scheme, host and port: what an exception to the address rule names, exactly."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, text: str) -> "Origin":
        """From `http://host[:port]`."""
        parts = urlsplit(text)
        if parts.scheme not in DEFAULT_PORTS or not parts.hostname or parts.path not in {"", "/"}:
            raise ValueError(f"an origin is http(s)://host[:port] and nothing more, got {text!r}")
        return cls(parts.scheme, parts.hostname, parts.port or DEFAULT_PORTS[parts.scheme])


@dataclass(frozen=True, slots=True)
class SizeLimits:
    """Bytes."""

    # Servers' own defaults lie at 8 to 16 KiB; four times that leaves room for careless cookies.
    headers: int = 65_536
    # On the wire, and the same once unpacked: extraction reads no larger page anyway.
    body: int = 5_000_000
    unpacked: int = 5_000_000
    # HTML packs 5 to 20 times; a table of zeros 1,000 times. Judged only past `ratio_from` unpacked bytes.
    ratio: float = 100.0
    ratio_from: int = 262_144
    # What RFC 9309 asks a crawler to read at least.
    robots: int = 512_000


@dataclass(frozen=True, slots=True)
class TimeLimits:
    """Seconds."""

    resolve: float = 5.0
    connect: float = 5.0
    # Until the whole head of the answer is there, not only its first byte: a head can drip as well.
    first_byte: float = 10.0
    idle: float = 5.0
    # One page with all its redirects and robots.txt files, waiting for a turn not included.
    total: float = 30.0
    # After the grace period a body must have come at this rate (bytes per second) on average. A 1990s modem did 5,000.
    drip_grace: float = 3.0
    drip_rate: float = 2_000.0
    # How long a fetch may wait for one of the `max_concurrent` places.
    queue: float = 60.0


@dataclass(frozen=True, slots=True)
class Manners:
    """How we behave towards the sites we read."""

    user_agent: str = "Veristream/0.1 (automated fact checking; reads single articles; honours robots.txt)"
    # The name that a robots.txt calls us by.
    robots_token: str = "veristream"  # noqa: S105 - a crawler's name, not a secret
    robots_ttl: float = 3_600.0
    # A site whose robots.txt could not be had is left alone, but asked again soon.
    robots_retry: float = 300.0
    # Between the starts of two requests to one registered domain.
    interval: float = 1.0
    # A longer Crawl-delay would outlast a job: it is honoured up to here.
    max_interval: float = 10.0
    # Who would have to wait longer for a turn gives this page up.
    max_wait: float = 15.0
    # Domains remembered at once, for robots.txt and for turns.
    memory: int = 2_048


@dataclass(frozen=True, slots=True)
class WebPolicy:
    """The whole of it. `exempt` origins skip the address and port rules (the sample web, a test server), no other."""

    ports: frozenset[int] = frozenset((80, 443, 8080, 8443))
    exempt: frozenset[Origin] = frozenset()
    max_redirects: int = 5
    content_types: tuple[str, ...] = ("text/html", "application/xhtml+xml", "text/plain", "application/pdf")
    # Over all jobs of this process: ten of 002's batches of five, which a worker's memory holds easily (10 MB a page at
    # worst).
    max_concurrent: int = 50
    sizes: SizeLimits = field(default_factory=SizeLimits)
    times: TimeLimits = field(default_factory=TimeLimits)
    manners: Manners = field(default_factory=Manners)

    def __post_init__(self) -> None:
        if self.max_concurrent < 1 or self.max_redirects < 0:
            raise ValueError("max_concurrent must be at least 1 and max_redirects at least 0")
