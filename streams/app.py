"""The Faust app: one agent per stage over raw bytes, each running our own loop."""

import asyncio
from collections.abc import Callable
from typing import Any

import faust

from streams.delivery.loop import StageLoop
from streams.kafka import compress_quickly, faust_credentials
from streams.settings import Settings
from streams.topology import STAGES, Stage
from streams.transport import RoomyQueue, prompt_transport

GROUP = "veristream"


class StageApp(faust.App):  # type: ignore[misc]  # Faust has no types
    """A Faust app in which one stage's full buffer does not stop the others."""

    def FlowControlQueue(self, maxsize: int | None = None, *, clear_on_resume: bool = False) -> RoomyQueue:  # noqa: N802 - Faust's
        return RoomyQueue(maxsize=maxsize, flow_control=self.flow_control, clear_on_resume=clear_on_resume)


def group_name(settings: Settings, stages: tuple[Stage, ...]) -> str:
    """All stages share one group; a worker of some stages has a group of its own, named after them."""
    base = f"{settings.topic_prefix}{GROUP}"
    return base if len(stages) == len(STAGES) else f"{base}.{'+'.join(stage.name for stage in stages)}"


def build_app(settings: Settings, group: str) -> Any:
    """Faust, set up so that it does only what we ask of it (docs/decisions/0004)."""
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    compress_quickly()
    app = StageApp(
        group,
        broker=settings.broker,
        broker_credentials=faust_credentials(settings),
        broker_commit_interval=0.25,
        broker_session_timeout=settings.kafka_session_timeout_seconds,
        broker_heartbeat_interval=settings.kafka_session_timeout_seconds / 5,
        broker_request_timeout=max(30.0, settings.kafka_session_timeout_seconds * 2),
        # A buffer takes one poll of every partition more than it asks for, so a poll is small.
        broker_max_poll_records=100,
        stream_buffer_maxsize=max(64, settings.in_flight * 4),
        # With True a rebalance or a stop waits, without a limit, for events that a paused stage holds or never took.
        # What is in hand may then be done twice by two workers, which every step is made for.
        stream_wait_empty=False,
        topic_disable_leader=True,
        topic_allow_declare=False,
        web_enabled=False,
        store="memory://",
        datadir=str(settings.data_dir / "faust"),
        producer_acks=-1,
        producer_linger=0.005,
        producer_compression_type="gzip",
        producer_max_request_size=9 * 1024 * 1024,
        producer_request_timeout=30.0,
        key_serializer="raw",
        value_serializer="raw",
        # Logging is ours (streams.logs); Faust would otherwise reconfigure the root logger.
        logging_config=None,
    )
    app.transport = prompt_transport(app, settings)
    return app


def attach(
    app: Any, settings: Settings, stage: Stage, loop: StageLoop, failed: Callable[[BaseException], None]
) -> None:
    """Give a stage its agent. An agent whose error escapes would acknowledge the event, so it ends the worker."""
    topic = app.topic(
        settings.topic_prefix + stage.reads.name,
        key_type=bytes,
        value_type=bytes,
        key_serializer="raw",
        value_serializer="raw",
    )

    async def agent(stream: Any) -> None:
        try:
            await loop.run(stream.noack().events())
        except Exception as error:  # noqa: BLE001 - Faust would acknowledge the event and start the agent again
            failed(error)
            await asyncio.Event().wait()

    app.agent(topic, name=stage.name, concurrency=1)(agent)
