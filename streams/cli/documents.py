"""Reading JSON documents that a user names: files or standard input, one document or one per line."""

import json
import sys
from pathlib import Path
from typing import Any

from agents.claims.package import VerdictPackage
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


def package_of(text: str) -> VerdictPackage:
    """A verdict package as it stands on `verdicts`, or as any route of the gateway answers it."""
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        return VerdictPackage.model_validate_json(text)  # says what is wrong with it
    return VerdictPackage.model_validate_json(json.dumps(_unwrapped(value)))


def _unwrapped(value: dict[str, Any]) -> dict[str, Any]:
    """Without what `/verify`, `/jobs/ID` and `/worker/verify` say around and beside the package."""
    inner = next((value[name] for name in ("package", "result") if isinstance(value.get(name), dict)), value)
    if "confidence" in inner and inner["confidence"] == inner.get("verdict_confidence"):
        return {name: member for name, member in inner.items() if name != "confidence"}
    return inner
