"""Faust's Kafka transport with its waits taken out: no stage waits for a fetch, or for another stage's full buffer.

Faust's fetch listens for up to 1.5 s, and a node answers one fetch of a consumer at a time, so an event for one stage
may wait for a fetch that listens to the others: a second and a half per hop, with nothing else to do. Its conductor
hands events over one by one, and at the first full buffer it stands still for all stages.
"""

import inspect
import types
from collections.abc import Coroutine, Generator
from typing import Any

import aiokafka
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread, Consumer, Transport, server_list
from mode.services import WaitResults
from mode.utils.queues import ThrowableQueue

from streams.kafka import FETCH_WAIT_MS, client_options
from streams.settings import Settings

LOOK_AGAIN_SECONDS = 0.025
"""While a stage has enough in its buffer, its fetched events wait inside aiokafka, which wakes nobody for them."""


class RoomyQueue(ThrowableQueue):  # type: ignore[misc]  # mode has no types
    """A stage's buffer, which takes whatever has been fetched already.

    `maxsize` still says from where on no more is fetched for the stage; that is its bound, give or take one poll per
    partition. A buffer that could be full would stop the conductor, and with it every other stage.
    """

    def full(self) -> bool:
        return False


@types.coroutine
def _resumed(started: Coroutine[Any, Any, Any], waits_for: Any) -> Generator[Any, Any, Any]:
    """The rest of a coroutine that has run up to its first wait."""
    try:
        while True:
            try:
                sent = yield waits_for
            except BaseException as error:  # noqa: BLE001 - a cancellation is for the coroutine to see, like any other
                waits_for = started.throw(error)
            else:
                waits_for = started.send(sent)
    except StopIteration as done:
        return done.value


async def _rest(started: Coroutine[Any, Any, Any], waits_for: Any) -> Any:
    return await _resumed(started, waits_for)


class EagerHandover:
    """Of a Faust consumer, which watches over every event that it hands to a stage, with four tasks each.

    An event that need not wait for anything, as nearly all, is handed over without them.
    """

    async def wait_first(self, *coros: Any, timeout: Any = None) -> WaitResults:  # noqa: ASYNC109 - as mode has it
        """Run the first one until it waits; only then are the others waited for too, as mode does it."""
        first, *others = coros
        if inspect.iscoroutine(first):
            try:
                waits_for = first.send(None)
            except BaseException as ended:
                for other in filter(inspect.iscoroutine, others):
                    other.close()
                if isinstance(ended, StopIteration):
                    return WaitResults([first], [ended.value], False)
                raise
            first = _rest(first, waits_for)
        return await super().wait_first(first, *others, timeout=timeout)  # type: ignore[misc]  # mode.Service


def prompt_transport(app: Any, settings: Settings) -> Any:
    """A transport for `app`, whose consumer asks often."""

    class PromptThread(AIOKafkaConsumerThread):  # type: ignore[misc]  # Faust has no types
        def _create_worker_consumer(self, transport: Any) -> aiokafka.AIOKafkaConsumer:
            conf = self.app.conf
            self._assignor = RoundRobinPartitionAssignor  # we have no tables, so nothing needs Faust's own
            return aiokafka.AIOKafkaConsumer(
                **client_options(settings) | {"bootstrap_servers": server_list(transport.url, transport.default_port)},
                client_id=conf.broker_client_id,
                group_id=conf.id,
                partition_assignment_strategy=[self._assignor],
                enable_auto_commit=False,
                auto_offset_reset="earliest",
                max_poll_records=conf.broker_max_poll_records,
                max_poll_interval_ms=int(conf.broker_max_poll_interval * 1000.0),
                max_partition_fetch_bytes=conf.consumer_max_fetch_size,
                fetch_max_wait_ms=FETCH_WAIT_MS,
                request_timeout_ms=int(conf.broker_request_timeout * 1000.0),
                session_timeout_ms=int(conf.broker_session_timeout * 1000.0),
                rebalance_timeout_ms=int(conf.broker_rebalance_timeout * 1000.0),
                heartbeat_interval_ms=int(conf.broker_heartbeat_interval * 1000.0),
                # A topic that is made anew must not stay unknown for Faust's default of five minutes.
                metadata_max_age_ms=30_000,
            )

    class PromptConsumer(EagerHandover, Consumer):  # type: ignore[misc]  # likewise
        def _new_consumer_thread(self) -> PromptThread:
            return PromptThread(self, loop=self.loop, beacon=self.beacon)

        def ack(self, message: Any) -> bool:  # noqa: ARG002 - Faust's own
            """Faust also acknowledges what its streams merely pass over in a rebalance, and commits past it."""
            return False

        def acknowledge(self, message: Any) -> bool:
            """The delivery loop's word alone counts: this event is done, and so are all before it."""
            done: bool = super().ack(message)
            return done

        async def verify_all_partitions_active(self) -> None:
            """Our watchdog's work. Faust's own check fails, and ends the worker, while an offset is being looked up."""

        async def _getmany(self, active_partitions: Any, timeout: float) -> Any:  # noqa: ASYNC109 - Faust's own
            limit = LOOK_AGAIN_SECONDS if self._buffered_partitions else timeout
            return await super()._getmany(active_partitions, min(timeout, limit))

    class PromptTransport(Transport):  # type: ignore[misc]  # likewise
        Consumer = PromptConsumer

    return PromptTransport(app.conf.broker_consumer, app)
