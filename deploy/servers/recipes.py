"""How each server's software is fetched or built: jars through Maven, Weaviate through Go, as they are set up."""

import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from deploy.servers.cache import Cache
from deploy.servers.errors import ServiceError
from deploy.servers.logs import tail
from deploy.servers.tools import GO, JAVA, MAVEN, Tool

COPY_DEPENDENCIES = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"

BUILD_SECONDS = 3000.0
"""Ten minutes on two idle cores, three for the jars; a busy machine or a slow line needs several times that."""

POM = """<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>veristream.services</groupId>
  <artifactId>{name}</artifactId>
  <version>{version}</version>
  <packaging>pom</packaging>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""

DEPENDENCY = """    <dependency>
      <groupId>{0}</groupId>
      <artifactId>{1}</artifactId>
      <version>{2}</version>
    </dependency>"""


@dataclass(frozen=True, slots=True)
class MavenRecipe:
    """Jars with everything they need at run time, copied into `lib/`."""

    name: str
    version: str
    coordinates: tuple[tuple[str, str, str], ...]
    entry_point: str  # a file whose presence shows that the right thing was fetched
    tools: tuple[Tool, ...] = (JAVA, MAVEN)
    lock: str = "maven"  # one at a time: Maven's local repository does not stand concurrent writers

    def pom(self) -> str:
        dependencies = "\n".join(DEPENDENCY.format(*coordinate) for coordinate in self.coordinates)
        return POM.format(name=self.name, version=self.version, dependencies=dependencies)

    def build(self, staging: Path, cache: Cache) -> None:
        (staging / "pom.xml").write_text(self.pom(), encoding="utf-8")
        command = [
            *("mvn", "--batch-mode", "--no-transfer-progress", "--strict-checksums"),
            *("--file", str(staging / "pom.xml"), COPY_DEPENDENCIES),
            *("-DincludeScope=runtime", f"-DoutputDirectory={staging / 'lib'}"),
        ]
        run_logged(command, cache.log(self.name), dict(os.environ))
        if not (staging / "lib" / self.entry_point).is_file():
            raise ServiceError(f"Maven fetched no {self.entry_point}; see {cache.log(self.name)}")


@dataclass(frozen=True, slots=True)
class GoRecipe:
    """One binary, built from a module at a version."""

    name: str
    version: str
    package: str
    binary: str
    tools: tuple[Tool, ...] = (GO,)
    lock: str = "go"

    def build(self, staging: Path, cache: Cache) -> None:
        workshop = cache.root / f"build-{self.name}-{self.version}"
        command = ["go", "install", "-trimpath", "-ldflags", "-s -w", f"{self.package}@v{self.version}"]
        run_logged(command, cache.log(self.name), go_environment(os.environ, workshop, staging))
        if not (staging / self.binary).is_file():
            raise ServiceError(f"go built no {self.binary}; see {cache.log(self.name)}")
        # A failed build keeps its modules and objects for the next try; a finished one needs them no more.
        shutil.rmtree(workshop, ignore_errors=True)


Recipe = MavenRecipe | GoRecipe


def go_environment(environment: Mapping[str, str], workshop: Path, binaries: Path) -> dict[str, str]:
    """The caller's Go set-up, with everything Go writes kept in folders of ours.

    -modcacherw lets the module cache be deleted like any folder; what the user has in GOFLAGS stays in force.
    """
    flags = f"{environment.get('GOFLAGS', '')} -modcacherw -buildvcs=false".strip()
    return {
        **environment,
        "GOPATH": str(workshop / "path"),
        "GOMODCACHE": str(workshop / "modules"),
        "GOCACHE": str(workshop / "objects"),
        "GOBIN": str(binaries),
        "GOFLAGS": flags,
    }


def run_logged(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> None:
    """Run to the end with all output in `log`; a failure shows the log's last lines."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as output:
        try:
            done = subprocess.run(
                command, stdout=output, stderr=subprocess.STDOUT, env=environment, timeout=BUILD_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise ServiceError(f"`{command[0]}` took longer than {BUILD_SECONDS:.0f} s; see {log}") from None
    if done.returncode != 0:
        raise ServiceError(f"`{command[0]}` failed with exit code {done.returncode}; {log} ends with:\n{tail(log)}")


KAFKA = MavenRecipe(
    "kafka",
    "4.1.0",
    (
        ("org.apache.kafka", "kafka_2.13", "4.1.0"),
        # Kafka brings the logging interface without a logger; without one a failed start would say nothing.
        ("org.slf4j", "slf4j-simple", "1.7.36"),
    ),
    entry_point="kafka_2.13-4.1.0.jar",
)
NEO4J = MavenRecipe("neo4j", "5.26.30", (("org.neo4j", "neo4j", "5.26.30"),), entry_point="neo4j-5.26.30.jar")
WEAVIATE = GoRecipe("weaviate", "1.39.3", "github.com/weaviate/weaviate/cmd/weaviate-server", binary="weaviate-server")

RECIPES: Mapping[str, Recipe] = {recipe.name: recipe for recipe in (KAFKA, NEO4J, WEAVIATE)}


def installed(recipe: Recipe, cache: Cache) -> bool:
    return cache.folder(recipe.name, recipe.version).is_dir()


def install(recipe: Recipe, cache: Cache) -> Path:
    """The folder of the complete software, fetched or built first where needed."""
    cache.root.mkdir(parents=True, exist_ok=True)
    return cache.ensure(recipe.name, recipe.version, recipe.lock, lambda staging: recipe.build(staging, cache))
