"""Faust's Kafka transport with one thing changed: how long a fetch waits for news.

Faust waits up to 1.5 s, and a node answers one fetch of a consumer at a time, so an event for one stage may wait for
a fetch that listens to the others: a second and a half per hop, with nothing else to do.
"""

from typing import Any

import aiokafka
from aiokafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from faust.transport.drivers.aiokafka import AIOKafkaConsumerThread, Consumer, Transport, server_list

from streams.kafka import FETCH_WAIT_MS, client_options
from streams.settings import Settings


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

    class PromptConsumer(Consumer):  # type: ignore[misc]
        def _new_consumer_thread(self) -> PromptThread:
            return PromptThread(self, loop=self.loop, beacon=self.beacon)

    class PromptTransport(Transport):  # type: ignore[misc]
        Consumer = PromptConsumer

    return PromptTransport(app.conf.broker_consumer, app)
