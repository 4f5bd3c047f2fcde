"""Acknowledges only the completed prefix of each partition, so that a commit never passes unfinished work."""

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class Cell(Generic[T]):
    """One event in flight."""

    partition: Hashable
    event: T
    done: bool = False


class AckWindow(Generic[T]):
    """Events in the order they came, per partition. Faust only ever sees contiguous acknowledgements from it."""

    def __init__(self, acknowledge: Callable[[T], object]) -> None:
        self._acknowledge = acknowledge
        self._cells: dict[Hashable, deque[Cell[T]]] = {}

    def open(self, partition: Hashable, event: T) -> Cell[T]:
        """An event has been taken in hand."""
        cell = Cell(partition, event)
        self._cells.setdefault(partition, deque()).append(cell)
        return cell

    def close(self, cell: Cell[T]) -> None:
        """An event is done: acknowledge it, and those after it that were waiting, once all before it are done."""
        cell.done = True
        cells = self._cells[cell.partition]
        while cells and cells[0].done:
            self._acknowledge(cells.popleft().event)

    @property
    def in_flight(self) -> int:
        """Events taken and not yet acknowledged."""
        return sum(len(cells) for cells in self._cells.values())
