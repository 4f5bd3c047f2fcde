"""One frozen settings object; nothing else in the product reads the environment."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

PREFIX = "VERISTREAM_"

# 004 §7.2 names these as credible by default; CREDIBLE_DOMAINS replaces the list.
DEFAULT_CREDIBLE_DOMAINS = (
    "reuters.com",
    "apnews.com",
    "bbc.com",
    "bbc.co.uk",
    "nytimes.com",
    "snopes.com",
    "wikipedia.org",
    "britannica.com",
)


class SettingsError(ValueError):
    """The environment says something that cannot be meant; the message says what to do."""


def _spelled(name: str) -> AliasChoices:
    """A key that everyone spells without our prefix (004's keys, OpenAI's and Tavily's)."""
    return AliasChoices(name, f"{PREFIX}{name}")


class Settings(BaseSettings):
    """Everything that can be configured, with the defaults of the embedded system."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, frozen=True, extra="ignore", populate_by_name=True)

    # Kafka. Unset means the embedded broker.
    broker: str | None = None
    topic_prefix: str = ""
    topic_partitions: int = Field(default=8, ge=1, le=1000)
    topic_replication: int = Field(default=1, ge=1, le=9)
    kafka_security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    kafka_sasl_username: str | None = None
    kafka_sasl_password: SecretStr | None = None
    kafka_ssl_cafile: Path | None = None
    kafka_ssl_certfile: Path | None = None
    kafka_ssl_keyfile: Path | None = None
    kafka_session_timeout_seconds: float = Field(default=15.0, gt=1)

    # Stores. Unset means embedded, in the data folder.
    weaviate_url: str | None = None
    weaviate_grpc_port: int = 50051
    weaviate_api_key: SecretStr | None = None
    neo4j_url: str | None = None
    neo4j_user: str = "neo4j"
    neo4j_password: SecretStr | None = None
    data_dir: Path = Path("~/.local/share/veristream")

    # The doors.
    gateway_host: str = "127.0.0.1"
    gateway_port: int = Field(default=8080, ge=0, le=65535)
    gateway_wait_seconds: float = Field(default=30.0, gt=0, le=600)
    metrics_host: str = "127.0.0.1"
    metrics_port: int = Field(default=9464, ge=0, le=65535)

    # Work in flight, and how patiently it is retried.
    in_flight: int = Field(default=16, ge=1, le=1024)
    retry_limit: int = Field(default=4, ge=0, le=20)
    retry_base_seconds: float = Field(default=0.2, gt=0)
    retry_max_seconds: float = Field(default=5.0, gt=0)
    drain_seconds: float = Field(default=20.0, gt=0)
    stall_seconds: float = Field(default=120.0, gt=0)
    sweep_seconds: float = Field(default=10.0, gt=0)

    # Embedded back-pressure: the embedded broker keeps about 5 MB per partition, and a job's largest event
    # may wait in any one of them, so the bytes that all open jobs may need together stay below that.
    open_bytes_limit: int = Field(default=4_500_000, ge=1)
    job_reserve_bytes: int = Field(default=32_000, ge=1)

    # The loop (001, 004).
    agentic_loop_max_iter: int = Field(default=3, ge=1, le=20, validation_alias=_spelled("AGENTIC_LOOP_MAX_ITER"))
    query_budget: int = Field(default=4, ge=0, le=50)
    urls_per_query: int = Field(default=4, ge=1, le=50)
    job_deadline_seconds: float = Field(default=120.0, gt=0)
    rag_top_k: int = Field(default=10, ge=1, le=40, validation_alias=_spelled("RAG_TOP_K"))
    rerank_top_k: int = Field(default=25, ge=1, le=40, validation_alias=_spelled("RERANK_TOP_K"))
    trust_mode: Literal["adaptive", "confidence"] = "adaptive"
    policy: Literal["specification", "calibrated"] = "calibrated"
    credible_domains: Annotated[tuple[str, ...], NoDecode] = Field(
        default=DEFAULT_CREDIBLE_DOMAINS, validation_alias=_spelled("CREDIBLE_DOMAINS")
    )
    search_providers: Annotated[tuple[str, ...], NoDecode] = ()
    sample_web_url: str | None = None

    # Decomposition (004 §3).
    decompose_enabled: bool = Field(default=True, validation_alias=_spelled("DECOMPOSE_ENABLED"))
    decompose_min_claim_length: int = Field(default=20, ge=1, validation_alias=_spelled("DECOMPOSE_MIN_CLAIM_LENGTH"))
    decompose_max_subclaims: int = Field(default=5, ge=1, le=10, validation_alias=_spelled("DECOMPOSE_MAX_SUBCLAIMS"))
    decompose_use_llm: bool = Field(default=True, validation_alias=_spelled("DECOMPOSE_USE_LLM"))

    # Keys, as everyone spells them.
    openai_api_key: SecretStr | None = Field(default=None, validation_alias=_spelled("OPENAI_API_KEY"))
    openai_base_url: str | None = Field(default=None, validation_alias=_spelled("OPENAI_BASE_URL"))
    tavily_api_key: SecretStr | None = Field(default=None, validation_alias=_spelled("TAVILY_API_KEY"))

    # Set by the supervisor of an embedded system for its own children.
    embedded: bool = False
    worker_metrics_url: str | None = None

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "console", "json"] = "auto"

    @field_validator("credible_domains", "search_providers", mode="before")
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().lower() for part in value.split(",") if part.strip())
        return value

    @field_validator("data_dir")
    @classmethod
    def _expanded(cls, value: Path) -> Path:
        return value.expanduser()

    @field_validator("broker")
    @classmethod
    def _kafka_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        hosts = value.removeprefix("kafka://").split(",")
        if not all(host.rpartition(":")[2].isdigit() and host.rpartition(":")[0] for host in hosts):
            raise ValueError("expected kafka://host:port[,host:port]")
        return "kafka://" + ",".join(hosts)

    @model_validator(mode="after")
    def _sasl_is_complete(self) -> Self:
        if self.kafka_security_protocol.startswith("SASL") and not (
            self.kafka_sasl_username and self.kafka_sasl_password
        ):
            raise ValueError("SASL needs VERISTREAM_KAFKA_SASL_USERNAME and VERISTREAM_KAFKA_SASL_PASSWORD")
        return self

    @property
    def embedded_broker(self) -> bool:
        return self.broker is None

    @property
    def bootstrap_servers(self) -> str:
        """The broker's `host:port[,host:port]`, without the scheme."""
        if self.broker is None:
            raise SettingsError("no broker is configured: set VERISTREAM_BROKER or start `veristream up`")
        return self.broker.removeprefix("kafka://")


def known_keys() -> frozenset[str]:
    """Every VERISTREAM_ name that means something."""
    return frozenset(f"{PREFIX}{name.upper()}" for name in Settings.model_fields)


def refuse_unknown_keys(environment: Mapping[str, str]) -> None:
    """A misspelt key is an error that names the nearest real one: silence would run with a default."""
    known = known_keys()
    for key in environment:
        if key.startswith(PREFIX) and key.upper() not in known:
            nearest = difflib.get_close_matches(key.upper(), known, n=1, cutoff=0.0)
            raise SettingsError(f"{key} is not a setting; did you mean {nearest[0]}?")


def load_settings(**overrides: object) -> Settings:
    """Read the environment once, with `overrides` (command-line options) on top."""
    refuse_unknown_keys(os.environ)
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})  # type: ignore[arg-type]  # fields are validated by pydantic
    except ValidationError as error:
        first = error.errors()[0]
        name = "_".join(str(part) for part in first["loc"]).upper() or "the settings"
        if name.lower() in Settings.model_fields and Settings.model_fields[name.lower()].validation_alias is None:
            name = PREFIX + name
        raise SettingsError(f"{name}: {first['msg'].removeprefix('Value error, ')}") from None
