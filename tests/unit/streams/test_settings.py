"""One settings object: misspelt keys are errors, secrets stay secret, and every Kafka client gets the same security."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from streams.kafka import client_options
from streams.settings import Settings, SettingsError, known_keys, load_settings, refuse_unknown_keys

ROOT = Path(__file__).parents[3]
SECRETS = {
    "VERISTREAM_KAFKA_SASL_PASSWORD": "hunter2-sasl",
    "VERISTREAM_WEAVIATE_API_KEY": "hunter2-weaviate",
    "VERISTREAM_NEO4J_PASSWORD": "hunter2-neo4j",
    "OPENAI_API_KEY": "hunter2-openai",
    "TAVILY_API_KEY": "hunter2-tavily",
}


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("VERISTREAM_BROKERS", "VERISTREAM_BROKER"),
        ("VERISTREAM_IN_FLIHGT", "VERISTREAM_IN_FLIGHT"),
        ("VERISTREAM_DATADIR", "VERISTREAM_DATA_DIR"),
        ("VERISTREAM_GATEWAYPORT", "VERISTREAM_GATEWAY_PORT"),
    ],
)
def test_an_unknown_key_is_an_error_that_names_the_nearest_one(key: str, nearest: str) -> None:
    with pytest.raises(SettingsError, match=f"{key} is not a setting; did you mean {nearest}\\?"):
        refuse_unknown_keys({"PATH": "/bin", key: "x"})


def test_every_known_key_is_accepted() -> None:
    refuse_unknown_keys(dict.fromkeys(known_keys(), "x"))


def test_loading_refuses_a_misspelt_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERISTREAM_TOPIC_PREFIXX", "eu.")
    with pytest.raises(SettingsError, match="did you mean VERISTREAM_TOPIC_PREFIX"):
        load_settings()


def test_the_environment_is_read_and_options_stand_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERISTREAM_GATEWAY_PORT", "9001")
    monkeypatch.setenv("VERISTREAM_IN_FLIGHT", "3")
    settings = load_settings(gateway_port=9002, gateway_host=None)
    assert (settings.gateway_port, settings.gateway_host, settings.in_flight) == (9002, "127.0.0.1", 3)


def test_keys_that_everyone_spells_without_our_prefix_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAG_TOP_K", "7")
    monkeypatch.setenv("CREDIBLE_DOMAINS", "A.example, b.example,")
    monkeypatch.setenv("DECOMPOSE_ENABLED", "false")
    settings = load_settings()
    assert settings.rag_top_k == 7
    assert settings.credible_domains == ("a.example", "b.example")
    assert settings.decompose_enabled is False


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("VERISTREAM_GATEWAY_PORT", "high", "VERISTREAM_GATEWAY_PORT: "),
        ("VERISTREAM_BROKER", "kafka://nowhere", "VERISTREAM_BROKER: expected kafka://host:port"),
        ("VERISTREAM_KAFKA_SECURITY_PROTOCOL", "SASL_SSL", "SASL needs VERISTREAM_KAFKA_SASL_USERNAME"),
        ("RAG_TOP_K", "0", "RAG_TOP_K: "),
        ("VERISTREAM_SAMPLE_WEB_URL", "http://169.254.169.254:80", "VERISTREAM_SAMPLE_WEB_URL: the sample web is"),
        ("VERISTREAM_SAMPLE_WEB_URL", "http://127.0.0.1@evil.example:80", "VERISTREAM_SAMPLE_WEB_URL: the sample web"),
        ("VERISTREAM_SAMPLE_WEB_URL", "file:///etc", "VERISTREAM_SAMPLE_WEB_URL: the sample web is served"),
    ],
)
def test_a_value_that_cannot_be_meant_is_one_line_that_names_its_key(
    monkeypatch: pytest.MonkeyPatch, key: str, value: str, message: str
) -> None:
    monkeypatch.setenv(key, value)
    with pytest.raises(SettingsError, match=message) as caught:
        load_settings()
    assert "\n" not in str(caught.value)


def test_secrets_never_show(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, value in SECRETS.items():
        monkeypatch.setenv(key, value)
    settings = load_settings()
    shown = f"{settings!r} {settings} {settings.model_dump()} {settings.model_dump_json()}"
    assert "hunter2" not in shown
    assert settings.openai_api_key is not None
    assert settings.openai_api_key.get_secret_value() == "hunter2-openai"


def test_a_secret_in_a_refused_setting_does_not_show_either(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERISTREAM_KAFKA_SECURITY_PROTOCOL", "SASL_SSL")
    monkeypatch.setenv("VERISTREAM_KAFKA_SASL_PASSWORD", "hunter2-sasl")
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert "hunter2" not in f"{caught.value} {caught.value.__cause__} {caught.value!r}"


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().in_flight = 3  # type: ignore[misc]  # that is the point


# Security: what each kind of client ends up with

SASL = {
    "VERISTREAM_KAFKA_SECURITY_PROTOCOL": "SASL_SSL",
    "VERISTREAM_KAFKA_SASL_MECHANISM": "SCRAM-SHA-512",
    "VERISTREAM_KAFKA_SASL_USERNAME": "newsroom",
    "VERISTREAM_KAFKA_SASL_PASSWORD": "hunter2",
}
CLIENTS = {"producer", "admin", "faust consumer", "faust producer"}


def clients(folder: Path, environment: dict[str, str]) -> dict[str, dict[str, Any]]:
    """What each kind of client would say to the broker."""
    own = {"VERISTREAM_BROKER": "kafka://127.0.0.1:9092", "VERISTREAM_DATA_DIR": str(folder)}
    command = [sys.executable, "-m", "tests.support.security_probe"]
    answer = subprocess.run(
        command, env=os.environ | own | environment, cwd=ROOT, capture_output=True, check=True, timeout=60
    )
    answers: dict[str, dict[str, Any]] = json.loads(answer.stdout)
    return answers


def test_sasl_and_tls_reach_faust_aiokafka_and_the_admin_client_alike(tmp_path: Path) -> None:
    expected = {
        "protocol": "SASL_SSL",
        "mechanism": "SCRAM-SHA-512",
        "username": "newsroom",
        "password": "hunter2",
        "tls": True,
    }
    assert clients(tmp_path, SASL) == dict.fromkeys(CLIENTS, expected)


def test_tls_alone_reaches_every_client(tmp_path: Path) -> None:
    answers = clients(tmp_path, {"VERISTREAM_KAFKA_SECURITY_PROTOCOL": "SSL"})
    assert {(answer["protocol"], answer["tls"]) for answer in answers.values()} == {("SSL", True)}
    assert set(answers) == CLIENTS


def test_tls_files_that_cannot_be_read_are_one_line(tmp_path: Path) -> None:
    settings = Settings(
        broker="kafka://127.0.0.1:9092", kafka_security_protocol="SSL", kafka_ssl_cafile=tmp_path / "missing.pem"
    )
    with pytest.raises(SettingsError, match=r"check VERISTREAM_KAFKA_SSL_\*"):
        client_options(settings)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("VERISTREAM_LLM_PRICES", "cheap", "VERISTREAM_LLM_PRICES is not valid JSON"),
        (
            "VERISTREAM_LLM_PRICES",
            '{"m": [1, -2]}',
            "VERISTREAM_LLM_PRICES: Input should be greater than or equal to 0",
        ),
        ("VERISTREAM_LLM_PRICES", '{"m": 1}', "VERISTREAM_LLM_PRICES: Input should be a valid tuple"),
        ("VERISTREAM_OPENAI_MODELS", '{"verdikt": "m"}', "VERISTREAM_OPENAI_MODELS: Input should be 'claim',"),
        ("VERISTREAM_OPENAI_CALIBRATION", "[0.5, 0.4, 0.9]", "VERISTREAM_OPENAI_CALIBRATION: calibration points must"),
    ],
)
def test_a_table_that_cannot_be_meant_is_one_line_that_names_the_key(
    key: str, value: str, says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(key, value)
    with pytest.raises(SettingsError) as raised:
        load_settings()
    assert str(raised.value).startswith(says)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("127.0.0.1", "http://127.0.0.1:8080"),
        ("0.0.0.0", "http://127.0.0.1:8080"),
        ("::", "http://[::1]:8080"),
        ("::1", "http://[::1]:8080"),
        ("gate.example", "http://gate.example:8080"),
    ],
)
def test_a_gateway_is_found_where_it_listens(host: str, url: str) -> None:
    assert Settings(gateway_host=host).gateway_url == url
