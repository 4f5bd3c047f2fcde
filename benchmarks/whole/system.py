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
from benchmarks.processes import Stuck, Used
from benchmarks.whole.children import Child, child
from benchmarks.whole.hearing import Asked, Ears
from streams import topics
from streams.embedded.samples import load_knowledge_base, trusting_the_town
from streams.settings import PREFIX, Settings

CLAIMS = tuple(claim.claim for claim in samples.load().claims)


@dataclass(frozen=True, slots=True)
class Burst:
    """Claims that were sent together, and what came of them."""

    seconds: float
    packages: Sequence[Mapping[str, Any]]
    cpu_ms: Mapping[str, float]
    """Of all claims together, by process."""
    outside: Mapping[str, int]
    """Requests that the world outside was sent meanwhile: searches, pages, and model calls by what was asked for."""
    asked: Sequence[Asked]
    """What the local models were asked meanwhile."""

    @property
    def calls(self) -> int:
        """Model calls of all kinds."""
        return sum(count for name, count in self.outside.items() if name not in ("searches", "pages"))


@dataclass(slots=True)
class System:
    """Running; claims go in at `claims`, packages come out at `verdicts`."""

    broker: Broker
    settings: Settings
    """What its workers were told."""
    outside: Child
    origin: str
    workers: list[Child]
    ears: Ears
    _count: int = 0
    _consumer: Consumer = field(init=False)
    _producer: Producer = field(init=False)

    def __post_init__(self) -> None:
        self._producer = Producer({**client(self.broker.address), "linger.ms": 2})
        self._consumer = Consumer(
            {
                **client(self.broker.address),
                "group.id": f"{self.settings.topic_prefix}measure",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 5,
            }
        )
        name = self.settings.topic_prefix + topics.VERDICTS.name
        known = self._consumer.list_topics(name, timeout=20).topics[name].partitions
        self._consumer.assign([TopicPartition(name, number, 0) for number in known])

    def burst(self, claims: Sequence[str], limit: float) -> Burst:
        """Send claims at once and wait for all their packages."""
        waiting, found = self._numbered(claims), []
        before, requests_before = self.used(), self.requests()
        began = time.perf_counter()
        for job_id, value in waiting.items():
            self._producer.produce(self.settings.topic_prefix + topics.CLAIMS.name, value, job_id)
        self._producer.flush(limit)
        missing = set(waiting)
        while missing:
            for record in self._consumer.consume(num_messages=200, timeout=0.05):
                key = (record.key() or b"").decode()
                if record.error() is None and key in missing:
                    missing.discard(key)
                    found.append(record.value() or b"")
            if time.perf_counter() - began > limit:
                raise Stuck(f"{len(missing)} of {len(waiting)} claims had no verdict within {limit:.0f} s")
            for process in (self.outside, *self.workers):
                process.check()
        seconds = time.perf_counter() - began
        cpu = {name: used.cpu_ms - before[name].cpu_ms for name, used in self.used().items()}
        news = {name: count - requests_before.get(name, 0) for name, count in self.requests().items()}
        outside = {name: count for name, count in news.items() if count}
        return Burst(seconds, [json.loads(value) for value in found], cpu, outside, self.ears.news())

    def used(self) -> dict[str, Used]:
        """Of every process of ours."""
        workers = {f"worker {number}": worker.used() for number, worker in enumerate(self.workers, start=1)}
        return workers | {"outside": self.outside.used()}

    def requests(self) -> dict[str, int]:
        counts: dict[str, int] = httpx.get(f"{self.origin}/counts", timeout=10).json()
        return counts

    def close(self) -> None:
        self._consumer.close()

    def _numbered(self, claims: Sequence[str]) -> dict[str, bytes]:
        jobs = {}
        for claim in claims:
            self._count += 1
            job_id = f"bench-{self._count:06d}"
            jobs[job_id] = json.dumps({"job_id": job_id, "claim": claim}).encode()
        return jobs


def run_settings(folder: Path, origin: str, stance_model: Path | None, *, model: bool) -> dict[str, Any]:
    """What differs from the defaults in every worker of a run."""
    values: dict[str, Any] = {
        "data_dir": folder,
        "sample_web_url": f"{origin}/web",
        "metrics_port": 0,
        "log_format": "json",
        "credible_domains": trusting_the_town(Settings(data_dir=folder)).credible_domains,
        # First-time claims are what is measured: nothing may be answered from an earlier answer.
        "match_claims": False,
        "llm_cache_hours": 0,
    }
    if stance_model is not None:
        values["stance_model"] = stance_model
    if model:
        values |= {"openai_api_key": "local", "openai_base_url": f"{origin}/v1"}
    return values


def as_environment(values: Mapping[str, Any]) -> dict[str, str]:
    """The same for a process."""
    return {
        f"{PREFIX}{name.upper()}": ",".join(value) if isinstance(value, tuple) else str(value)
        for name, value in values.items()
    }


@contextmanager
def running(
    broker: Broker, folder: Path, *, workers: int, model: bool, stance_model: Path | None = None
) -> Iterator[System]:
    """A system with the sample town's knowledge base, ended with the block."""
    folder.mkdir(parents=True)
    prefix = f"{folder.name}-"
    names = [prefix + topic.name for topic in topics.TOPICS]
    broker.make_topics(names)
    with ExitStack() as stack:
        stack.callback(broker.drop_topics, names)
        outside = stack.enter_context(child(["benchmarks.whole.outside"], folder / "outside.log"))
        origin = outside.line("http://")
        values = run_settings(folder / "data", origin, stance_model, model=model)
        # Embedded as a supervisor tells its children: groups have one member.
        values |= {"broker": f"kafka://{broker.address}", "topic_prefix": prefix, "embedded": broker.embedded}
        settings = Settings(**values)
        asyncio.run(load_knowledge_base(settings))
        files = [folder / f"asked-{number}.jsonl" for number in range(workers)]
        children = [
            stack.enter_context(
                child(["benchmarks.whole.worker", str(file)], file.with_suffix(".log"), as_environment(values))
            )
            for file in files
        ]
        for one in children:
            one.line("worker started")
        system = System(broker, settings, outside, origin, children, Ears(files))
        stack.callback(system.close)
        yield system
