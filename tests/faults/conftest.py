"""One real Kafka for the suite, a fresh set of topics and a data folder for each test, and a judge for each end."""

import asyncio
import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from deploy.services import Kafka
from streams.admin import cluster_admin
from streams.app import GROUP
from streams.embedded.samples import load_knowledge_base
from streams.settings import Settings
from streams.topology import STAGES
from tests.support.opening import serving
from tests.support.processes import ROOT, Process, clean_environment, settings_of, veristream
from tests.support.wire import Outputs, Raw, committed, publish

PARTITIONS = 4
SESSION_SECONDS = 6.0
JUDGE_SECONDS = 120


@pytest.fixture(scope="session")
def kafka(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kafka]:
    with serving(Kafka(tmp_path_factory.mktemp("kafka"))) as server:
        yield server


@pytest.fixture(scope="session")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample town's knowledge base, stored once."""
    folder = tmp_path_factory.mktemp("knowledge")
    asyncio.run(load_knowledge_base(settings_of({"VERISTREAM_DATA_DIR": str(folder), "VERISTREAM_EMBEDDER": "static"})))
    return folder


@dataclass(slots=True)
class Stage:
    """Where one test plays: its own topics on the shared broker, its own stores, its own processes."""

    kafka: Kafka
    prefix: str
    folder: Path
    accepted: list[str] = field(default_factory=list)
    processes: list[Process] = field(default_factory=list)
    more: dict[str, str] = field(default_factory=dict)
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "VERISTREAM_BROKER": f"kafka://{self.kafka.address}",
            "VERISTREAM_TOPIC_PREFIX": self.prefix,
            "VERISTREAM_TOPIC_PARTITIONS": str(PARTITIONS),
            "VERISTREAM_DATA_DIR": str(self.folder / "data"),
            # The quickest one: these tests are about the stream, not about what is found.
            "VERISTREAM_EMBEDDER": "static",
            "VERISTREAM_STANCE": "rules",
            "VERISTREAM_METRICS_PORT": "0",
            "VERISTREAM_KAFKA_SESSION_TIMEOUT_SECONDS": str(SESSION_SECONDS),
            **self.more,
        }

    @property
    def settings(self) -> Settings:
        return Settings(broker=f"kafka://{self.kafka.address}", topic_prefix=self.prefix, topic_partitions=PARTITIONS)

    def topic(self, name: str) -> str:
        return self.prefix + name

    async def create_topics(self, partitions: int = PARTITIONS) -> None:
        settings = self.settings.model_copy(update={"topic_partitions": partitions})
        async with cluster_admin(settings) as admin:
            await admin.create_missing()

    def worker(self) -> Process:
        """A worker of all stages, started."""
        log = self.folder / f"worker-{next(self._numbers)}.log"
        return self.start(veristream(["worker"], self.environment, log))

    def start(self, process: Process) -> Process:
        self.processes.append(process)
        return process.start()

    async def submit(self, claims: Iterable[tuple[str, str]]) -> None:
        """Publish claims to the topic itself; what the broker has acknowledged is accepted."""
        pairs = list(claims)
        records = [Raw(claim_bytes(job_id, claim), job_id.encode()) for job_id, claim in pairs]
        await publish(self.kafka.address, self.topic("claims"), records)
        self.accepted += [job_id for job_id, _ in pairs]

    def outputs(self, *names: str) -> Outputs:
        """What comes out, watched together with the processes it has to come from."""
        return Outputs(self.kafka.address, [self.topic(name) for name in names], self.check)

    def check(self) -> None:
        for process in self.processes:
            process.check()

    async def until_committed(self, seconds: float = 60) -> None:
        """Wait until the group has committed all there is.

        After a fault some events are worked on twice, and their second time may still be under way when the last
        verdict is out; a stop in between would rightly leave them to the next worker.
        """
        inputs = [self.topic(stage.reads.name) for stage in STAGES]
        async with asyncio.timeout(seconds), Outputs(self.kafka.address, inputs, self.check) as outputs:
            while await self._behind(outputs):
                self.check()
                await asyncio.sleep(0.5)

    async def _behind(self, outputs: Outputs) -> bool:
        offsets = await committed(self.kafka.address, self.prefix + GROUP)
        return any(offsets.get(place, 0) < end for place, end in (await outputs.ends()).items())

    def stop_workers(self) -> list[int]:
        """SIGTERM to every worker that still runs; their exit codes."""
        return [process.terminate() for process in self.processes if process.alive]

    def judge(self, *, group: str = GROUP, poison: int = 0, any_payload: bool = False) -> tuple[int, str]:
        """The verifier's exit code and its one line, from a process of its own."""
        ids = self.folder / "accepted.txt"
        ids.write_text("\n".join(self.accepted), encoding="utf-8")
        command = [sys.executable, "-m", "tests.faults.verifier", "--broker", self.kafka.address]
        command += ["--group", self.prefix + group, "--prefix", self.prefix, "--accepted", str(ids)]
        command += ["--poison", str(poison), *(["--any-payload"] if any_payload else [])]
        answer = subprocess.run(
            command, cwd=ROOT, env=clean_environment({}), capture_output=True, timeout=JUDGE_SECONDS, check=False
        )
        line = answer.stdout.decode().strip()
        print(line)
        return answer.returncode, line or answer.stderr.decode()[-2000:]


def claim_bytes(job_id: str, claim: str) -> bytes:
    return json.dumps({"job_id": job_id, "claim": claim}).encode()


@pytest.fixture
def stage(kafka: Kafka, knowledge: Path, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Stage]:
    if not kafka.running():
        kafka.start()
    shutil.copytree(knowledge, tmp_path / "data")
    name = "".join(character for character in request.node.name if character.isalnum())[-40:]
    scene = Stage(kafka, f"{name}.", tmp_path)
    yield scene
    for process in scene.processes:
        if process.alive:
            process.kill()
