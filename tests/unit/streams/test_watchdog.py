"""A stream that stands still is noticed; one that is idle, paused or somebody else's is not."""

from typing import NamedTuple

from streams.watchdog import PATIENCE_BEFORE_EXIT, Watchdog
from streams.watermarks import Lag

STALL = 100.0


class Place(NamedTuple):
    topic: str
    partition: int


OURS = [Place("eu.claims", 0)]


def lag(committed: int | None, end: int, *, partition: int = 0, beginning: int = 0) -> Lag:
    return Lag("claims", partition, committed, beginning, end)


def watched(*looks: tuple[float, Lag], paused: tuple[str, ...] = (), assigned: list[Place] = OURS) -> Watchdog:
    dog = Watchdog(STALL)
    for now, seen in looks:
        dog.look([seen], assigned, now, paused=paused)
    return dog


def test_events_that_wait_with_no_commit_for_too_long_are_a_stall() -> None:
    dog = watched((0, lag(5, 9)), (STALL - 1, lag(5, 9)))
    assert (dog.stalled, dog.hopeless) == ([], False)
    dog.look([lag(5, 9)], OURS, STALL, paused=())
    assert (dog.stalled, dog.hopeless) == (["claims"], False)


def test_a_stall_that_lasts_is_hopeless() -> None:
    dog = watched((0, lag(5, 9)), (STALL * PATIENCE_BEFORE_EXIT, lag(5, 12)))
    assert dog.hopeless


def test_events_that_were_never_committed_can_stall_too() -> None:
    dog = watched((0, lag(None, 3)), (STALL, lag(None, 3)))
    assert dog.stalled == ["claims"]


def test_a_commit_that_moves_is_no_stall_however_long_the_queue() -> None:
    dog = watched((0, lag(5, 9000)), (STALL - 1, lag(6, 9000)), (STALL * 1.5, lag(6, 9000)))
    assert dog.stalled == []


def test_an_empty_partition_does_not_stall() -> None:
    assert watched((0, lag(9, 9)), (STALL * 5, lag(9, 9))).stalled == []


def test_waiting_begins_when_the_first_event_does() -> None:
    dog = watched((0, lag(9, 9)), (STALL * 5, lag(9, 9)), (STALL * 5 + 1, lag(9, 10)))
    assert dog.stalled == []


def test_somebody_elses_partition_is_not_ours_to_judge() -> None:
    assert watched((0, lag(5, 9)), (STALL * 5, lag(5, 9)), assigned=[Place("eu.claims", 1)]).stalled == []


def test_a_stage_that_waits_on_purpose_does_not_stall_and_gets_its_whole_patience_afterwards() -> None:
    dog = watched((0, lag(5, 9)), (STALL * 5, lag(5, 9)), paused=("claims",))
    assert dog.stalled == []
    dog.look([lag(5, 9)], OURS, STALL * 6 - 1, paused=())
    assert dog.stalled == []
    dog.look([lag(5, 9)], OURS, STALL * 6, paused=())
    assert dog.stalled == ["claims"]


def test_a_stage_that_waits_on_purpose_does_not_hide_another_one_that_stands_still() -> None:
    assert watched((0, lag(5, 9)), (STALL, lag(5, 9)), paused=("ranking",)).stalled == ["claims"]


def test_what_waits_is_counted_from_the_beginning_where_nothing_was_committed() -> None:
    assert lag(None, 9, beginning=4).waiting == 5
    assert lag(7, 9, beginning=4).waiting == 2
    assert lag(12, 9).waiting == 0
