"""Server processes that outlive the command that started them, signalled only while provably the same."""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
BOOT_ID = PROC / "sys" / "kernel" / "random" / "boot_id"

POLL_SECONDS = 0.05
KILL_SECONDS = 15.0
"""After SIGKILL only the kernel is in the way; it needs long only to free much memory or finish disk writes."""

PS_SECONDS = 10.0

KEPT_VARIABLES = ("PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "JAVA_HOME")
"""Servers read many variables; only these come from the caller, so that a shell's set-up cannot change them."""

_children: dict[int, subprocess.Popen[bytes]] = {}
"""What this very process started: a parent must collect its dead children, or they stay visible as zombies."""


@dataclass(frozen=True, slots=True)
class Handle:
    """A process id together with what tells this process from a later one under the same id."""

    pid: int
    identity: str


def parse_stat(stat: str) -> str | None:
    """The start time in a /proc/<pid>/stat line, or None for a process of which nothing runs any more.

    After SIGKILL the first thread can be a zombie while others still hold the ports: that process is not dead yet.
    """
    # The command name is in parentheses and may itself hold spaces and parentheses: count from the last one.
    fields = stat.rpartition(")")[2].split()
    state, threads, started_ticks = fields[0], int(fields[17]), fields[19]
    if state == "X" or (state == "Z" and threads <= 1):
        return None
    return started_ticks


def _linux_identity(pid: int) -> str | None:
    try:
        started = parse_stat((PROC / str(pid) / "stat").read_text(encoding="utf-8", errors="replace"))
        boot = BOOT_ID.read_text(encoding="ascii").strip()
    except OSError:
        return None
    return None if started is None else f"{boot}:{started}"


def _portable_identity(pid: int) -> str | None:
    ps = shutil.which("ps")
    if ps is None:
        return None
    answer = subprocess.run(
        [ps, "-o", "state=,lstart=", "-p", str(pid)], capture_output=True, text=True, timeout=PS_SECONDS, check=False
    )
    state, _, started = answer.stdout.strip().partition(" ")
    return None if not started or state.startswith("Z") else " ".join(started.split())


def identity(pid: int) -> str | None:
    """What stays the same for the life of process `pid` and differs for the next one; None when it is dead."""
    child = _children.get(pid)
    if child is not None and child.poll() is not None:
        del _children[pid]
    return _linux_identity(pid) if BOOT_ID.exists() else _portable_identity(pid)


def alive(handle: Handle) -> bool:
    """Whether that very process still runs."""
    return bool(handle.identity) and identity(handle.pid) == handle.identity


def server_environment(caller: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    return {name: caller[name] for name in KEPT_VARIABLES if name in caller} | dict(own)


def spawn(command: Sequence[str], log: Path, environment: Mapping[str, str], folder: Path) -> Handle:
    """Start a process in a session of its own (a Ctrl-C here does not reach it), all output in `log`.

    The log of the run before is kept beside it: after a crash that is the one worth reading.
    """
    if log.exists():
        log.replace(log.with_suffix(".previous.log"))
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=dict(environment),
            cwd=folder,
            start_new_session=True,
        )
    _children[process.pid] = process
    return Handle(process.pid, identity(process.pid) or "")


def send(handle: Handle, number: signal.Signals) -> bool:
    """Signal that very process; False when it is gone, whoever may have its id now."""
    if not alive(handle):
        return False
    try:
        os.kill(handle.pid, number)
    except ProcessLookupError:
        return False
    return True


def await_end(handles: Iterable[Handle], timeout: float) -> list[Handle]:
    """Those still alive after `timeout` seconds, or none as soon as all have ended."""
    deadline = time.monotonic() + timeout
    left = [handle for handle in handles if alive(handle)]
    while left and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
        left = [handle for handle in left if alive(handle)]
    return left


def end(handles: Sequence[Handle], grace: float) -> list[Handle]:
    """SIGTERM, then SIGKILL for what has not ended within `grace` seconds. Returns what survived both."""
    for handle in handles:
        send(handle, signal.SIGTERM)
    stubborn = await_end(handles, grace)
    return kill(stubborn)


def kill(handles: Sequence[Handle]) -> list[Handle]:
    """SIGKILL now. Returns what survived it."""
    for handle in handles:
        send(handle, signal.SIGKILL)
    return await_end(handles, KILL_SECONDS)
