"""What may be committed is always what is finished: the completed prefix of each partition, in order."""

from hypothesis import given
from hypothesis import strategies as st

from streams.delivery.window import AckWindow, Cell

PARTITIONS = 3

# A history: each entry takes the next event of a partition, or finishes one of those in flight (chosen by number).
steps = st.lists(
    st.one_of(
        st.tuples(st.just("take"), st.integers(0, PARTITIONS - 1)),
        st.tuples(st.just("finish"), st.integers(0, 1000)),
    ),
    max_size=120,
)


@given(steps)
def test_acknowledgements_are_the_finished_prefix_of_each_partition_in_order(history: list[tuple[str, int]]) -> None:
    acked: list[tuple[int, int]] = []
    window: AckWindow[tuple[int, int]] = AckWindow(acked.append)
    taken: dict[int, int] = dict.fromkeys(range(PARTITIONS), 0)
    finished: set[tuple[int, int]] = set()
    open_cells: list[Cell[tuple[int, int]]] = []
    for what, number in history:
        if what == "take":
            open_cells.append(window.open(number, (number, taken[number])))
            taken[number] += 1
        elif open_cells:
            cell = open_cells.pop(number % len(open_cells))
            finished.add(cell.event)
            window.close(cell)
        for partition in range(PARTITIONS):
            offsets = [offset for where, offset in acked if where == partition]
            prefix = next((n for n in range(taken[partition]) if (partition, n) not in finished), taken[partition])
            assert offsets == list(range(prefix))
        assert window.in_flight == sum(taken.values()) - len(acked)


@given(st.permutations(range(8)))
def test_everything_is_acknowledged_once_whatever_the_order_of_finishing(order: list[int]) -> None:
    acked: list[int] = []
    window: AckWindow[int] = AckWindow(acked.append)
    cells = [window.open("p", number) for number in range(8)]
    for number in order:
        window.close(cells[number])
    assert acked == list(range(8))
    assert window.in_flight == 0


def test_a_held_event_keeps_back_its_own_partition_only() -> None:
    acked: list[str] = []
    window: AckWindow[str] = AckWindow(acked.append)
    window.open(0, "held")
    behind = window.open(0, "behind")
    elsewhere = window.open(1, "elsewhere")
    window.close(behind)
    window.close(elsewhere)
    assert acked == ["elsewhere"]
