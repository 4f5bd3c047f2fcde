"""KeyRing: who may use the HTTP door. Only digests are kept, so what is stored opens nothing."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from storage.errors import StoreRefused
from storage.ports.checks import aware, identifier

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
"""Names stand in commands, lists and logs: no blanks, no quoting, one line."""


class Scope(StrEnum):
    """What a key is for. `admin` includes the other two."""

    SUBMIT = "submit"
    READ = "read"
    ADMIN = "admin"


@dataclass(frozen=True, slots=True)
class KeyLimits:
    """A key's own limits; None is the setting's value, 0 a minute is no limit."""

    submissions_per_minute: int | None = None
    submissions_burst: int | None = None
    reads_per_minute: int | None = None

    def __post_init__(self) -> None:
        for value in (self.submissions_per_minute, self.reads_per_minute):
            if value is not None and value < 0:
                raise StoreRefused("a limit is a number of requests, or 0 for none")
        if self.submissions_burst is not None and self.submissions_burst < 1:
            raise StoreRefused("a burst is at least one request; for no limit give 0 submissions per minute")


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key as it is kept. `key_id` is the public half of what its holder sends, `digest` the hash of the secret."""

    key_id: str
    name: str
    digest: str = field(repr=False)
    scopes: frozenset[Scope]
    created_at: datetime
    revoked_at: datetime | None = None
    limits: KeyLimits = KeyLimits()

    def __post_init__(self) -> None:
        identifier("key_id", self.key_id)
        identifier("digest", self.digest)
        aware("created_at", self.created_at)
        if not NAME.fullmatch(self.name):
            raise StoreRefused("a key's name is up to 64 letters, digits, dots, dashes and underscores")
        if not self.scopes:
            raise StoreRefused(f"a key needs a scope: {', '.join(Scope)}")
        if self.revoked_at is not None:
            aware("revoked_at", self.revoked_at)

    def allows(self, scope: Scope) -> bool:
        """Whether the key is good for this."""
        return self.revoked_at is None and (scope in self.scopes or Scope.ADMIN in self.scopes)


class KeyRing(Protocol):
    """Keys are added and revoked, never changed: a key that should do something else is another key."""

    async def add(self, key: ApiKey) -> None:
        """Keep a new key. Raises KeyNameTaken when a key that is not revoked has the name, or any key the id."""
        ...

    async def key(self, key_id: str) -> ApiKey | None:
        """The key with this id, revoked or not."""
        ...

    async def keys(self) -> list[ApiKey]:
        """All of them, oldest first."""
        ...

    async def revoke(self, name_or_id: str, now: datetime) -> ApiKey:
        """Close the key for ever, and return it; one that is revoked already stays as it was.

        A name means the key in force under it. Raises KeyUnknown when there is no such key.
        """
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...
