"""The embedded system as one thing: broker and sample web in this process, worker and gateway as its children."""

import asyncio
import fcntl
import os
import socket
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import httpx
import structlog
from aiokafka import AIOKafkaProducer

from streams import topics
from streams.bootstrap import open_ledger
from streams.embedded.broker import EmbeddedBroker
from streams.embedded.children import Child
from streams.embedded.sample_web import serve
from streams.kafka import client_options
from streams.probes import listen
from streams.settings import PREFIX, Settings, SettingsError
from streams.sweep import publish_open_jobs

log = structlog.get_logger("veristream.supervisor")

READY_SECONDS = 60.0
STOP_SECONDS = 28.0


@dataclass(frozen=True, slots=True)
class RunningSystem:
    """Where the parts of a running embedded system are."""

    settings: Settings
    gateway_url: str
    worker: Child
    gateway: Child

    async def until_broken(self) -> None:
        """Keep the children running; return only when one cannot be kept alive (by raising)."""
        await asyncio.gather(self.worker.keep_running(), self.gateway.keep_running())


@asynccontextmanager
async def embedded_system(settings: Settings, *, quiet: bool = False) -> AsyncIterator[RunningSystem]:
    """Start everything in order, hand it over, stop it in the reverse order."""
    async with AsyncExitStack() as stack:
        stack.callback(os.close, _lock(settings.data_dir))
        # Taken first: a port in use is the likeliest mistake, and should be said before anything is started.
        listen(settings.gateway_host, settings.gateway_port, "VERISTREAM_GATEWAY_PORT").close()
        broker = EmbeddedBroker(settings.topic_prefix)
        await asyncio.to_thread(broker.start)
        stack.callback(broker.stop)
        sample_web = await stack.enter_async_context(serve())
        inner = _children_settings(settings, broker, sample_web)
        await _publish_open_jobs(inner)
        system = _system(inner, quiet=quiet)
        # Stopped in the reverse order: first no new work, then the work in hand, then what it stands on.
        for child in (system.worker, system.gateway):
            await child.start()
            stack.push_async_callback(child.stop, STOP_SECONDS)
        await until_ready(f"http://{inner.metrics_host}:{inner.metrics_port}/ready", f"{system.gateway_url}/ready")
        yield system


def _lock(data_dir: Path) -> int:
    """One supervisor per data folder."""
    data_dir.mkdir(parents=True, exist_ok=True)
    handle = os.open(data_dir / "supervisor.lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        raise SettingsError(
            f"another embedded system uses {data_dir}; stop it, or set VERISTREAM_DATA_DIR to another folder"
        ) from None
    return handle


def _children_settings(settings: Settings, broker: EmbeddedBroker, sample_web: str) -> Settings:
    metrics_port = free_port()
    return settings.model_copy(
        update={
            "broker": broker.url,
            "embedded": True,
            "gateway_port": settings.gateway_port or free_port(),
            "metrics_port": metrics_port,
            "worker_metrics_url": f"http://127.0.0.1:{metrics_port}/metrics",
            "sample_web_url": sample_web,
        }
    )


def free_port() -> int:
    """A port that nobody listens on just now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _system(settings: Settings, *, quiet: bool) -> RunningSystem:
    told = {**os.environ, **environment(settings)}
    return RunningSystem(
        settings=settings,
        gateway_url=settings.gateway_url,
        worker=Child(["worker"], told, quiet=quiet),
        gateway=Child(["gateway"], told, quiet=quiet),
    )


def environment(settings: Settings) -> dict[str, str]:
    """What a child needs to know beyond the environment it inherits."""
    names = (
        "broker",
        "topic_prefix",
        "embedded",
        "data_dir",
        "gateway_host",
        "gateway_port",
        "metrics_port",
        "worker_metrics_url",
        "sample_web_url",
        "log_level",
    )
    values = {name: getattr(settings, name) for name in names}
    told = {f"{PREFIX}{name.upper()}": str(value) for name, value in values.items() if value is not None}
    return told | {"CREDIBLE_DOMAINS": ",".join(settings.credible_domains)}


async def _publish_open_jobs(settings: Settings) -> None:
    """The broker forgot them; the journal did not."""
    ledger = await open_ledger(settings)
    producer = AIOKafkaProducer(**client_options(settings))
    await producer.start()
    try:
        topic = settings.topic_prefix + topics.CLAIMS.name
        jobs = await publish_open_jobs(ledger, lambda key, value: producer.send_and_wait(topic, key=key, value=value))
        if jobs:
            log.info("published the jobs that were open when the system last stopped", jobs=jobs)
    finally:
        await producer.stop()
        await ledger.close()


async def until_ready(*urls: str) -> None:
    """Wait until every probe answers that its process can work."""
    async with httpx.AsyncClient(timeout=2.0) as client, asyncio.timeout(READY_SECONDS):
        for url in urls:
            while True:
                with suppress(httpx.HTTPError):
                    if (await client.get(url)).status_code == httpx.codes.OK:
                        break
                await asyncio.sleep(0.1)
