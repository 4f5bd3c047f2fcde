"""Which failures of a send belong to the record, and which to the broker."""

import pytest
from aiokafka.errors import (
    BrokerNotAvailableError,
    KafkaConnectionError,
    KafkaTimeoutError,
    MessageSizeTooLargeError,
    NotLeaderForPartitionError,
    ProducerClosed,
    RecordListTooLargeError,
    TopicAuthorizationFailedError,
    UnknownError,
    UnknownTopicOrPartitionError,
)
from faust.exceptions import ProducerSendError

from streams.delivery.producer import BrokerDown, FaustProducer, Headers, Undeliverable


class Acknowledgement:
    """What a Faust producer returns: awaited for the broker's answer."""

    def __init__(self, error: Exception | None) -> None:
        self._error = error

    def __await__(self) -> object:
        if self._error is not None:
            raise self._error
        return iter(())


class Broker:
    """A Faust app's producer that answers as it is told."""

    def __init__(self, *, at_once: Exception | None = None, later: Exception | None = None) -> None:
        self.producer = self
        self.sent: list[tuple[str, bytes | None, bytes | None, Headers | None]] = []
        self._at_once = at_once
        self._later = later

    async def send(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        *,
        partition: int | None,
        timestamp: float | None,
        headers: list[tuple[str, bytes | None]] | None,
    ) -> Acknowledgement:
        if self._at_once is not None:
            raise ProducerSendError("Error while sending") from self._at_once
        self.sent.append((topic, key, value, tuple(headers) if headers else None))
        return Acknowledgement(self._later)


OUTAGES = [
    BrokerNotAvailableError(),
    KafkaConnectionError(),
    KafkaTimeoutError(),
    NotLeaderForPartitionError(),
    ProducerClosed(),
    TopicAuthorizationFailedError(),
    UnknownError(),
    UnknownTopicOrPartitionError(),
]
REFUSALS = [MessageSizeTooLargeError(), RecordListTooLargeError()]


async def test_a_record_goes_under_the_prefix_with_its_headers() -> None:
    broker = Broker()
    await FaustProducer(broker, "eu.").send("verdicts", b"k", None, (("a", b"1"), ("b", None)))
    assert broker.sent == [("eu.verdicts", b"k", None, (("a", b"1"), ("b", None)))]


@pytest.mark.parametrize("error", [*OUTAGES, ConnectionResetError(), TimeoutError()], ids=repr)
async def test_an_outage_met_while_waiting_is_waited_for(error: Exception) -> None:
    with pytest.raises(BrokerDown):
        await FaustProducer(Broker(later=error), "").send("verdicts", b"k", b"v")


@pytest.mark.parametrize("error", OUTAGES, ids=repr)
async def test_an_outage_met_at_once_is_waited_for(error: Exception) -> None:
    with pytest.raises(BrokerDown):
        await FaustProducer(Broker(at_once=error), "").send("verdicts", b"k", b"v")


@pytest.mark.parametrize("error", REFUSALS, ids=repr)
async def test_a_record_that_the_broker_will_never_take_is_undeliverable(error: Exception) -> None:
    with pytest.raises(Undeliverable):
        await FaustProducer(Broker(later=error), "").send("verdicts", b"k", b"v")
    with pytest.raises(Undeliverable):
        await FaustProducer(Broker(at_once=error), "").send("verdicts", b"k", b"v")
