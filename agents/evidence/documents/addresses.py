"""The address a document is known by: its own if it has one, else one made of where it lies. Stable across runs."""

from pathlib import Path, PurePath
from urllib.parse import quote

from storage.errors import StoreRefused
from storage.ports import normal_url
from storage.ports.evidence import content_hash

SCHEME = "doc:"
NAMELESS_DIGITS = 16
"""Hexadecimal digits of the text's hash that name a record without an id: 64 bits, no two of a corpus collide."""


def web_address(url: object) -> str | None:
    """The normalised form of an http or https address; None if it is not one."""
    if not isinstance(url, str) or not url.strip():
        return None
    try:
        return normal_url(url)
    except StoreRefused:
        return None


def file_address(path: Path, root: Path) -> str:
    """`doc:` with the way from the folder that was named; moving that folder changes nothing."""
    inner = path.relative_to(root.parent) if path != root else PurePath(path.name)
    return SCHEME + quote(inner.as_posix())


def record_address(stem: str, record_id: object, text: str) -> str:
    """`doc:<file stem>/<id>`; a record without an id is named by what it says."""
    named = isinstance(record_id, str | int) and not isinstance(record_id, bool) and str(record_id).strip()
    name = str(record_id).strip() if named else content_hash(text)[:NAMELESS_DIGITS]
    return f"{SCHEME}{quote(stem)}/{quote(name, safe='')}"


def bare_stem(name: str) -> str:
    """A file's name without what says how it is packed: `corpus.jsonl.gz` is `corpus`."""
    path = PurePath(name.removesuffix(".gz"))
    return path.stem or path.name
