"""The end of a log, for messages about something that failed."""

from pathlib import Path

TAIL_LINES = 20
TAIL_BYTES = 16_384


def tail(path: Path, lines: int = TAIL_LINES) -> str:
    """The last lines of a file, reading no more than its last bytes; a missing file is said to be missing."""
    if not path.is_file():
        return "(no log was written)"
    with path.open("rb") as handle:
        handle.seek(max(0, path.stat().st_size - TAIL_BYTES))
        text = handle.read().decode("utf-8", errors="replace")
    return "\n".join(text.splitlines()[-lines:]) or "(the log is empty)"
