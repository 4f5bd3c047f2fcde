"""Sending with the broker's acknowledgement awaited, and its failures told apart: wait for it, or give up."""

from typing import Any, Protocol

from aiokafka.errors import (
    InvalidTimestampError,
    KafkaError,
    MessageSizeTooLargeError,
    RecordListTooLargeError,
    RecordTooLargeError,
)
from faust.exceptions import ProducerSendError

Headers = tuple[tuple[str, bytes | None], ...]

# The record's own fault. Everything else (no leader, no permission, an unknown error of a broker that is starting)
# says nothing about the record, and burying events for it would empty the stream into the dead letters.
REFUSED = (MessageSizeTooLargeError, RecordListTooLargeError, RecordTooLargeError, InvalidTimestampError)


class BrokerDown(Exception):  # noqa: N818 - reads as what happened
    """The broker did not take the record; it may take it later."""


class Undeliverable(Exception):  # noqa: N818 - reads as what happened
    """The broker will never take this record."""


class Producer(Protocol):
    """Sends one record and returns when the broker has acknowledged it."""

    async def send(self, topic: str, key: bytes | None, value: bytes | None, headers: Headers = ()) -> None: ...


class FaustProducer:
    """The producer of a Faust app, over topics that carry raw bytes."""

    def __init__(self, app: Any, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def send(self, topic: str, key: bytes | None, value: bytes | None, headers: Headers = ()) -> None:
        try:
            acknowledged = await self._app.producer.send(
                self._prefix + topic, key, value, partition=None, timestamp=None, headers=list(headers) or None
            )
            await acknowledged
        except (ProducerSendError, KafkaError, ConnectionError, TimeoutError) as error:
            raise told_apart(error) from error


def told_apart(error: Exception) -> BrokerDown | Undeliverable:
    """Whether the broker has to be waited for, or will never take this record."""
    # Faust wraps what aiokafka raises before anything is sent.
    cause = error.__cause__ if isinstance(error, ProducerSendError) and error.__cause__ is not None else error
    message = f"{type(cause).__name__}: {cause}"
    return Undeliverable(message) if isinstance(cause, REFUSED) else BrokerDown(message)
