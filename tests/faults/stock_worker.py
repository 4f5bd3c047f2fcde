"""The negative control: a stock Faust agent with `concurrency=2`, under Faust's own rule for what may be committed."""

import json
import os
from datetime import UTC, datetime

import faust

from agents.results import Note
from streams import topics
from streams.contracts import Position, progress
from streams.settings import load_settings
from tests.faults.holding import Hold, answer

settings = load_settings()
hold = Hold.from_environment()
app = faust.App(
    os.environ["HOLD_GROUP"],
    broker=settings.broker,
    topic_disable_leader=True,
    topic_allow_declare=False,
    web_enabled=False,
    store="memory://",
    datadir=str(settings.data_dir / "faust"),
    broker_commit_interval=0.25,
    broker_session_timeout=settings.kafka_session_timeout_seconds,
    broker_heartbeat_interval=settings.kafka_session_timeout_seconds / 5,
)


def raw(name: str) -> faust.TopicT:
    return app.topic(settings.topic_prefix + name, key_type=bytes, value_type=bytes, value_serializer="raw")


async def intake(claims: faust.StreamT[bytes]) -> None:
    async for value in claims:
        job_id = json.loads(value)["job_id"]
        await hold.maybe(job_id)
        [note] = progress("intake", Position(job_id), [Note("answered")], datetime.now(UTC))
        for name, said in ((topics.VERDICTS.name, answer(job_id)), (topics.PROGRESS.name, note.model_dump_json())):
            await (await raw(name).send(key=job_id.encode(), value=said if isinstance(said, bytes) else said.encode()))


app.agent(raw(topics.CLAIMS.name), concurrency=2)(intake)

if __name__ == "__main__":
    settings.data_dir.mkdir(parents=True, exist_ok=True)
    app.main()
