"""The whole system, twice: embedded, and on real Kafka, Neo4j and Weaviate. Real processes, the same tests."""

import asyncio
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

import samples
from storage.ports import parent_of
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from tests.support.processes import Process, call, running, script, settings_of, veristream
from tests.support.servers import servers_environment, spaces
from tests.support.wire import Outputs, Read

START_SECONDS = 120.0
CLAIMS_SECONDS = 180.0


@dataclass(frozen=True, slots=True)
class System:
    """A running system as its users see it."""

    kind: str
    url: str
    broker: str
    environment: dict[str, str]
    """What a command on this machine needs to find it."""
    processes: tuple[Process, ...]

    def client(self) -> httpx.Client:
        key = self.environment.get("VERISTREAM_API_KEY")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        return httpx.Client(base_url=self.url, timeout=90, headers=headers)

    def check(self) -> None:
        for process in self.processes:
            process.check()

    def outputs(self, *topics: str) -> Outputs:
        return Outputs(self.broker, topics, self.check)


def town_environment(folder: Path) -> dict[str, str]:
    own = {"VERISTREAM_DATA_DIR": str(folder)}
    return own | {"CREDIBLE_DOMAINS": ",".join(trusting_the_town(settings_of(own)).credible_domains)}


KINDS = ["embedded", pytest.param("servers", marks=pytest.mark.services)]


@pytest.fixture(scope="session", params=KINDS)
def system(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[System]:
    """One system for all tests that leave it as they found it, with the town's knowledge base in its stores."""
    with started(request.param, tmp_path_factory.mktemp(request.param)) as running_system:
        yield running_system


@contextmanager
def started(kind: str, folder: Path, own: Mapping[str, str] | None = None) -> Iterator[System]:
    """A system of a kind, with settings of its own."""
    start = _embedded if kind == "embedded" else _on_servers
    with ExitStack() as stack:
        yield start(stack, folder, own or {})


def embedded_url(up: Process) -> str:
    """Where the gateway of a `veristream up` listens, once it says so."""
    found = re.search(r"gateway: (http://\S+)", up.wait_for_text("API at", START_SECONDS))
    assert found is not None
    return found[1]


def _embedded(stack: ExitStack, folder: Path, own: Mapping[str, str]) -> System:
    environment = town_environment(folder / "data") | own
    asyncio.run(load_knowledge_base(settings_of(environment)))
    up = stack.enter_context(running(veristream(["up", "--port", "0"], environment, folder / "up.log")))
    url = embedded_url(up)
    stack.callback(up.terminate)
    broker = httpx.get(f"{url}/status").json()["broker"].removeprefix("kafka://")
    return System("embedded", url, broker, environment | {"VERISTREAM_GATEWAY_PORT": url.rpartition(":")[2]}, (up,))


def _on_servers(stack: ExitStack, folder: Path, own: Mapping[str, str]) -> System:
    """Kafka, Neo4j and Weaviate, with a worker and a gateway as they are deployed."""
    from deploy.services import Kafka

    kept = stack.enter_context(spaces())
    space = kept.next()
    stack.callback(kept.wipe_passages, space)
    kafka = Kafka(folder / "kafka")
    kafka.start()
    stack.callback(kafka.wipe)
    web = stack.enter_context(running(script("tests.support.town", {}, folder / "web.log")))
    found = re.search(r"serving (\S+) now", web.wait_for_text(" now", START_SECONDS))
    assert found is not None
    environment = {
        **town_environment(folder / "data"),
        **servers_environment(space),
        "VERISTREAM_BROKER": f"kafka://{kafka.address}",
        "VERISTREAM_TOPIC_PARTITIONS": "4",
        "VERISTREAM_SAMPLE_WEB_URL": found[1],
        "VERISTREAM_METRICS_PORT": "0",
        "VERISTREAM_GATEWAY_PORT": "0",
        **own,
    }
    created = call(["topics", "create"], environment)
    assert created.returncode == 0, created.stderr
    asyncio.run(load_knowledge_base(settings_of(environment)))
    key = call(["keys", "create", "tests", "--scope", "admin"], environment)
    assert key.returncode == 0, key.stderr
    environment["VERISTREAM_API_KEY"] = key.stdout.strip()
    worker = stack.enter_context(running(veristream(["worker"], environment, folder / "worker.log")))
    gateway = stack.enter_context(running(veristream(["gateway"], environment, folder / "gateway.log")))
    worker.wait_for_text("worker started", START_SECONDS)
    line = next(one for one in gateway.wait_for_text("gateway started", START_SECONDS).splitlines() if "started" in one)
    stack.callback(worker.terminate)
    stack.callback(gateway.terminate)
    return System("servers", json.loads(line)["address"], kafka.address, environment, (web, worker, gateway))


@dataclass(frozen=True, slots=True)
class Journey:
    """The sample claims, submitted by the command line, and everything that came of them."""

    said: str
    verdicts: list[Read]
    progress: list[Read]

    @property
    def packages(self) -> dict[str, dict[str, object]]:
        return {(one.key or b"").decode(): json.loads(one.value or b"") for one in self.verdicts}


@pytest.fixture(scope="session")
def journey(system: System) -> Journey:
    """Submitted once per system."""
    submitted = call(["submit", str(samples.samples_dir() / "claims.jsonl")], system.environment)
    assert submitted.returncode == 0, submitted.stderr
    ids = {claim.job_id for claim in samples.load().claims}
    records = asyncio.run(_everything(system, ids))
    return Journey(
        submitted.stdout.strip(),
        [one for one in records if one.topic == "verdicts" and _about(one) in ids],
        [one for one in records if one.topic == "progress" and _about(one) in ids],
    )


def _about(record: Read) -> str:
    """The submitted claim that a record is about: its own, or the one that it is a part of."""
    job_id = (record.key or b"").decode()
    return parent_of(job_id) or job_id


async def _everything(system: System, ids: set[str]) -> list[Read]:
    async with system.outputs("verdicts", "progress") as outputs:
        await outputs.until_keys("verdicts", ids, CLAIMS_SECONDS)
        return await outputs.to_the_end()
