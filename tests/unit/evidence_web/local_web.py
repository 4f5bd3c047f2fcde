"""A local server that says exactly the bytes a test wants, a resolver and a dialler under the test's control."""

import asyncio
import ipaddress
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import httpcore
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from agents.evidence.web import Manners, OpenWebFetcher, Origin, SizeLimits, TimeLimits, WebPolicy
from agents.evidence.web.dialling import TcpDialler

Answering = Callable[[asyncio.StreamWriter], Awaitable[None]]


def head(status: int = 200, *headers: str, kind: str | None = "text/html") -> bytes:
    lines = [f"HTTP/1.1 {status} Said", "Connection: close", *headers]
    if kind is not None:
        lines.append(f"Content-Type: {kind}")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def page(body: bytes = b"<p>Hello</p>", *headers: str, kind: str | None = "text/html") -> bytes:
    return head(200, f"Content-Length: {len(body)}", *headers, kind=kind) + body


def redirect(to: str, status: int = 302) -> bytes:
    return head(status, f"Location: {to}", "Content-Length: 0")


@dataclass
class Site:
    """Answers by path; remembers every path it was asked for, with the head of the request."""

    answers: dict[str, bytes | Answering] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    heads: list[str] = field(default_factory=list)
    connections: int = 0
    port: int = 0
    scheme: str = "http"
    in_flight: int = 0
    most_in_flight: int = 0

    @property
    def origin(self) -> str:
        return f"{self.scheme}://127.0.0.1:{self.port}"

    @property
    def pages(self) -> list[str]:
        return [path for path in self.asked if path != "/robots.txt"]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            request = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            path = request.split(" ")[1]
            self.asked.append(path)
            self.heads.append(request)
            answer = self.answers.get(path, head(404, "Content-Length: 0"))
            if isinstance(answer, bytes):
                writer.write(answer)
                await writer.drain()
            else:
                await answer(writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            return
        finally:
            self.in_flight -= 1
            writer.close()


@asynccontextmanager
async def serving(site: Site, context: ssl.SSLContext | None = None) -> AsyncIterator[Site]:
    tasks: set[asyncio.Task[None]] = set()

    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(site.serve(reader, writer))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=context)
    site.port = server.sockets[0].getsockname()[1]
    site.scheme = "https" if context else "http"
    try:
        yield site
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


@dataclass
class Names:
    """A resolver: for each look-up of a name the next of its answers, the last one for good."""

    answers: dict[str, list[list[str]]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)

    async def addresses(self, host: str, port: int) -> list[str]:
        self.asked.append(host)
        if host not in self.answers:
            raise OSError(f"no such name: {host}")
        waiting = self.answers[host]
        return waiting.pop(0) if len(waiting) > 1 else waiting[0]


@dataclass
class Switchboard:
    """A dialler that writes down every address and puts all calls through to one local port."""

    port: int
    dialled: list[tuple[str, int]] = field(default_factory=list)

    async def dial(self, address: str, port: int, timeout_s: float) -> httpcore.AsyncNetworkStream:
        ipaddress.ip_address(address)
        self.dialled.append((address, port))
        return await TcpDialler().dial("127.0.0.1", self.port, timeout_s)


@dataclass
class Clock:
    """Moves by `step` at each look, and by hand."""

    moment: float = 1_000.0
    step: float = 0.0
    slept: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        self.moment += self.step
        return self.moment

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.moment += seconds


def policy(*origins: str, sizes: SizeLimits | None = None, times: TimeLimits | None = None, **more: Any) -> WebPolicy:
    """The product's policy without waiting between requests to the one local server."""
    base = WebPolicy(exempt=frozenset(map(Origin.of, origins)), manners=Manners(interval=0.0))
    return replace(base, sizes=sizes or base.sizes, times=times or base.times, **more)


@cache
def system_trust() -> ssl.SSLContext:
    """The machine's own authorities, read once: that takes longer than a whole test."""
    return ssl.create_default_context()


def fetcher(
    *origins: str, sizes: SizeLimits | None = None, times: TimeLimits | None = None, **more: Any
) -> OpenWebFetcher:
    """A fetcher that may reach the given origins besides the public web, whose names it cannot look up."""
    more.setdefault("ssl_context", system_trust())
    more.setdefault("resolver", Names())
    return OpenWebFetcher(policy(*origins, sizes=sizes, times=times), **more)


@dataclass(frozen=True)
class Authority:
    """A certificate authority of the test's own."""

    folder: Path
    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def found(cls, folder: Path) -> "Authority":
        key = ec.generate_private_key(ec.SECP256R1())
        return cls(folder, key, _certificate("Test Authority", key, None, key, names=[], lasts=timedelta(days=1)))

    def client_context(self) -> ssl.SSLContext:
        pem = self.certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def server_context(self, name: str, lasts: timedelta = timedelta(days=1)) -> ssl.SSLContext:
        key = ec.generate_private_key(ec.SECP256R1())
        issued = _certificate(name, key, self.certificate, self.key, names=[x509.DNSName(name)], lasts=lasts)
        file = self.folder / f"{name}.pem"
        file.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
            + issued.public_bytes(serialization.Encoding.PEM)
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def _certificate(
    name: str,
    key: ec.EllipticCurvePrivateKey,
    issuer: x509.Certificate | None,
    signing_key: ec.EllipticCurvePrivateKey,
    *,
    names: list[x509.GeneralName],
    lasts: timedelta,
) -> x509.Certificate:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.subject if issuer else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=10))
        .not_valid_after(now + lasts)
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    return builder.sign(signing_key, hashes.SHA256())
