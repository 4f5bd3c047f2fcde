"""docker-compose.yml as data: pinned, checked, closed, bounded."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml

from deploy.servers.recipes import RECIPES
from streams.settings import known_keys

ROOT = Path(__file__).resolve().parents[3]
COMPOSE: Mapping[str, Any] = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
SERVICES: Mapping[str, Mapping[str, Any]] = COMPOSE["services"]
OURS = ("topics", "worker", "gateway")
PUBLISHED = ("gateway", "grafana", "prometheus")

PINNED = re.compile(r"^[a-z0-9_./-]+:v?\d+\.\d+\.\d+(-[a-z]+)?$")
REQUIRED_VARIABLE = re.compile(r"^(neo4j/)?\$\{[A-Z0-9_]+:\?[^}]+\}$")
SECRET_NAME = re.compile(r"(PASSWORD|SECRET|TOKEN|API_KEY|ALLOWED_KEYS|NEO4J_AUTH)$")
VARIABLE = re.compile(r"\$\{([A-Z0-9_]+)")


def environments() -> list[tuple[str, str, Any]]:
    return [(name, key, value) for name in SERVICES for key, value in SERVICES[name].get("environment", {}).items()]


def test_the_whole_system_is_there() -> None:
    assert set(SERVICES) == {*OURS, "kafka", "neo4j", "weaviate", "prometheus", "alertmanager", "grafana"}


@pytest.mark.parametrize("name", SERVICES)
def test_images_are_pinned_to_a_full_version_and_named_without_a_registry(name: str) -> None:
    image = SERVICES[name]["image"]
    assert PINNED.match(image)
    assert "." not in image.split("/")[0].split(":")[0]


@pytest.mark.parametrize(("name", "image"), [("kafka", "apache/kafka"), ("neo4j", "neo4j"), ("weaviate", "weaviate")])
def test_containers_and_processes_run_the_same_versions(name: str, image: str) -> None:
    repository, tag = SERVICES[name]["image"].split(":")
    assert repository.endswith(image)
    assert tag.removesuffix("-community") == RECIPES[name].version


@pytest.mark.parametrize("name", SERVICES)
def test_everything_that_stays_up_has_a_health_check_and_comes_back(name: str) -> None:
    service = SERVICES[name]
    if name == "topics":  # a job that ends
        assert service["restart"] == "no"
        assert service["healthcheck"] == {"disable": True}
        return
    assert service["healthcheck"].keys() >= {"test", "interval", "timeout", "retries", "start_period"}
    assert service["restart"] == "unless-stopped"


@pytest.mark.parametrize("name", SERVICES)
def test_nothing_starts_before_what_it_needs_is_known_to_work(name: str) -> None:
    for needed, condition in SERVICES[name].get("depends_on", {}).items():
        expected = "service_completed_successfully" if needed == "topics" else "service_healthy"
        assert condition == {"condition": expected}


def test_workers_and_gateways_wait_for_topics_and_stores() -> None:
    for name in ("worker", "gateway"):
        assert set(SERVICES[name]["depends_on"]) == {"topics", "kafka", "neo4j", "weaviate"}


@pytest.mark.parametrize("name", SERVICES)
def test_only_three_doors_are_published_and_on_loopback_unless_told_otherwise(name: str) -> None:
    ports = SERVICES[name].get("ports", [])
    assert bool(ports) == (name in PUBLISHED)
    for port in ports:
        assert port.startswith("${BIND_ADDRESS:-127.0.0.1}:")


@pytest.mark.parametrize("name", ["kafka", "neo4j", "weaviate", "topics"])
def test_broker_and_stores_are_on_the_internal_network_only(name: str) -> None:
    assert SERVICES[name]["networks"] == ["backend"]
    assert COMPOSE["networks"]["backend"] == {"internal": True}


def test_no_service_uses_the_hosts_network_or_more_rights_than_a_process_needs() -> None:
    for service in SERVICES.values():
        assert not {"network_mode", "privileged", "cap_add", "devices", "pid"} & service.keys()
        assert service["security_opt"] == ["no-new-privileges:true"]
        assert not any("docker.sock" in volume for volume in service.get("volumes", []))


@pytest.mark.parametrize("name", OURS)
def test_our_containers_are_read_only_unprivileged_and_from_one_image(name: str) -> None:
    service = SERVICES[name]
    assert service["build"] == {"context": ".", "dockerfile": "deploy/Dockerfile"}
    assert service["image"] == SERVICES["worker"]["image"]
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["user"] == "10001:10001"
    assert any(mount.startswith("/tmp:") for mount in service["tmpfs"])


@pytest.mark.parametrize("name", SERVICES)
def test_everything_is_bounded_in_memory_processor_and_log(name: str) -> None:
    limits = SERVICES[name]["deploy"]["resources"]["limits"]
    assert set(limits) == ({"cpus", "memory", "pids"} if name in OURS else {"cpus", "memory"})
    assert SERVICES[name]["logging"]["options"].keys() == {"max-size", "max-file"}


def test_secrets_come_from_the_environment_and_a_missing_one_stops_everything() -> None:
    secrets = {(name, key): value for name, key, value in environments() if SECRET_NAME.search(key)}
    assert len(secrets) >= 7
    for (name, key), value in secrets.items():
        assert value is None or REQUIRED_VARIABLE.match(value), f"{name} {key}"


def test_veristream_variables_are_settings_that_exist() -> None:
    used = {key for _, key, _ in environments() if key.startswith("VERISTREAM_")}
    assert {"VERISTREAM_BROKER", "VERISTREAM_METRICS_PORT"} <= used <= known_keys()


def test_the_worker_stops_later_than_it_drains() -> None:
    assert int(SERVICES["worker"]["stop_grace_period"].removesuffix("s")) > 30


def test_volumes_that_are_used_are_declared_and_the_other_way_round() -> None:
    mounts = [volume.split(":")[0] for service in SERVICES.values() for volume in service.get("volumes", [])]
    named = {mount for mount in mounts if not mount.startswith(".")}
    assert named == set(COMPOSE["volumes"])
    for mount in mounts:
        assert mount in named or (ROOT / mount).is_dir()


def test_kafka_creates_no_topics_by_itself_and_takes_large_dead_letters() -> None:
    environment = SERVICES["kafka"]["environment"]
    assert environment["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"
    assert int(environment["KAFKA_MESSAGE_MAX_BYTES"]) >= 8 * 1024 * 1024


def test_the_example_environment_names_every_variable_and_holds_no_secret() -> None:
    text = (ROOT / ".env.example").read_text(encoding="utf-8")
    used = set(VARIABLE.findall((ROOT / "docker-compose.yml").read_text(encoding="utf-8")))
    used |= {key for _, key, value in environments() if value is None}
    lines = [line.removeprefix("# ") for line in text.splitlines()]
    named = dict(line.split("=", 1) for line in lines if re.match(r"^[A-Z0-9_]+=", line))
    assert set(named) == used
    assert all(value == "" for key, value in named.items() if SECRET_NAME.search(key))
