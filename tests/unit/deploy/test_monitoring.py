"""Prometheus, Alertmanager and Grafana speak of series that exist."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from scoring.stopping import StopReason
from streams import metrics
from streams.topology import STAGE_NAMES

DEPLOY = Path(__file__).resolve().parents[3] / "deploy"
ALERTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts.yml").read_text(encoding="utf-8"))
ALERT_TESTS = yaml.safe_load((DEPLOY / "prometheus" / "alerts_test.yml").read_text(encoding="utf-8"))
PROMETHEUS = yaml.safe_load((DEPLOY / "prometheus" / "prometheus.yml").read_text(encoding="utf-8"))
ALERTMANAGER = yaml.safe_load((DEPLOY / "alertmanager" / "alertmanager.yml").read_text(encoding="utf-8"))
DASHBOARD = json.loads((DEPLOY / "grafana" / "dashboards" / "veristream.json").read_text(encoding="utf-8"))
DATASOURCES = yaml.safe_load(
    (DEPLOY / "grafana" / "provisioning" / "datasources" / "prometheus.yml").read_text(encoding="utf-8")
)
COMPOSE = yaml.safe_load((DEPLOY.parent / "docker-compose.yml").read_text(encoding="utf-8"))

RULES: list[Mapping[str, Any]] = [rule for group in ALERTS["groups"] for rule in group["rules"]]
PANELS: list[Mapping[str, Any]] = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]
SERIES = re.compile(r"\bveristream_[a-z0-9_]+\b")


def shown() -> set[str]:
    return {name for panel in PANELS for target in panel["targets"] for name in SERIES.findall(target["expr"])}


def used() -> Iterator[tuple[str, str]]:
    for rule in RULES:
        yield from ((rule["alert"], name) for name in SERIES.findall(rule["expr"]))
    for case in ALERT_TESTS["tests"]:
        yield from ((case["name"], name) for line in case["input_series"] for name in SERIES.findall(line["series"]))
    for variable in DASHBOARD["templating"]["list"]:
        yield from ((variable["name"], name) for name in SERIES.findall(variable["query"]["query"]))
    for name in shown():
        yield "dashboard", name


def test_every_series_that_is_used_is_declared() -> None:
    assert {(where, name) for where, name in used() if name not in metrics.names()} == set()


@pytest.mark.parametrize(
    "name",
    [
        "veristream_claims_submitted_total",
        "veristream_verdicts_total",
        "veristream_loop_count_bucket",
        "veristream_loop_stop_total",
        "veristream_stage_duration_seconds_bucket",
        "veristream_stage_in_flight",
        "veristream_stage_retries_total",
        "veristream_dead_letters_total",
        "veristream_end_to_end_seconds_bucket",
        "veristream_consumer_lag",
    ],
)
def test_the_dashboard_shows_what_operators_asked_for(name: str) -> None:
    assert name in shown()


def test_panels_say_what_they_show_and_do_not_overlap() -> None:
    cells = [
        (x, y)
        for panel in DASHBOARD["panels"]
        for x in range(panel["gridPos"]["x"], panel["gridPos"]["x"] + panel["gridPos"]["w"])
        for y in range(panel["gridPos"]["y"], panel["gridPos"]["y"] + panel["gridPos"]["h"])
    ]
    assert len(cells) == len(set(cells))
    assert max(x for x, _ in cells) < 24
    assert all(panel["title"] and panel["description"] for panel in PANELS)
    assert len({panel["id"] for panel in DASHBOARD["panels"]}) == len(DASHBOARD["panels"])


def test_panels_ask_the_provisioned_source() -> None:
    (source,) = DATASOURCES["datasources"]
    asked = {target["datasource"]["uid"] for panel in PANELS for target in panel["targets"]}
    assert asked == {source["uid"]}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: str(rule["alert"]))
def test_an_alert_has_a_severity_and_tells_what_to_do(rule: Mapping[str, Any]) -> None:
    assert rule["labels"]["severity"] in {"critical", "warning"}
    assert set(rule["annotations"]) == {"summary", "description"}


def test_what_must_not_go_unnoticed_has_an_alert() -> None:
    assert {rule["alert"] for rule in RULES} >= {
        "VeristreamDeadLettersRising",
        "VeristreamLagGrowing",
        "VeristreamWorkerNotReady",
        "VeristreamLoopBudgetExhausted",
        "VeristreamSlowVerdicts",
    }


def test_every_alert_is_seen_firing_in_the_rule_tests() -> None:
    checks = [check for case in ALERT_TESTS["tests"] for check in case["alert_rule_test"]]
    assert {check["alertname"] for check in checks if check.get("exp_alerts")} == {rule["alert"] for rule in RULES}


def test_reasons_and_stages_in_alerts_are_ones_that_occur() -> None:
    expressions = " ".join(rule["expr"] for rule in RULES)
    reasons = [reason for group in re.findall(r'reason=~"([^"]+)"', expressions) for reason in group.split("|")]
    stages = re.findall(r'stage!?="([^"]+)"', expressions)
    assert reasons
    assert set(reasons) <= set(get_args(StopReason))
    assert set(stages) == {"intake"}
    assert "intake" in STAGE_NAMES


def test_prometheus_finds_every_replica_on_the_ports_that_compose_gives_them() -> None:
    found = {
        target["names"][0]: str(target["port"])
        for job in PROMETHEUS["scrape_configs"]
        for target in job.get("dns_sd_configs", [])
    }
    environment = {name: COMPOSE["services"][name]["environment"] for name in found}
    assert found == {
        "worker": environment["worker"]["VERISTREAM_METRICS_PORT"],
        "gateway": environment["gateway"]["VERISTREAM_GATEWAY_PORT"],
    }
    jobs = {job["job_name"] for job in PROMETHEUS["scrape_configs"]}
    assert {"veristream-worker", "veristream-gateway"} <= jobs


def test_alertmanager_routes_to_receivers_that_exist_and_silences_alerts_that_exist() -> None:
    receivers = {receiver["name"] for receiver in ALERTMANAGER["receivers"]}
    routes = [ALERTMANAGER["route"], *ALERTMANAGER["route"]["routes"]]
    assert {route["receiver"] for route in routes} <= receivers
    named = set(re.findall(r"Veristream\w+", json.dumps(ALERTMANAGER["inhibit_rules"])))
    assert named <= {rule["alert"] for rule in RULES}
