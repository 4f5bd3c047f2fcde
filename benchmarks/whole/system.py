"""A system as it is deployed: a broker, workers as processes, stores in one folder, and the world outside."""

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from confluent_kafka import Consumer, Producer, TopicPartition

import samples
from benchmarks.five_hops.brokers import Broker, client
from benchmarks.whole.processes import Child, Stuck, Used, child
from streams import topics
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from streams.settings import Settings

CLAIMS = tuple(claim.claim for claim in samples.load().claims)


@dataclass(frozen=True, slots=True)
class Burst:
    """Claims that were sent together, and what came of them."""

    seconds: float
    packages: Sequence[Mapping[str, Any]]
    cpu_ms: Mapping[str, float]
    """Of all claims together, by process."""
    outside: Mapping[str, int]
    """Requests that the world outside was sent meanwhile."""

    @property
    def per_second(self) -> float:
        return len(self.packages) / self.seconds

    def each(self, total: float) -> float:
        return total / len(self.packages)


@dataclass(slots=True)
class System:
    """Running; claims go in at `claims`, packages come out at `verdicts`."""

    broker: Broker
    prefix: str
    outside: Child
    origin: str
    workers: list[Child]
    _count: int = 0
    _consumer: Consumer = field(init=False)
    _producer: Producer = field(init=False)

    def __post_init__(self) -> None:
        self._producer = Producer({**client(self.broker.address), "linger.ms": 2})
        self._consumer = Consumer(
            {
                **client(self.broker.address),
                "group.id": f"{self.prefix}measure",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 5,
            }
        )
        name = self.prefix + topics.VERDICTS.name
        known = self._consumer.list_topics(name, timeout=20).topics[name].partitions
        self._consumer.assign([TopicPartition(name, number, 0) for number in known])

    def burst(self, claims: Sequence[str], limit: float) -> Burst:
        """Send claims at once and wait for all their packages."""
        waiting, found = self._numbered(claims), []
        before, asked_before = self.used(), self.asked()
        began = time.perf_counter()
        for job_id, value in waiting.items():
            self._producer.produce(self.prefix + topics.CLAIMS.name, value, job_id)
        self._producer.flush(limit)
        missing = set(waiting)
        while missing:
            for record in self._consumer.consume(num_messages=200, timeout=0.05):
                key = (record.key() or b"").decode()
                if record.error() is None and key in missing:
                    missing.discard(key)
                    found.append(json.loads(record.value() or b""))
            if time.perf_counter() - began > limit:
                raise Stuck(f"{len(missing)} of {len(waiting)} claims had no verdict within {limit:.0f} s")
            for process in (self.outside, *self.workers):
                process.check()
        seconds = time.perf_counter() - began
        cpu = {name: used.cpu_ms - before[name].cpu_ms for name, used in self.used().items()}
        asked = {name: count - asked_before.get(name, 0) for name, count in self.asked().items()}
        return Burst(seconds, found, cpu, asked)

    def used(self) -> dict[str, Used]:
        """Of every process of ours."""
        workers = {f"worker {number}": worker.used() for number, worker in enumerate(self.workers, start=1)}
        return workers | {"outside": self.outside.used()}

    def asked(self) -> dict[str, int]:
        counts = httpx.get(f"{self.origin}/counts", timeout=10).json()
        return {name: int(counts.get(name, 0)) for name in ("calls", "searches", "pages")}

    def close(self) -> None:
        self._consumer.close()

    def _numbered(self, claims: Sequence[str]) -> dict[str, bytes]:
        jobs = {}
        for claim in claims:
            self._count += 1
            job_id = f"bench-{self._count:06d}"
            jobs[job_id] = json.dumps({"job_id": job_id, "claim": claim}).encode()
        return jobs


def environment(folder: Path, origin: str, *, model: bool, more: Mapping[str, str]) -> dict[str, str]:
    """What every worker of a run is told."""
    credible = trusting_the_town(Settings(data_dir=folder)).credible_domains
    told = {
        "VERISTREAM_DATA_DIR": str(folder),
        "VERISTREAM_SAMPLE_WEB_URL": f"{origin}/web",
        "VERISTREAM_METRICS_PORT": "0",
        "VERISTREAM_LOG_FORMAT": "json",
        "CREDIBLE_DOMAINS": ",".join(credible),
        # First-time claims are what is measured: nothing may be answered from an earlier answer.
        "VERISTREAM_MATCH_CLAIMS": "false",
        "VERISTREAM_LLM_CACHE_HOURS": "0",
    }
    if model:
        told |= {"OPENAI_API_KEY": "local", "OPENAI_BASE_URL": f"{origin}/v1"}
    return told | more


@contextmanager
def running(
    broker: Broker, folder: Path, *, workers: int, model: bool, more: Mapping[str, str] | None = None
) -> Iterator[System]:
    """A system with the sample town's knowledge base, ended with the block."""
    folder.mkdir(parents=True)
    prefix = f"{folder.name}-"
    names = [prefix + topic.name for topic in topics.TOPICS]
    broker.make_topics(names)
    with ExitStack() as stack:
        stack.callback(broker.drop_topics, names)
        outside = stack.enter_context(child(["benchmarks.whole.outside"], {}, folder / "outside.log"))
        origin = outside.line("http://")
        told = environment(folder / "data", origin, model=model, more=more or {})
        asyncio.run(load_knowledge_base(Settings(data_dir=folder / "data")))
        told |= {"VERISTREAM_BROKER": f"kafka://{broker.address}", "VERISTREAM_TOPIC_PREFIX": prefix}
        if broker.embedded:
            told["VERISTREAM_EMBEDDED"] = "true"  # as a supervisor tells its children: groups have one member
        children = [
            stack.enter_context(child(["streams.cli", "worker"], told, folder / f"worker-{number}.log"))
            for number in range(workers)
        ]
        for one in children:
            one.line("worker started")
        system = System(broker, prefix, outside, origin, children)
        stack.callback(system.close)
        yield system
