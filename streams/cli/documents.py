"""Reading JSON documents that a user names: files or standard input, one document or one per line."""

import sys
from pathlib import Path

from streams.cli.errors import fail


def documents(files: list[str]) -> list[tuple[str, str]]:
    """Each package with where it came from; a file may hold one document or one per line."""
    found = []
    for file in files:
        try:
            text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise fail(f"cannot read {file}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}") from None
        lines = [line for line in text.splitlines() if line.strip()]
        if len(lines) > 1 and all(line.lstrip().startswith("{") and line.rstrip().endswith("}") for line in lines):
            found += [(f"{file}:{number}", line) for number, line in enumerate(lines, start=1)]
        else:
            found.append((file, text))
    return found
