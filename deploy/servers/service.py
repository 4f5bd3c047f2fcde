"""What every server has in common: launch, wait until it answers, stop, kill, wipe."""

import abc
import os
import random
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import ClassVar

from deploy.servers import ports, processes
from deploy.servers.cache import Cache, cache_root, locked
from deploy.servers.errors import ServiceError
from deploy.servers.home import Home, Member
from deploy.servers.logs import tail
from deploy.servers.recipes import Recipe, installed

HOME_LOCK_SECONDS = 300.0
"""Longer than the slowest start or stop that another command may be in the middle of."""

READY_POLL_SECONDS = 0.1


class LocalService(abc.ABC):
    """One service in one home folder: one process, or several for a cluster.

    Every instance reads the home's state anew, so a test, a second test and the command line may each make
    their own object for the same home.
    """

    name: ClassVar[str]
    recipe: ClassVar[Recipe]
    port_names: ClassVar[tuple[str, ...]]
    ready_seconds: ClassVar[float]
    stop_seconds: ClassVar[float]

    def __init__(
        self,
        home: Path,
        *,
        cache: Cache | None = None,
        given_ports: Sequence[Mapping[str, int]] = (),
        draw: random.Random | None = None,
    ) -> None:
        self.home = Home(home, self.name)
        self.cache = cache or Cache(cache_root(os.environ))
        self.given_ports = given_ports
        self.draw = draw or random.SystemRandom()

    # What each server says about itself

    @abc.abstractmethod
    def member_names(self) -> list[str]:
        """The processes it consists of."""

    @abc.abstractmethod
    def prepare(self, members: Sequence[Member]) -> None:
        """Write configuration and do what must be done before a first start; harmless when repeated."""

    @abc.abstractmethod
    def command(self, member: Member) -> list[str]:
        """What to execute."""

    @abc.abstractmethod
    def own_environment(self, member: Member) -> dict[str, str]:
        """Variables the server needs."""

    @abc.abstractmethod
    def answers(self, member: Member, running: Sequence[Member]) -> bool:
        """Whether the server does its work now, asked in its own protocol."""

    @abc.abstractmethod
    def settings(self) -> dict[str, str]:
        """The VERISTREAM_* variables that lead to it."""

    # What is the same for all

    @property
    def software(self) -> Path:
        folder = self.cache.folder(self.recipe.name, self.recipe.version)
        if not installed(self.recipe, self.cache):
            raise ServiceError(f"{self.name} is not installed; run `python3 deploy/services.py install {self.name}`")
        return folder

    def folder(self, member: Member) -> Path:
        return self.home.folder / member.name

    def log(self, member: Member) -> Path:
        return self.folder(member) / "server.log"

    def members(self) -> list[Member]:
        return self.home.load()

    def running(self) -> list[Member]:
        return [member for member in self.members() if is_running(member)]

    def placed_members(self) -> list[Member]:
        """The members, whose ports are known since the first start (or `reserve`)."""
        members = self.members()
        if not members:
            raise ServiceError(f"{self.name} has no ports yet in {self.home.root}; run `start {self.name}` first")
        return members

    def reserve(self) -> None:
        """Choose the ports without starting anything: for clients that must be there before their server."""
        self.home.create()
        with locked(self.home.lock_file, HOME_LOCK_SECONDS):
            self.home.save(self._planned())

    def launch(self, only: str | None = None) -> None:
        """Start what is not running (or that one member of it), without waiting for it to answer."""
        self._check_name(only)
        software = self.software
        self.home.create()
        with locked(self.home.lock_file, HOME_LOCK_SECONDS):
            members = self._planned()
            waiting = [member for member in members if not is_running(member) and only in {None, member.name}]
            self._check_ports(waiting)
            for member in members:
                self.folder(member).mkdir(exist_ok=True, mode=0o700)
            if waiting:
                self.prepare(members)
            for member in waiting:
                environment = processes.server_environment(os.environ, self.own_environment(member))
                handle = processes.spawn(self.command(member), self.log(member), environment, software)
                members = [replace(other, handle=handle) if other.name == member.name else other for other in members]
                self.home.save(members)

    def wait_ready(self, timeout: float | None = None) -> None:
        """Return when every running member answers; a member that ends or stays silent is an error with its log."""
        limit = self.ready_seconds if timeout is None else timeout
        deadline = time.monotonic() + limit
        waiting = [member for member in self.members() if member.handle is not None]
        if not waiting:
            raise ServiceError(f"{self.name} was not started in {self.home.root}; run `start {self.name}` first")
        while True:
            for member in waiting:
                if not is_running(member):
                    raise ServiceError(f"{self.name} {member.name} ended; its log ends with:\n{tail(self.log(member))}")
            waiting = [member for member in waiting if not self.answers(member, self.running())]
            if not waiting:
                return
            if time.monotonic() > deadline:
                silent = waiting[0]
                raise ServiceError(
                    f"{self.name} {silent.name} did not answer within {limit:.0f} s; "
                    f"its log ends with:\n{tail(self.log(silent))}"
                )
            time.sleep(READY_POLL_SECONDS)

    def start(self, only: str | None = None, timeout: float | None = None) -> None:
        """Launch and wait until it answers."""
        self.launch(only)
        self.wait_ready(timeout)

    def stop(self, only: str | None = None, grace: float | None = None) -> None:
        """SIGTERM, then SIGKILL after `grace` seconds. Data and ports stay."""
        self._end(only, lambda handles: processes.end(handles, self.stop_seconds if grace is None else grace))

    def kill(self, only: str | None = None) -> None:
        """SIGKILL, as a crash would have it."""
        self._end(only, processes.kill)

    def wipe(self) -> None:
        """Stop, then forget data, ports, secret and logs."""
        self.stop()
        if not self.home.root.is_dir():
            return
        with locked(self.home.lock_file, HOME_LOCK_SECONDS):
            if self.home.folder.is_dir():
                shutil.rmtree(self.home.folder)
            for leftover in (self.home.state_file, self.home.secret_file):
                leftover.unlink(missing_ok=True)

    def _check_name(self, only: str | None) -> None:
        if only is not None and only not in self.member_names():
            raise ServiceError(f"{self.name} has no {only}; it has {', '.join(self.member_names())}")

    def _planned(self) -> list[Member]:
        """The members with their ports: as saved, with given ones in their place, free ones where there are none."""
        saved = {member.name: member for member in self.members()}
        taken = {port for given in self.given_ports for port in given.values()}
        taken |= {port for member in saved.values() for port in member.ports.values()}
        planned = []
        for index, name in enumerate(self.member_names()):
            known = saved.get(name, Member(name, {}))
            given = self.given_ports[index] if index < len(self.given_ports) else {}
            if is_running(known):
                planned.append(known)
                continue
            missing = [port for port in self.port_names if port not in known.ports and port not in given]
            chosen = ports.choose(len(missing), self.draw, taken)
            taken |= set(chosen)
            planned.append(replace(known, ports={**known.ports, **dict(zip(missing, chosen, strict=True)), **given}))
        return planned

    def _check_ports(self, members: Sequence[Member]) -> None:
        for member in members:
            for purpose, port in member.ports.items():
                if not ports.is_free(port):
                    raise ServiceError(
                        f"port {port} ({self.name} {member.name} {purpose}) is in use; "
                        f"end what uses it, or `wipe {self.name}` to choose new ports"
                    )

    def _end(self, only: str | None, how: Callable[[list[processes.Handle]], list[processes.Handle]]) -> None:
        if not self.home.state_file.exists():
            return
        self._check_name(only)
        with locked(self.home.lock_file, HOME_LOCK_SECONDS):
            members = self.members()
            chosen = [member for member in members if only in {None, member.name}]
            survivors = how([member.handle for member in chosen if member.handle is not None])
            if survivors:
                raise ServiceError(f"{self.name} process {survivors[0].pid} does not end, not even by SIGKILL")
            self.home.save([replace(member, handle=None) if member in chosen else member for member in members])


def is_running(member: Member) -> bool:
    return member.handle is not None and processes.alive(member.handle)
