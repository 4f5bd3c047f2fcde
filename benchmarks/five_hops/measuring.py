"""One measurement: fresh topics, fresh worker processes, a warm-up, then a burst timed until its last claim is out."""

import json
import select
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from confluent_kafka import Consumer, Producer, TopicPartition

from benchmarks.five_hops.brokers import Broker, client
from benchmarks.five_hops.plan import HOPS, Order, message, topic
from benchmarks.processes import ModuleProcess, Stuck

READY_SECONDS = 60.0
ANSWER_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Case:
    """One way of running the topology."""

    variant: str
    wait: float
    workers: int
    claims: int
    warm_up: int
    in_flight: int = 16
    limit: float = 60.0
    """Seconds in which the claims must be through."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one run of a case gave."""

    claims_per_second: float
    cpu_ms_per_hop: float
    """Of the worker processes alone: what does not depend on how busy the machine is otherwise."""
    smallest_share: float
    """Of the handling, by the worker that did least: 0.5 is an even split between two."""


class WorkerProcess(ModuleProcess):
    """A worker in a process of its own, which answers on its standard output."""

    def __init__(self, order: Order) -> None:
        told = asdict(order) | {"folder": str(order.folder)}
        arguments = ["benchmarks.five_hops.worker", json.dumps(told)]
        super().__init__(arguments, order.folder / "worker.log", output=subprocess.PIPE)

    def ask(self) -> dict[str, float]:
        """What it has done so far."""
        self.process.send_signal(signal.SIGUSR1)
        return self.answer(ANSWER_SECONDS)

    def answer(self, seconds: float) -> dict[str, float]:
        """Its next line."""
        out = self.process.stdout
        assert out is not None
        readable, _, _ = select.select([out], [], [], seconds)
        line = out.readline() if readable else b""
        if not line:
            raise Stuck(f"a worker gave no answer; its log ends with:\n{self.log_tail()}")
        answer: dict[str, float] = json.loads(line)
        return answer


class Ends:
    """Both ends of the stream, held by the measuring process: librdkafka's clients, which cost it little."""

    def __init__(self, broker: Broker, prefix: str) -> None:
        self._first, self._last = topic(prefix, 0), topic(prefix, HOPS)
        self._producer = Producer({**client(broker.address), "linger.ms": 2})
        self._consumer = Consumer(
            {
                **client(broker.address),
                "group.id": f"{prefix}measure",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "fetch.wait.max.ms": 5,
            }
        )
        known = self._consumer.list_topics(self._last, timeout=READY_SECONDS).topics[self._last].partitions
        self._consumer.assign([TopicPartition(self._last, number, 0) for number in known])

    def burst(self, name: str, count: int, limit: float) -> float:
        """Send `count` claims at once; the seconds until the last of them can be read behind the last hop."""
        claims = [(f"{name}-{number:06d}".encode(), message(f"{name}-{number:06d}")) for number in range(count)]
        missing = {key for key, _ in claims}
        began = time.perf_counter()
        for key, value in claims:
            self._producer.produce(self._first, value, key)
        self._producer.flush(limit)
        while missing:
            for record in self._consumer.consume(num_messages=500, timeout=0.05):
                if record.error() is None:
                    missing.discard(record.key())
            if time.perf_counter() - began > limit:
                raise Stuck(f"{len(missing)} of {count} claims did not come out within {limit:.0f} s")
        return time.perf_counter() - began

    def close(self) -> None:
        self._consumer.close()


def measure(case: Case, broker: Broker, folder: Path, prefix: str) -> Sample:
    """Run a case once."""
    names = [topic(prefix, hop) for hop in range(HOPS + 1)]
    broker.make_topics(names)
    with ExitStack() as stack:
        stack.callback(broker.drop_topics, names)
        ends = Ends(broker, prefix)
        stack.callback(ends.close)
        workers = [stack.enter_context(_worker(case, broker, folder, prefix, n)) for n in range(case.workers)]
        for worker in workers:
            worker.answer(READY_SECONDS)
        try:
            ends.burst("warm", case.warm_up, case.limit)
            before = [worker.ask() for worker in workers]
            seconds = ends.burst("claim", case.claims, case.limit)
            after = [worker.ask() for worker in workers]
        except Stuck as stuck:
            raise Stuck(f"{case.variant}: {stuck}\n{workers[0].log_tail()}") from None
    handled = [then["handled"] - now["handled"] for now, then in zip(before, after, strict=True)]
    cpu = sum(then["cpu"] - now["cpu"] for now, then in zip(before, after, strict=True))
    return Sample(case.claims / seconds, 1000 * cpu / sum(handled), min(handled) / sum(handled))


@contextmanager
def _worker(case: Case, broker: Broker, folder: Path, prefix: str, number: int) -> Iterator[WorkerProcess]:
    own = folder / f"{prefix}{number}"
    own.mkdir(parents=True)
    worker = WorkerProcess(Order(case.variant, broker.address, prefix, case.wait, case.in_flight, own))
    try:
        yield worker
    finally:
        worker.end()
