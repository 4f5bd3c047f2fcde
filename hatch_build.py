"""Puts every local model of `models/` into the wheel. The stance model may be absent: then the rules answer."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LocalModels(BuildHookInterface):  # type: ignore[type-arg]  # hatchling's own configuration type is not exported
    """A folder with checksums is a model."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by hatchling before it packs."""
        if version == "editable":
            return  # a checkout reads its own folder
        for sums in sorted(Path(self.root, "models").glob("*/SHA256SUMS")):
            build_data["force_include"][str(sums.parent)] = f"agents/language/models/{sums.parent.name}"
