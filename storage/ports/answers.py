"""AnswerStore: what language models answered, kept for a while, so that nobody pays twice for the same question."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from storage.errors import StoreRefused
from storage.ports.checks import aware, identifier, storable


@dataclass(frozen=True, slots=True)
class AnswerPolicy:
    """How much is kept."""

    max_entries: int = 20_000
    """The oldest go first beyond this. An answer has a few kilobytes, so all of them have less than 100 MB."""
    max_characters: int = 100_000
    """A longer text is no answer to any of our questions; it is not kept."""

    def __post_init__(self) -> None:
        if self.max_entries < 1 or self.max_characters < 1:
            raise StoreRefused("an answer store must be allowed to keep at least one answer of one character")


def checked_answer(key: str, text: str, until: datetime, now: datetime) -> tuple[str, str, datetime, datetime]:
    """What `put` was given, if it can be stored."""
    return identifier("key", key), storable("text", text), aware("until", until), aware("now", now)


class AnswerStore(Protocol):
    """Answers by key. The caller makes the key; whatever may change an answer must be part of it."""

    async def get(self, key: str, *, now: datetime) -> str | None:
        """The text kept under `key`, if it is there and `now` is before the end of its time."""
        ...

    async def put(self, key: str, text: str, *, until: datetime, now: datetime) -> None:
        """Keep `text` until `until`, in place of what was kept under `key`.

        What has run out by `now` goes, and of what is left the oldest beyond the policy's number.
        """
        ...

    async def purge(self, now: datetime) -> int:
        """Delete what has run out by `now`; return how many."""
        ...

    async def count(self) -> int:
        """How many answers are kept, those included that have run out and were not yet deleted."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the store."""
        ...
