"""What every store refuses at its door, so that each adapter refuses the same values with the same sentence."""

from datetime import UTC, datetime

from storage.errors import StoreRefused

MAX_IDENTIFIER = 512
"""Ids are keys on the wire and in every index; Neo4j's and Kafka's are far larger, a sane one is far smaller."""


def storable(name: str, text: str) -> str:
    """Return `text` if it can be written as UTF-8 (a lone surrogate cannot)."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise StoreRefused(f"{name} is not valid Unicode text (character {error.start}); clean it first") from None
    return text


def identifier(name: str, text: str) -> str:
    """Return `text` if it may serve as a key: storable, not empty, not absurdly long."""
    if not text:
        raise StoreRefused(f"{name} must not be empty")
    if len(text) > MAX_IDENTIFIER:
        raise StoreRefused(f"{name} is {len(text)} characters long; the limit is {MAX_IDENTIFIER}")
    return storable(name, text)


def aware(name: str, moment: datetime) -> datetime:
    """Return `moment` if it knows its time zone."""
    if moment.tzinfo is None:
        raise StoreRefused(f"{name} needs a time zone; use UTC")
    return moment.astimezone(UTC)
