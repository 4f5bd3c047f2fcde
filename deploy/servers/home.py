"""The folder in which one set of servers lives: ports, process ids, secrets, configuration, data and logs."""

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from deploy.servers.errors import ServiceError
from deploy.servers.processes import Handle

SECRET_BYTES = 24
"""Written as hexadecimal digits: such a secret never needs quoting and never looks like an option."""

STATE_VERSION = 1


@dataclass(frozen=True, slots=True)
class Member:
    """One process of a service: its ports, kept for its life, and the process that last ran it."""

    name: str
    ports: Mapping[str, int]
    handle: Handle | None = None


@dataclass(frozen=True, slots=True)
class Home:
    """Paths and small files of one service under one home folder."""

    root: Path
    service: str

    @property
    def state_file(self) -> Path:
        return self.root / f"{self.service}.json"

    @property
    def secret_file(self) -> Path:
        return self.root / f"{self.service}.secret"

    @property
    def lock_file(self) -> Path:
        return self.root / f".{self.service}.lock"

    @property
    def folder(self) -> Path:
        """Everything of the service that `wipe` removes."""
        return self.root / self.service

    def create(self) -> None:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.folder.mkdir(exist_ok=True, mode=0o700)

    def load(self) -> list[Member]:
        """The members as last saved; none when the service never ran here."""
        try:
            saved = json.loads(self.state_file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise ServiceError(f"{self.state_file} cannot be read ({error}); delete it and start again") from None
        if not isinstance(saved, dict) or saved.get("version") != STATE_VERSION:
            raise ServiceError(f"{self.state_file} was written by another version; delete it and start again")
        return [
            Member(
                name=member["name"],
                ports=dict(member["ports"]),
                handle=Handle(**member["handle"]) if member["handle"] else None,
            )
            for member in saved["members"]
        ]

    def save(self, members: list[Member]) -> None:
        """Replace the state in one step: a reader sees the old one or the new one."""
        state = {"version": STATE_VERSION, "service": self.service, "members": [asdict(member) for member in members]}
        draft = self.state_file.with_suffix(".json.new")
        draft.write_text(json.dumps(state, indent=2) + "\n", encoding="utf-8")
        draft.replace(self.state_file)

    def secret(self) -> str | None:
        """The stored secret, or None where none was made yet."""
        try:
            return self.secret_file.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None

    def ensure_secret(self) -> str:
        """The secret of this home, made at random on first use and readable by its owner only."""
        known = self.secret()
        if known is not None:
            return known
        write_private(self.secret_file, secrets.token_hex(SECRET_BYTES) + "\n")
        return self.ensure_secret()


def write_private(path: Path, text: str) -> None:
    """Create a file that only its owner can read, from its first byte on."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="ascii") as handle:
        handle.write(text)
