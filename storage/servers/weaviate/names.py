"""Names of collections as Weaviate accepts them: letters, digits and underscores, told apart without case."""

import re

from storage.errors import StoreRefused
from storage.ports.checks import identifier

PLAIN = re.compile(r"(?!x_)[a-z0-9_]+")
SPELLED = "x_"
"""Begins a name that is spelled as hexadecimal digits of its UTF-8."""

MAX_NAME = 200
"""Weaviate accepts 255 characters; a space of 41 and the mark of a generation must fit as well."""


def alias_of(space: str, collection: str) -> str:
    """The alias under which a collection is known on the server."""
    return f"{space}_{_spelled(collection)}"


def physical_of(space: str, collection: str, token: str) -> str:
    """The name of one generation of a collection."""
    return f"{alias_of(space, collection)}_{token}"


def collection_of(space: str, alias: str) -> str | None:
    """The collection that an alias stands for; None if it is not ours."""
    if not alias.startswith(f"{space}_"):
        return None
    name = alias.removeprefix(f"{space}_")
    if not name.startswith(SPELLED):
        return name
    try:
        return bytes.fromhex(name.removeprefix(SPELLED)).decode()
    except ValueError:
        return None


def _spelled(collection: str) -> str:
    identifier("collection", collection)
    name = collection if PLAIN.fullmatch(collection) else SPELLED + collection.encode().hex()
    if len(name) > MAX_NAME:
        raise StoreRefused(f"the collection name {collection[:40]!r}… is too long for Weaviate; choose a shorter one")
    return name
