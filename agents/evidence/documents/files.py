"""Files and folders: which of them can be read, and how each is opened. What is inside is read by `opened`."""

import gzip
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agents.evidence.documents.addresses import file_address
from agents.evidence.documents.kinds import READABLE, Kind, kind_of
from agents.evidence.documents.opened import Opened, read_all, read_documents
from agents.evidence.documents.values import Piece, Reading, ReadingPolicy, Skip


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file, the file or folder that was named to reach it, and its size on disk."""

    path: Path
    root: Path
    size: int
    kind: Kind


def find_files(root: Path) -> Iterator[FileSource | Skip]:
    """The files of a folder and everything below it, in a fixed order; or the one file that was named."""
    if root.is_dir():
        # The name of a folder that was given as "." or ".." is part of every address below it.
        top = root.resolve()
        for path in sorted(top.rglob("*")):
            hidden = any(part.startswith(".") for part in path.relative_to(top).parts)
            if not hidden and path.is_file():
                yield _source(path, top)
    else:
        yield _source(root, root)


def _source(path: Path, root: Path) -> FileSource | Skip:
    kind = kind_of(path.name)
    if kind is None:
        return Skip(str(path), "unknown_type", f"only {READABLE} are read")
    try:
        return FileSource(path, root, path.stat().st_size, kind)
    except OSError as error:
        return Skip(str(path), "unreadable", error.strerror or "cannot be opened")


def read_file(source: FileSource, reading: Reading | None = None) -> Iterator[Piece]:
    """Every document of a file. Whatever it holds, and even if it is gone, this yields and does not raise."""
    where = str(source.path)
    try:
        with source.path.open("rb") as raw:
            opened = Opened(raw, source.kind, where, file_address(source.path, source.root), source.size)
            yield from read_documents(opened, reading or Reading(), saved=True)
    except (EOFError, zlib.error, gzip.BadGzipFile):
        yield Piece(Skip(where, "unreadable", "the compressed file is damaged or cut off"), source.size)
    except OSError as error:
        yield Piece(Skip(where, "unreadable", error.strerror or str(error)), source.size)


def read_feed_file(source: FileSource, policy: ReadingPolicy | None = None) -> bytes | Skip:
    """The whole of a feed that was saved to a file."""
    where = str(source.path)
    try:
        with source.path.open("rb") as raw:
            return read_all(Opened(raw, source.kind, where, where, source.size), policy or ReadingPolicy())
    except (OSError, EOFError, zlib.error) as error:
        return Skip(where, "unreadable", getattr(error, "strerror", None) or "the file is damaged")
