"""Where downloaded and built software is kept, outside any checkout, and how a half-finished one is never used."""

import contextlib
import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from deploy.servers.errors import ServiceError

CACHE_VARIABLE = "VERISTREAM_SERVICES_CACHE"

LOCK_SECONDS = 3600.0
"""Another process may be building the same thing; a cold build takes ten minutes on two cores."""

LOCK_POLL_SECONDS = 0.5


def cache_root(environment: Mapping[str, str]) -> Path:
    """The cache folder: what the environment says, else the user's own cache."""
    chosen = environment.get(CACHE_VARIABLE)
    if chosen:
        return Path(chosen).expanduser().resolve()
    return Path(environment.get("HOME") or Path.home()) / ".cache" / "veristream" / "services"


@contextlib.contextmanager
def locked(path: Path, timeout: float = LOCK_SECONDS) -> Iterator[None]:
    """Hold an exclusive lock on `path`; the system drops it when the holder dies, so it cannot go stale."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a") as handle:
        deadline = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise ServiceError(f"another process has held {path} for {timeout:.0f} s; end it first") from None
                time.sleep(LOCK_POLL_SECONDS)
        yield


@dataclass(frozen=True, slots=True)
class Cache:
    """Folders named after product and version. One exists under its final name only when it is complete."""

    root: Path

    def folder(self, name: str, version: str) -> Path:
        return self.root / f"{name}-{version}"

    def log(self, name: str) -> Path:
        return self.root / "logs" / f"install-{name}.log"

    def ensure(self, name: str, version: str, lock: str, build: Callable[[Path], None]) -> Path:
        """The complete folder of `name`, built by `build(staging folder)` when it is not there yet.

        The staging folder lies beside the final one, so that one rename (atomic on a file system) completes it:
        a build that was killed leaves nothing that looks usable.
        """
        final = self.folder(name, version)
        if final.is_dir():
            return final
        with locked(self.root / "locks" / f"{lock}.lock"):
            if final.is_dir():  # built by whoever held the lock before us
                return final
            staging = Path(tempfile.mkdtemp(prefix=f".{name}-{version}.", dir=self.root))
            try:
                build(staging)
                staging.chmod(0o755)
                os.rename(staging, final)  # noqa: PTH104 - os.rename refuses a non-empty target on every platform
            except BaseException:
                shutil.rmtree(staging, ignore_errors=True)
                raise
        return final
