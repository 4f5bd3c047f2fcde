"""The command line of deploy/services.py."""

import argparse
import concurrent.futures
import json
import os
import shlex
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from deploy.servers import processes, recipes, tools
from deploy.servers.cache import CACHE_VARIABLE, Cache, cache_root
from deploy.servers.errors import ServiceError
from deploy.servers.kafka import Kafka
from deploy.servers.neo4j import Neo4j
from deploy.servers.service import LocalService, is_running
from deploy.servers.weaviate import Weaviate

T = TypeVar("T")

SERVICE_NAMES = ("kafka", "neo4j", "weaviate")

DESCRIPTION = f"""Real Kafka, Neo4j and Weaviate as ordinary processes on 127.0.0.1, without a container engine.

Software is kept in ${CACHE_VARIABLE} (default ~/.cache/veristream/services). Every --home folder is a set of
servers of its own, with its own ports, data, secrets and logs. Without names a command means all three."""

EPILOG = """examples:
  python3 deploy/services.py install            fetch and build what is not there yet
  python3 deploy/services.py start              start all three and wait until they answer
  eval "$(python3 deploy/services.py env)"      point veristream at them
  python3 deploy/services.py start kafka --nodes 3 --home /tmp/cluster
  python3 deploy/services.py stop
  python3 deploy/services.py wipe               stop, and forget all data"""


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="services.py",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    helps = {
        "install": "fetch jars and build binaries into the cache",
        "start": "start what is not running and wait until it answers",
        "wait": "wait until what was started answers",
        "stop": "SIGTERM, then SIGKILL after a limit; data stays",
        "wipe": "stop and delete data, ports, secrets and logs",
        "status": "what is installed and running, with ports and process ids",
        "env": "print the VERISTREAM_* variables of what is running",
    }
    made = {name: _add_command(commands, name, text) for name, text in helps.items()}
    made["install"].add_argument("--apt", action="store_true", help="as root: apt-get install missing tools first")
    for name in ("start", "wait"):
        made[name].add_argument(
            "--timeout", type=float, metavar="S", help="seconds to wait for each (default: its own)"
        )
    made["stop"].add_argument("--grace", type=float, metavar="S", help="seconds between SIGTERM and SIGKILL")
    start = made["start"]
    start.add_argument("--no-wait", action="store_true", help="return at once; `wait` waits later")
    start.add_argument("--nodes", type=int, help="size of the Kafka cluster (first start in a home only; default 1)")
    for option in ("kafka", "neo4j", "weaviate", "weaviate-grpc"):
        start.add_argument(f"--{option}-port", type=int, metavar="PORT", help="default: a free one, then kept")
    made["env"].add_argument("--format", choices=("shell", "dotenv", "json"), default="shell")
    made["status"].add_argument("--json", action="store_true", help="machine-readable")
    return parser


def _add_command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]", name: str, text: str
) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text)
    command.add_argument("services", nargs="*", metavar="SERVICE", help=f"{', '.join(SERVICE_NAMES)} (default: all)")
    command.add_argument("--home", type=Path, help="folder of this set of servers (default: `run` in the cache)")
    return command


def chosen_names(arguments: argparse.Namespace) -> list[str]:
    unknown = [name for name in arguments.services if name not in SERVICE_NAMES]
    if unknown:
        raise ServiceError(f"there is no service {unknown[0]!r}; choose from {', '.join(SERVICE_NAMES)}")
    return [name for name in SERVICE_NAMES if not arguments.services or name in arguments.services]


def make_services(arguments: argparse.Namespace, cache: Cache) -> list[LocalService]:
    """The chosen services as objects of one home."""
    home = (arguments.home.expanduser() if arguments.home else cache.root / "run").resolve()
    given = vars(arguments)

    def ports(**wanted: str) -> list[Mapping[str, int]]:
        return [{purpose: given[option] for purpose, option in wanted.items() if given.get(option) is not None}]

    makers: dict[str, Callable[[], LocalService]] = {
        "kafka": lambda: Kafka(home, nodes=given.get("nodes"), cache=cache, given_ports=ports(client="kafka_port")),
        "neo4j": lambda: Neo4j(home, cache=cache, given_ports=ports(bolt="neo4j_port")),
        "weaviate": lambda: Weaviate(
            home, cache=cache, given_ports=ports(http="weaviate_port", grpc="weaviate_grpc_port")
        ),
    }
    return [makers[name]() for name in chosen_names(arguments)]


def say(text: str) -> None:
    """Progress goes to stderr, so that stdout holds nothing but what was asked for."""
    print(text, file=sys.stderr, flush=True)


