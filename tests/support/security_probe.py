"""Builds one of each kind of Kafka client from the environment's settings, and prints what it would tell a broker.

A process of its own: Faust makes threads and event loops that live until the process ends.
"""

import asyncio
import json
from typing import Any

from aiokafka import AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient

from streams.app import build_app
from streams.kafka import client_options
from streams.settings import load_settings


def security(client: Any) -> dict[str, Any]:
    return {
        "protocol": client._security_protocol,
        "mechanism": client._sasl_mechanism,
        "username": client._sasl_plain_username,
        "password": client._sasl_plain_password,
        "tls": client._ssl_context is not None,
    }


async def main() -> None:
    settings = load_settings()
    app = build_app(settings, "probe")
    app.finalize()
    faust_consumer = app.consumer._new_consumer_thread()._create_worker_consumer(app.transport)
    clients = {
        "producer": AIOKafkaProducer(**client_options(settings)).client,
        "admin": AIOKafkaAdminClient(**client_options(settings))._client,
        "faust consumer": faust_consumer._client,
        "faust producer": app.producer._new_producer().client,
    }
    print(json.dumps({name: security(client) for name, client in clients.items()}))


if __name__ == "__main__":
    asyncio.run(main())
