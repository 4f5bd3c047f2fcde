"""An open file, or the answer of a server, read as what it is: many documents, or one."""

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, cast

from agents.evidence.documents.addresses import bare_stem
from agents.evidence.documents.bodies import Body, read_body
from agents.evidence.documents.jsonlines import Place, read_lines, read_whole
from agents.evidence.documents.kinds import Kind
from agents.evidence.documents.values import Piece, Reading, ReadingPolicy, Skip

GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Opened:
    """Bytes to read, what they are, the name people know them by, their address, and how many there are."""

    raw: BinaryIO
    kind: Kind
    where: str
    address: str
    size: int

    @property
    def plain(self) -> BinaryIO:
        """Decompressed where need be: the first two bytes tell, whatever the name says."""
        packed = self.raw.read(2) == GZIP_MAGIC
        self.raw.seek(0)
        return cast("BinaryIO", gzip.GzipFile(fileobj=self.raw)) if packed else self.raw


def read_documents(opened: Opened, reading: Reading, *, saved: bool = False) -> Iterator[Piece]:
    """Every document in `opened`; damage to a compressed file is raised."""
    place = Place(opened.where, bare_stem(opened.where.rpartition("/")[2]))
    if opened.kind == "lines":
        yield from read_lines(opened.plain, opened.raw, place, reading)
        return
    data = read_all(opened, reading.policy)
    if isinstance(data, Skip):
        yield Piece(data, opened.size)
    elif opened.kind == "json":
        for item, consumed in read_whole(data, place, reading):
            yield Piece(item, opened.size * consumed // len(data))
    else:
        body = Body(data, opened.kind, opened.address, opened.where)
        yield Piece(read_body(body, reading, saved=saved), opened.size)


def read_all(opened: Opened, policy: ReadingPolicy) -> bytes | Skip:
    """All of it, within the limit of its kind."""
    limits = {"pdf": policy.max_pdf_bytes, "json": policy.max_json_bytes}
    limit = limits.get(opened.kind, policy.max_text_bytes)
    data = opened.plain.read(limit + 1)
    if len(data) > limit:
        return Skip(opened.where, "too_large", f"larger than {limit} bytes")
    return data if data.strip() else Skip(opened.where, "empty", "nothing in it")
