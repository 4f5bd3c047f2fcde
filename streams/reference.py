"""The reference pages of the handbook, written from the tables themselves (`make docs`)."""

import json
import sys
from pathlib import Path

from pydantic import AliasChoices

from agents.claims.package import VerdictPackage
from streams import metrics
from streams.settings import PREFIX, Settings
from streams.topics import DAY_MS, TOPICS
from streams.topology import STAGES

NOTE = "<!-- Written by `make docs` from the code's own tables; a test compares the two. -->\n"


def stream_page() -> str:
    """Stages and topics."""
    lines = [
        "# The stream",
        NOTE,
        "## Stages",
        "",
        "| stage | reads | may write | one try may take |",
        "|---|---|---|---|",
    ]
    for stage in STAGES:
        writes = ", ".join(f"`{topic.name}`" for topic in stage.writes)
        lines.append(f"| `{stage.name}` | `{stage.reads.name}` | {writes} | {stage.timeout:g} s |")
    lines += ["", "Every stage may also write `progress` and `dead-letters`.", "", "## Topics", ""]
    lines += ["| topic | carries | key | kept | largest value | purpose |", "|---|---|---|---|---|---|"]
    for topic in TOPICS:
        contract = f"`{topic.contract.__name__}`" if topic.contract else "raw bytes"
        kept = f"{topic.retention_ms // DAY_MS} days"
        size = f"{topic.value_max_bytes // 1024} KiB"
        lines.append(f"| `{topic.name}` | {contract} | {topic.key} | {kept} | {size} | {topic.purpose} |")
    return "\n".join(lines) + "\n"


def settings_page() -> str:
    """Every setting with its default."""
    lines = ["# Settings", NOTE, "| variable | default | meaning |", "|---|---|---|"]
    for name, field in Settings.model_fields.items():
        alias = field.validation_alias
        variable = alias.choices[0] if isinstance(alias, AliasChoices) else f"{PREFIX}{name.upper()}"
        default = field.get_default(call_default_factory=True, validated_data={})
        shown = ", ".join(default) if isinstance(default, tuple) else default
        meaning = " ".join((field.description or "").split())
        lines.append(f"| `{variable}` | {'unset' if shown in (None, '', {}) else f'`{shown}`'} | {meaning} |")
    return "\n".join(lines) + "\n"


def metrics_page() -> str:
    """Every series."""
    lines = ["# Metrics", NOTE, "| series | kind | labels | meaning |", "|---|---|---|---|"]
    for family, labels in metrics.catalogue():
        suffix = "_total" if family.type == "counter" else ""
        named = ", ".join(f"`{label}`" for label in labels) or "none"
        lines.append(f"| `{family.name}{suffix}` | {family.type} | {named} | {family.documentation} |")
    return "\n".join(lines) + "\n"


def verdict_schema() -> str:
    """The verdict package as JSON Schema: the same that the gateway serves."""
    return json.dumps(VerdictPackage.model_json_schema(mode="serialization"), indent=2) + "\n"


PAGES = {
    "stream.md": stream_page,
    "settings.md": settings_page,
    "metrics.md": metrics_page,
    "verdict.v1.schema.json": verdict_schema,
}


def main(folder: Path) -> None:
    """Write every page."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
