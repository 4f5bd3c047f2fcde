"""A submission is published until the broker has it: what was journalled before a crash is not forgotten."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from aiokafka.errors import KafkaConnectionError

from agents.claims.submission import Submission
from storage.ports import JobState, Outcome
from streams.gateway.desk import Desk
from streams.gateway.problems import Problem
from streams.gateway.published import Published
from tests.support.delivery import NOON, submission
from tests.unit.gateway.doors import gateway


class Broker:
    """Stands where the producer stands; refuses while it is down."""

    def __init__(self) -> None:
        self.down = False
        self.sent: list[bytes] = []

    async def send_and_wait(self, topic: str, *, key: bytes, value: bytes) -> None:
        if self.down:
            raise KafkaConnectionError("away")
        self.sent.append(key)


@pytest.fixture
async def counter(tmp_path: Path) -> AsyncIterator[tuple[Desk, Broker]]:
    broker = Broker()
    async with gateway(tmp_path, producer=broker) as (_, desk):
        yield desk, broker


@pytest.fixture
def claim() -> Submission:
    return submission()


async def test_a_claim_that_the_broker_did_not_take_is_published_when_it_is_sent_again(
    counter: tuple[Desk, Broker], claim: Submission
) -> None:
    desk, broker = counter
    broker.down = True
    with pytest.raises(Problem):
        await desk.submit(claim)
    broker.down = False
    await desk.submit(claim)
    assert broker.sent == [b"job-1"]


async def test_a_claim_whose_gateway_died_after_journalling_it_is_published_by_the_next(
    counter: tuple[Desk, Broker], claim: Submission
) -> None:
    desk, broker = counter
    await desk.admission.admit(claim)  # and then it died
    await desk.submit(claim)
    assert broker.sent == [b"job-1"]


async def test_a_claim_that_was_published_is_not_published_again_for_every_question(
    counter: tuple[Desk, Broker], claim: Submission
) -> None:
    desk, broker = counter
    for _ in range(3):
        await desk.submit(claim)
    assert broker.sent == [b"job-1"]


async def test_a_decided_claim_is_never_published_again(counter: tuple[Desk, Broker], claim: Submission) -> None:
    desk, broker = counter
    await desk.admission.admit(claim)
    await desk.ledger.decide(Outcome("job-1", 1, JobState.COMPLETED, b"{}", NOON))
    await desk.submit(claim)
    assert broker.sent == []


async def test_what_was_published_is_remembered_up_to_a_bound() -> None:
    published = Published(most=2)
    for job_id in ("a", "b", "c"):
        await published.once(job_id, _nothing)
    assert [job_id in published for job_id in ("a", "b", "c")] == [False, True, True]


async def _nothing() -> None:
    return


async def test_a_claim_sent_many_times_at_once_is_published_once(
    counter: tuple[Desk, Broker], claim: Submission
) -> None:
    desk, broker = counter
    await asyncio.gather(*(desk.submit(claim) for _ in range(50)))
    assert broker.sent == [b"job-1"]


async def test_of_two_claims_at_once_under_one_id_one_is_taken_and_the_other_refused(
    counter: tuple[Desk, Broker],
) -> None:
    desk, broker = counter
    claims = [submission(claim=f"Claim {number}.") for number in range(20)]
    answers = await asyncio.gather(*(desk.submit(claim) for claim in claims), return_exceptions=True)
    refused = [answer.status for answer in answers if isinstance(answer, Problem)]
    assert refused == [409] * 19
    assert broker.sent == [b"job-1"]


async def test_a_client_that_goes_away_does_not_take_the_publishing_with_it() -> None:
    published, asked, go = Published(), asyncio.Event(), asyncio.Event()

    async def publish() -> None:
        asked.set()
        await go.wait()

    first = asyncio.create_task(published.once("a", publish))
    await asked.wait()
    second = asyncio.create_task(published.once("a", publish))
    first.cancel()
    await asyncio.wait({first})
    go.set()
    await second
    assert "a" in published
