"""Time as tests need it."""

from datetime import UTC, datetime


def noon() -> datetime:
    """Always the same moment."""
    return datetime(2026, 1, 15, 12, tzinfo=UTC)
