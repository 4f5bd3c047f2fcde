"""A small real server under the same roof as Kafka, Neo4j and Weaviate: what is common to all can be tried on it."""

import os
import random
import socket
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from deploy.servers.cache import Cache
from deploy.servers.home import Member
from deploy.servers.ports import HOST
from deploy.servers.recipes import GoRecipe, Recipe
from deploy.servers.service import LocalService

LISTEN = """
import os, signal, socket, sys
if os.environ["MANNERS"] == "stubborn":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("about to listen", flush=True)
if os.environ["MANNERS"] == "broken":
    sys.exit("no such configuration")
if os.environ["MANNERS"] == "silent":
    signal.pause()
with socket.create_server(("127.0.0.1", int(sys.argv[1]))) as listener:
    while True:
        listener.accept()[0].close()
"""


class TinyServer(LocalService):
    """Accepts connections and closes them. `manners`: obliging, stubborn (ignores SIGTERM), broken or silent."""

    name: ClassVar[str] = "tiny"
    recipe: ClassVar[Recipe] = GoRecipe("tiny", "1.0", "example.org/tiny", binary="tiny")
    port_names: ClassVar[tuple[str, ...]] = ("door", "back_door")
    ready_seconds: ClassVar[float] = 30.0
    stop_seconds: ClassVar[float] = 10.0

    def __init__(
        self, home: Path, cache: Cache, manners: str, size: int, given_ports: Sequence[Mapping[str, int]]
    ) -> None:
        super().__init__(home, cache=cache, given_ports=given_ports, draw=random.Random(os.getpid()))
        self.manners = manners
        self.size = size

    def member_names(self) -> list[str]:
        return [f"node-{number}" for number in range(1, self.size + 1)]

    def prepare(self, members: Sequence[Member]) -> None:
        for member in members:
            (self.folder(member) / "configuration").write_text(str(member.ports["door"]), encoding="ascii")

    def command(self, member: Member) -> list[str]:
        return [sys.executable, "-c", LISTEN, str(member.ports["door"])]

    def own_environment(self, member: Member) -> dict[str, str]:
        return {"MANNERS": self.manners}

    def answers(self, member: Member, running: Sequence[Member]) -> bool:
        try:
            socket.create_connection((HOST, member.ports["door"]), timeout=1).close()
        except OSError:
            return False
        return True

    def settings(self) -> dict[str, str]:
        return {}


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    """A cache in which the tiny server counts as installed."""
    cache = Cache(tmp_path / "cache")
    cache.folder("tiny", "1.0").mkdir(parents=True)
    return cache


@pytest.fixture
def tiny(tmp_path: Path, cache: Cache) -> Iterator[Callable[..., LocalService]]:
    """Makes objects for one and the same home; whatever they leave running is killed afterwards."""

    def make(
        manners: str = "obliging",
        size: int = 1,
        given_ports: Sequence[Mapping[str, int]] = (),
        software: Cache = cache,
    ) -> LocalService:
        return TinyServer(tmp_path / "home", software, manners, size, given_ports)

    yield make
    make(size=9).kill()