def install(arguments: argparse.Namespace, cache: Cache) -> None:
    chosen = [recipes.RECIPES[name] for name in chosen_names(arguments)]
    wanted = [recipe for recipe in chosen if not recipes.installed(recipe, cache)]
    for recipe in chosen:
        if recipe not in wanted:
            say(f"{recipe.name} {recipe.version} is installed")
    needed = list(dict.fromkeys(tool for recipe in wanted for tool in recipe.tools))
    if arguments.apt:
        tools.apt_install(needed, os.getuid())
    tools.require(needed)

    def build(recipe: recipes.Recipe) -> None:
        say(f"installing {recipe.name} {recipe.version}; {cache.log(recipe.name)} shows how it goes")
        began = time.monotonic()
        recipes.install(recipe, cache)
        say(f"{recipe.name} {recipe.version} installed in {time.monotonic() - began:.0f} s")

    _all_at_once(build, wanted)


def start(arguments: argparse.Namespace, cache: Cache) -> None:
    services = make_services(arguments, cache)
    began = time.monotonic()
    for service in services:
        service.launch()
    if not arguments.no_wait:
        _await_all(services, arguments.timeout, began)


def wait(arguments: argparse.Namespace, cache: Cache) -> None:
    _await_all(make_services(arguments, cache), arguments.timeout, time.monotonic())


def _await_all(services: Sequence[LocalService], timeout: float | None, began: float) -> None:
    for service in services:
        service.wait_ready(timeout)
        say(f"{service.name} answers after {time.monotonic() - began:.1f} s")


def stop(arguments: argparse.Namespace, cache: Cache) -> None:
    def end(service: LocalService) -> None:
        service.stop(grace=arguments.grace)
        say(f"{service.name} is stopped")

    _all_at_once(end, make_services(arguments, cache))


def wipe(arguments: argparse.Namespace, cache: Cache) -> None:
    def clear(service: LocalService) -> None:
        service.wipe()
        say(f"{service.name} is wiped")

    _all_at_once(clear, make_services(arguments, cache))


def _all_at_once(action: Callable[[T], None], things: Sequence[T]) -> None:
    """One thread each: the slowest one decides how long it takes, and the first error is raised when all are done."""
    with concurrent.futures.ThreadPoolExecutor(max_workers=len(SERVICE_NAMES)) as pool:
        for done in [pool.submit(action, thing) for thing in things]:
            done.result()


def status(arguments: argparse.Namespace, cache: Cache) -> None:
    rows = [_status_row(service, cache) for service in make_services(arguments, cache)]
    if arguments.json:
        print(json.dumps(rows, indent=2))
        return
    for row in rows:
        print(f"{row['service']} {row['version']}: {'installed' if row['installed'] else 'not installed'}")
        for member in row["members"]:
            ports = " ".join(f"{purpose}={port}" for purpose, port in member["ports"].items())
            state = f"running as {member['pid']}" if member["pid"] else "stopped"
            print(f"  {member['name']}: {state}; {ports}; log {member['log']}")


def _status_row(service: LocalService, cache: Cache) -> dict[str, Any]:
    members = [
        {
            "name": member.name,
            "pid": member.handle.pid if member.handle and processes.alive(member.handle) else None,
            "ports": dict(member.ports),
            "log": str(service.log(member)),
        }
        for member in service.members()
    ]
    return {
        "service": service.name,
        "version": service.recipe.version,
        "installed": recipes.installed(service.recipe, cache),
        "members": members,
    }


def env(arguments: argparse.Namespace, cache: Cache) -> None:
    variables: dict[str, str] = {}
    for service in make_services(arguments, cache):
        if any(is_running(member) for member in service.members()):
            variables |= service.settings()
    if not variables:
        raise ServiceError("none of these is running; run `start` first")
    print(render_variables(variables, arguments.format))


def render_variables(variables: Mapping[str, str], style: str) -> str:
    if style == "json":
        return json.dumps(variables, indent=2)
    if style == "dotenv":
        return "\n".join(f"{name}={value}" for name, value in variables.items())
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in variables.items())


COMMANDS: Mapping[str, Callable[[argparse.Namespace, Cache], None]] = {
    "install": install,
    "start": start,
    "wait": wait,
    "stop": stop,
    "wipe": wipe,
    "status": status,
    "env": env,
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; what went wrong is one message on stderr and exit code 1."""
    arguments = build_parser().parse_args(argv)
    try:
        COMMANDS[arguments.command](arguments, Cache(cache_root(os.environ)))
    except ServiceError as error:
        say(f"services: {error}")
        return 1
    except KeyboardInterrupt:
        say("services: interrupted")
        return 130
    return 0
