"""An offset that skips ahead is lost data, and is said aloud with the range that is gone."""

from collections import deque

from aiokafka.errors import KafkaConnectionError
from prometheus_client import CollectorRegistry

from streams import metrics
from streams.delivery.dead_letters import Message
from streams.watermarks import LossDetector
from tests.support.delivery import Time


class Committed:
    """What a group has committed; answers with an error first, as often as told."""

    def __init__(self, offset: int | None, *errors: Exception) -> None:
        self.offset = offset
        self.errors = deque(errors)
        self.asked = 0

    async def committed(self, topic: str, partition: int) -> int | None:
        self.asked += 1
        if self.errors:
            raise self.errors.popleft()
        return self.offset


def message(offset: int, partition: int = 0) -> Message:
    return Message("ranking", partition, offset, None, b"")


def lost_events() -> float:
    registry: CollectorRegistry = metrics.WORKER
    return registry.get_sample_value("veristream_lost_events_total", {"topic": "ranking"}) or 0.0


async def test_offsets_that_follow_each_other_are_no_loss_and_ask_the_broker_once() -> None:
    group = Committed(5)
    losses = LossDetector(group)
    for offset in (5, 6, 7):
        await losses.arrived(message(offset))
    assert losses.lost == []
    assert group.asked == 1


async def test_a_first_offset_past_the_committed_one_is_lost_data() -> None:
    before = lost_events()
    losses = LossDetector(Committed(5))
    await losses.arrived(message(9))
    assert losses.lost == ["ranking[0] offsets 5..8"]
    assert lost_events() - before == 4


async def test_a_gap_in_the_middle_is_lost_data_and_is_said_once() -> None:
    losses = LossDetector(Committed(0))
    for offset in (0, 1, 50, 51):
        await losses.arrived(message(offset))
    assert losses.lost == ["ranking[0] offsets 2..49"]


async def test_events_that_come_again_are_no_loss() -> None:
    losses = LossDetector(Committed(0))
    for offset in (0, 1, 2, 0, 1, 2, 3):
        await losses.arrived(message(offset))
    assert losses.lost == []


async def test_a_partition_that_others_moved_on_meanwhile_is_no_loss() -> None:
    group = Committed(0)
    losses = LossDetector(group)
    await losses.arrived(message(0))
    losses.forget()
    group.offset = 40
    await losses.arrived(message(40))
    assert losses.lost == []


async def test_where_partitions_began_is_known_what_lies_before_the_first_commit_counts() -> None:
    losses = LossDetector(Committed(None), origin=0)
    await losses.arrived(message(3))
    assert losses.lost == ["ranking[0] offsets 0..2"]


async def test_a_new_group_on_an_old_topic_has_lost_nothing() -> None:
    losses = LossDetector(Committed(None))
    await losses.arrived(message(3))
    assert losses.lost == []


async def test_a_broker_that_does_not_answer_is_asked_again_rather_than_trusted() -> None:
    time = Time()
    losses = LossDetector(Committed(5, KafkaConnectionError(), ConnectionResetError()), sleep=time.sleep)
    await losses.arrived(message(9))
    assert len(time.slept) == 2
    assert losses.lost == ["ranking[0] offsets 5..8"]
