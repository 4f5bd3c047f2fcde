"""Tools, recipes and the cache."""

import os
import threading
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from deploy.servers.cache import Cache, cache_root, locked
from deploy.servers.errors import ServiceError
from deploy.servers.recipes import KAFKA, RECIPES, WEAVIATE, go_environment, run_logged
from deploy.servers.tools import GO, JAVA, MAVEN, Tool, apt_install, complaint, parse_version, require


@pytest.mark.parametrize(
    ("tool", "text", "version"),
    [
        (JAVA, 'openjdk version "17.0.15" 2025-04-15', (17, 0)),
        (JAVA, 'java version "1.8.0_412"', (1, 8)),
        (JAVA, 'openjdk version "21" 2023-09-19', (21, 0)),
        (MAVEN, "Apache Maven 3.8.7\nMaven home: /usr/share/maven", (3, 8)),
        (GO, "go version go1.26.8 linux/amd64", (1, 26)),
        (GO, "command not understood", None),
    ],
)
def test_versions_are_read_as_the_tools_print_them(tool: Tool, text: str, version: tuple[int, int] | None) -> None:
    assert parse_version(text, tool.version_prefix) == version


def program(folder: Path, name: str, output: str) -> Tool:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{output}'\n")
    path.chmod(0o755)
    return Tool(str(path), (), "version ", (17, 0), "some-package")


def test_a_tool_that_is_new_enough_is_no_complaint(tmp_path: Path) -> None:
    assert complaint(program(tmp_path, "fine", "version 17.0.1")) is None


def test_every_missing_or_old_tool_is_named_with_what_to_install(tmp_path: Path) -> None:
    old = program(tmp_path, "old", "version 11.0.2")
    mute = program(tmp_path, "mute", "hello")
    missing = Tool(str(tmp_path / "missing"), (), "version ", (1, 21), "other-package")
    with pytest.raises(ServiceError) as caught:
        require([old, mute, missing])
    message = str(caught.value)
    assert "old is only 11.0: install 17.0 or newer (Debian, Ubuntu: package some-package" in message
    assert "mute does not tell its version" in message
    assert "missing is missing: install 1.21 or newer (Debian, Ubuntu: package other-package" in message
    assert "\n" not in message


def test_apt_is_for_root_only(tmp_path: Path) -> None:
    missing = Tool(str(tmp_path / "missing"), (), "version ", (1, 21), "other-package")
    with pytest.raises(ServiceError, match="--apt needs root and apt-get; install these by hand: other-package"):
        apt_install([missing], user_id=1000)


def test_the_pom_asks_for_exactly_the_pinned_artifacts() -> None:
    space = "{http://maven.apache.org/POM/4.0.0}"
    wanted = [
        tuple(dependency.findtext(space + part) for part in ("groupId", "artifactId", "version"))
        for dependency in ET.fromstring(KAFKA.pom()).iter(space + "dependency")
    ]
    assert wanted == [("org.apache.kafka", "kafka_2.13", "4.1.0"), ("org.slf4j", "slf4j-simple", "1.7.36")]


def test_go_writes_into_the_cache_only_and_keeps_the_users_flags(tmp_path: Path) -> None:
    environment = go_environment({"GOFLAGS": "-mod=mod", "GOPROXY": "direct"}, tmp_path / "w", tmp_path / "bin")
    assert environment["GOPROXY"] == "direct"
    assert environment["GOFLAGS"].split() == ["-mod=mod", "-modcacherw", "-buildvcs=false"]
    folders = [environment[name] for name in ("GOPATH", "GOMODCACHE", "GOCACHE", "GOBIN")]
    assert all(Path(folder).is_relative_to(tmp_path) for folder in folders)


def test_what_a_failing_command_wrote_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "install.log"
    with pytest.raises(ServiceError, match=r"(?s)`sh` failed with exit code 3.*disk full"):
        run_logged(["sh", "-c", "echo disk full; exit 3"], log, dict(os.environ))
    assert log.read_text() == "disk full\n"


def test_the_cache_is_where_the_environment_says_else_in_the_users_cache(tmp_path: Path) -> None:
    assert cache_root({"VERISTREAM_SERVICES_CACHE": str(tmp_path)}) == tmp_path.resolve()
    assert cache_root({"HOME": "/home/someone"}) == Path("/home/someone/.cache/veristream/services")


def test_folders_carry_the_version_so_that_two_can_lie_side_by_side(tmp_path: Path) -> None:
    assert Cache(tmp_path).folder(WEAVIATE.name, WEAVIATE.version).name == f"weaviate-{WEAVIATE.version}"
    assert set(RECIPES) == {"kafka", "neo4j", "weaviate"}


def test_a_build_that_fails_leaves_nothing_that_looks_complete(tmp_path: Path) -> None:
    def fail(staging: Path) -> None:
        (staging / "half").write_text("half")
        raise ServiceError("the line was cut")

    cache = Cache(tmp_path)
    with pytest.raises(ServiceError, match="the line was cut"):
        cache.ensure("thing", "1", "lock", fail)
    assert [path.name for path in tmp_path.iterdir()] == ["locks"]


def test_two_who_want_the_same_thing_build_it_once(tmp_path: Path) -> None:
    cache = Cache(tmp_path)
    builds: list[Path] = []
    inside = threading.Event()
    go_on = threading.Event()

    def build(staging: Path) -> None:
        builds.append(staging)
        inside.set()
        assert go_on.wait(timeout=30)
        (staging / "binary").write_text("done")

    first, second = (threading.Thread(target=cache.ensure, args=("thing", "1", "lock", build)) for _ in range(2))
    first.start()
    assert inside.wait(timeout=30)
    second.start()
    go_on.set()
    for thread in (first, second):
        thread.join(timeout=30)
    assert len(builds) == 1
    assert (cache.folder("thing", "1") / "binary").read_text() == "done"


def test_a_lock_that_is_held_too_long_is_named(tmp_path: Path) -> None:
    lock = tmp_path / "some.lock"
    with locked(lock), pytest.raises(ServiceError, match=r"has held .*some\.lock for 0 s"), locked(lock, timeout=0):
        pass
