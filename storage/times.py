"""Moments as the stores keep them: whole microseconds since 1970 in UTC, which sort and compare as numbers."""

from datetime import UTC, datetime, timedelta

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


def micros(moment: datetime) -> int:
    """Microseconds since 1970."""
    return (moment - EPOCH) // MICROSECOND


def moment_of(value: int) -> datetime:
    """The moment that `micros` came from, in UTC."""
    return EPOCH + value * MICROSECOND


def optional_micros(moment: datetime | None) -> int | None:
    """`micros` of a moment that may be absent."""
    return None if moment is None else micros(moment)


def optional_moment(value: int | None) -> datetime | None:
    """`moment_of` of a column that may be NULL."""
    return None if value is None else moment_of(value)
