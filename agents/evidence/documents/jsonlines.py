"""JSON lines, plain or gzipped, one document per line; and JSON files that hold one object or a list of them."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from agents.evidence.documents.records import read_record
from agents.evidence.documents.values import Document, Piece, Reading, Skip


@dataclass(frozen=True, slots=True)
class Place:
    """Where a record stands, for people; and the stem of its file, which its address is made of."""

    where: str
    stem: str

    def at(self, number: int) -> "Place":
        """A numbered line or entry of the file."""
        return Place(f"{self.where}:{number}", self.stem)


def read_lines(stream: BinaryIO, raw: BinaryIO, place: Place, reading: Reading) -> Iterator[Piece]:
    """The documents of JSON lines. `raw` is the file beneath a decompressing `stream`: its position is the progress."""
    limit = reading.policy.max_line_bytes
    number = 0
    while line := stream.readline(limit + 1):
        number += 1
        here = place.at(number)
        if len(line) > limit:
            _to_end_of_line(stream, line, limit)
            yield Piece(Skip(here.where, "too_large", f"a line may hold {limit} bytes"), raw.tell())
        elif line.strip():
            yield Piece(_of_line(line, here, reading), raw.tell())


def read_whole(raw: bytes, place: Place, reading: Reading) -> Iterator[Piece]:
    """The documents of a JSON file: a list of objects, an object, or lines after all."""
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError):
        lines = [line for line in raw.splitlines() if line.strip()]
        if len(lines) < 2:
            yield Piece(Skip(place.where, "unreadable", "not JSON"), len(raw))
            return
        found = lines
    records = found if isinstance(found, list) else [found]
    for number, record in enumerate(records, start=1):
        read = _of_line if isinstance(record, bytes) else _of_value
        yield Piece(read(record, place.at(number), reading), len(raw) * number // len(records))
    if not records:
        yield Piece(Skip(place.where, "empty", "an empty list"), len(raw))


def _to_end_of_line(stream: BinaryIO, piece: bytes, size: int) -> None:
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(size)


def _of_line(line: bytes, place: Place, reading: Reading) -> Document | Skip:
    try:
        value = json.loads(line.removeprefix(b"\xef\xbb\xbf"))
    except (ValueError, RecursionError):
        return Skip(place.where, "bad_line", "not JSON")
    return _of_value(value, place, reading)


def _of_value(value: object, place: Place, reading: Reading) -> Document | Skip:
    if not isinstance(value, dict):
        return Skip(place.where, "bad_line", "not a JSON object")
    found = read_record(value, place.stem, reading)
    return Skip(place.where, "no_text", found) if isinstance(found, str) else found
