"""Neo4j Community with Bolt only, on loopback, with a password of its own for every home."""

import os
import socket
from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from deploy.servers import recipes
from deploy.servers.home import Member, write_private
from deploy.servers.java import java_command, run_to_end
from deploy.servers.ports import HOST
from deploy.servers.processes import server_environment
from deploy.servers.recipes import Recipe
from deploy.servers.service import LocalService

USER = "neo4j"
HEAP = ("-Xms128m", "-Xmx384m")
PAGE_CACHE = "64m"
OPENED_PACKAGES = ("java.nio", "java.io", "sun.nio.ch", "java.util.concurrent")

PASSWORD_SECONDS = 120.0
ANSWER_SECONDS = 2.0

BOLT_MAGIC = b"\x60\x60\xb0\x17"
BOLT_VERSIONS = b"\x00\x00\x04\x05" + b"\x00" * 12  # 5.4, and no alternatives
STARTED = "Started."


class Neo4j(LocalService):
    """`Neo4j(home).start()`, then `.address` and `.password`."""

    name: ClassVar[str] = "neo4j"
    recipe: ClassVar[Recipe] = recipes.NEO4J
    port_names: ClassVar[tuple[str, ...]] = ("bolt",)
    ready_seconds: ClassVar[float] = 180.0  # recovery after kill -9 on a busy machine was seen to take 37 s
    stop_seconds: ClassVar[float] = 60.0  # a clean stop writes a checkpoint

    @property
    def address(self) -> str:
        return f"bolt://{HOST}:{self.placed_members()[0].ports['bolt']}"

    @property
    def password(self) -> str:
        return self.home.ensure_secret()

    def member_names(self) -> list[str]:
        return ["server"]

    def prepare(self, members: Sequence[Member]) -> None:
        for member in members:
            folder = self.folder(member)
            (folder / "conf").mkdir(exist_ok=True)
            (folder / "conf" / "neo4j.conf").write_text(render_configuration(member, folder), encoding="utf-8")
            if not (folder / "data" / "dbms" / "auth.ini").exists():
                self._set_initial_password(member)

    def command(self, member: Member) -> list[str]:
        folder = self.folder(member)
        opened = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED_PACKAGES]
        arguments = [f"--home-dir={folder}", f"--config-dir={folder / 'conf'}", "--console-mode"]
        options = [*HEAP, *opened, "-Dfile.encoding=UTF-8"]
        return java_command(self.software / "lib", options, "org.neo4j.server.CommunityEntryPoint", arguments)

    def own_environment(self, member: Member) -> dict[str, str]:
        folder = self.folder(member)
        return {"NEO4J_HOME": str(folder), "NEO4J_CONF": str(folder / "conf")}

    def answers(self, member: Member, running: Sequence[Member]) -> bool:  # noqa: ARG002 - one process, no peers
        started = STARTED in self.log(member).read_text(encoding="utf-8", errors="replace")
        return started and speaks_bolt(member.ports["bolt"])

    def settings(self) -> dict[str, str]:
        return {
            "VERISTREAM_NEO4J_URL": self.address,
            "VERISTREAM_NEO4J_USER": USER,
            "VERISTREAM_NEO4J_PASSWORD": self.password,
        }

    def _set_initial_password(self, member: Member) -> None:
        """Through a private file: an argument would be readable in the list of processes."""
        arguments = self.folder(member) / "initial-password"
        arguments.unlink(missing_ok=True)
        write_private(arguments, f'"{self.password}"\n')
        try:
            command = java_command(
                self.software / "lib",
                ["-Xmx128m"],
                "org.neo4j.cli.AdminTool",
                ["dbms", "set-initial-password", f"@{arguments}"],
            )
            environment = server_environment(os.environ, self.own_environment(member))
            run_to_end(command, environment, PASSWORD_SECONDS, "setting the initial password of Neo4j")
        finally:
            arguments.unlink()


def render_configuration(member: Member, folder: Path) -> str:
    """neo4j.conf: Bolt on loopback, nothing else listens and nothing is reported home."""
    bolt = f"{HOST}:{member.ports['bolt']}"
    settings = {
        "server.bolt.listen_address": bolt,
        "server.bolt.advertised_address": bolt,
        "server.bolt.tls_level": "DISABLED",
        "server.http.enabled": "false",
        "server.https.enabled": "false",
        "dbms.usage_report.enabled": "false",
        "server.memory.pagecache.size": PAGE_CACHE,
        "server.directories.data": folder / "data",
        "server.directories.logs": folder / "logs",
    }
    return "".join(f"{key}={value}\n" for key, value in settings.items())


def speaks_bolt(port: int, timeout: float = ANSWER_SECONDS) -> bool:
    """Whether a Bolt handshake is answered with a version."""
    try:
        with socket.create_connection((HOST, port), timeout=timeout) as connection:
            connection.sendall(BOLT_MAGIC + BOLT_VERSIONS)
            return any(connection.recv(4))
    except OSError:
        return False
