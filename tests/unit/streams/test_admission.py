"""Whoever is refused is told to come again one after the other, as fast as jobs end."""

from streams.admission import LONGEST_WAIT, Line


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def measured(ended_per_second: int) -> tuple[Line, Clock]:
    """A line before a door behind which so many jobs end every second."""
    clock = Clock()
    line = Line(clock)
    for _ in range(140):
        line.admitted()
    clock.now += 1.0
    line.place(140 - ended_per_second)
    clock.now += 60.0
    return line, clock


def test_places_are_as_far_apart_as_jobs_end() -> None:
    line, _ = measured(20)
    # The last minute, in which nothing ended, has not been looked at yet by whoever comes within the same second.
    line._looked_at += 60.0
    places = [line.place(140) for _ in range(40)]
    assert [round(place, 3) for place in places] == [round((number + 1) / 20, 3) for number in range(40)]


def test_a_line_that_nobody_stands_in_is_short_again() -> None:
    line, clock = measured(20)
    for _ in range(400):
        line.place(140)
    clock.now += 3600.0
    assert line.place(140) <= 1.0


def test_nobody_is_sent_away_for_longer_than_the_bound_and_a_crowd_is_spread() -> None:
    line, _ = measured(1)
    places = [line.place(140) for _ in range(2000)]
    assert max(places) <= LONGEST_WAIT
    late = places[int(LONGEST_WAIT) :]
    assert min(late) >= LONGEST_WAIT / 2
    assert len({int(place) for place in late}) > 20
