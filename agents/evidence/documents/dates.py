"""The day in the many ways in which files and feeds write it."""

import re
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_COMPACT_DAY = re.compile(r"(\d{4})(\d{2})(\d{2})(?:\D|$)")
MILLISECONDS_FROM = 100_000_000_000
"""A number this large counts milliseconds: as seconds it would lie after the year 5000."""


def day_of(value: object, latest: date | None = None) -> date | None:
    """The day that `value` names: ISO, compact, mail style, or seconds since 1970. None after `latest`."""
    try:
        found = _day(value)
    except (ValueError, OverflowError, OSError):
        return None
    return None if found is None or (latest is not None and found > latest) else found


def _day(value: object) -> date | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        # Small numbers are years or counts, not moments; 10^8 seconds is 1973.
        seconds = value / 1000 if value >= MILLISECONDS_FROM else value
        return datetime.fromtimestamp(seconds, UTC).date() if seconds >= 1e8 else None
    if not isinstance(value, str):
        return None
    text = value.strip()
    if iso := _ISO_DAY.match(text):
        return date.fromisoformat(iso.group())
    if compact := _COMPACT_DAY.match(text):
        return date(*(int(part) for part in compact.groups()))
    return parsedate_to_datetime(text).date() if text else None
