"""Sending with the broker's acknowledgement awaited, and its failures told apart: wait for it, or give up."""

from typing import Any, Protocol

from aiokafka.errors import KafkaError
from faust.exceptions import ProducerSendError

Headers = tuple[tuple[str, bytes], ...]


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
        except ProducerSendError as error:
            raise BrokerDown(str(error)) from error
        except KafkaError as error:
            # aiokafka marks what may succeed later; a timeout in its own buffer counts as such too.
            if error.retriable or "Timeout" in type(error).__name__:
                raise BrokerDown(f"{type(error).__name__}: {error}") from error
            raise Undeliverable(f"{type(error).__name__}: {error}") from error
        except (ConnectionError, TimeoutError) as error:
            raise BrokerDown(str(error)) from error
