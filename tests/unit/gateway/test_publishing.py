"""A submission is published until the broker has it: what was journalled before a crash is not forgotten."""

from pathlib import Path

import pytest
from aiokafka.errors import KafkaConnectionError

from agents.claims.submission import Submission
from storage.embedded.ledger import SqliteLedger
from storage.ports import JobState, Outcome
from streams.admission import Admission
from streams.gateway.desk import Desk, Published
from streams.gateway.hub import Hub
from streams.gateway.problems import Problem
from streams.settings import Settings
from tests.support.delivery import NOON, submission


class Broker:
    """Stands where the producer stands; refuses while it is down."""

    def __init__(self) -> None:
        self.down = False
        self.sent: list[bytes] = []

    async def send_and_wait(self, topic: str, *, key: bytes, value: bytes) -> None:
        if self.down:
            raise KafkaConnectionError("away")
        self.sent.append(key)


async def desk_over(folder: Path, broker: Broker) -> Desk:
    settings = Settings(data_dir=folder, broker="kafka://127.0.0.1:1")
    ledger = await SqliteLedger.open(folder / "ledger.sqlite")
    return Desk(settings, ledger, Admission(ledger, settings, lambda: NOON), broker, Hub(settings), "lexical-rules-1")


@pytest.fixture
def claim() -> Submission:
    return submission()


async def test_a_claim_that_the_broker_did_not_take_is_published_when_it_is_sent_again(
    tmp_path: Path, claim: Submission
) -> None:
    broker = Broker()
    desk = await desk_over(tmp_path, broker)
    broker.down = True
    with pytest.raises(Problem):
        await desk.submit(claim)
    broker.down = False
    await desk.submit(claim)
    assert broker.sent == [b"job-1"]
    await desk.ledger.close()


async def test_a_claim_whose_gateway_died_after_journalling_it_is_published_by_the_next(
    tmp_path: Path, claim: Submission
) -> None:
    broker = Broker()
    desk = await desk_over(tmp_path, broker)
    await desk.admission.admit(claim)  # and then it died
    await desk.submit(claim)
    assert broker.sent == [b"job-1"]
    await desk.ledger.close()


async def test_a_claim_that_was_published_is_not_published_again_for_every_question(
    tmp_path: Path, claim: Submission
) -> None:
    broker = Broker()
    desk = await desk_over(tmp_path, broker)
    for _ in range(3):
        await desk.submit(claim)
    assert broker.sent == [b"job-1"]
    await desk.ledger.close()


async def test_a_decided_claim_is_never_published_again(tmp_path: Path, claim: Submission) -> None:
    broker = Broker()
    desk = await desk_over(tmp_path, broker)
    await desk.admission.admit(claim)
    await desk.ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b"{}", NOON))
    await desk.submit(claim)
    assert broker.sent == []
    await desk.ledger.close()


def test_what_was_published_is_remembered_up_to_a_bound() -> None:
    published = Published(most=2)
    for job_id in ("a", "b", "c"):
        published.add(job_id)
    assert [job_id in published for job_id in ("a", "b", "c")] == [False, True, True]
