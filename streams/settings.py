"""One frozen settings object; nothing else in the product reads the environment."""

import difflib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal, Self
from urllib.parse import urlsplit

from pydantic import AliasChoices, Field, SecretStr, ValidationError, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict
from pydantic_settings import SettingsError as EnvironmentUnreadable

from agents.language.calibration import SimilarityCalibration
from agents.language.quota import CallTag

PREFIX = "VERISTREAM_"
PriceInDollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]

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

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="ignore", populate_by_name=True, use_attribute_docstrings=True
    )

    # Kafka. Unset means the embedded broker.
    broker: str | None = None
    """`kafka://host:port[,host:port]`; unset means the embedded broker."""
    topic_prefix: str = ""
    """Put before every topic and group name, so that several systems share a cluster."""
    topic_partitions: int = Field(default=8, ge=1, le=1000)
    """Partitions of new topics; at least as many as workers."""
    topic_replication: int = Field(default=1, ge=1, le=9)
    """Copies of every partition of new topics."""
    kafka_security_protocol: Literal["PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"] = "PLAINTEXT"
    """How Kafka is spoken to."""
    kafka_sasl_mechanism: Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"] = "PLAIN"
    """Which SASL mechanism the cluster asks for."""
    kafka_sasl_username: str | None = None
    """SASL user."""
    kafka_sasl_password: SecretStr | None = None
    """SASL password."""
    kafka_ssl_cafile: Path | None = None
    """Certificates to trust; unset means the system's."""
    kafka_ssl_certfile: Path | None = None
    """The client's certificate, if the cluster asks for one."""
    kafka_ssl_keyfile: Path | None = None
    """The key of that certificate."""
    kafka_session_timeout_seconds: float = Field(default=15.0, gt=1)
    """After how long a silent worker's partitions go to another."""

    # Stores. Unset means embedded, in the data folder.
    weaviate_url: str | None = None
    """The vector store; unset means embedded."""
    weaviate_grpc_port: int = 50051
    """Its gRPC port."""
    weaviate_api_key: SecretStr | None = None
    """Its API key."""
    neo4j_url: str | None = None
    """Graph and ledger; unset means embedded."""
    neo4j_user: str = "neo4j"
    """Its user."""
    neo4j_password: SecretStr | None = None
    """Its password."""
    store_space: str = Field(default="Veristream", pattern=r"^[A-Z][A-Za-z0-9]{0,40}$")
    """Systems that share servers differ in this: a capital letter, then letters and digits."""
    data_dir: Path = Path("~/.local/share/veristream")
    """Folder of the embedded stores; several processes of one machine may share it."""

    # The doors.
    gateway_host: str = "127.0.0.1"
    """Address that the gateway listens on."""
    gateway_port: int = Field(default=8080, ge=0, le=65535)
    """Port that the gateway listens on; 0 takes any free one."""
    gateway_wait_seconds: float = Field(default=30.0, gt=0, le=600)
    """How long a request waits for its verdict before it is answered with 202."""
    publisher_name: str = "Veristream"
    """Who signs the ClaimReview documents."""
    publisher_url: str | None = None
    """The site that publishes them."""
    cors_origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Comma-separated origins that a browser may call the gateway from; none by default."""
    gateway_keys: Literal["auto", "required", "off"] = "auto"
    """Who needs an API key: `auto` everyone but, embedded, this machine itself; `required` everyone; `off` nobody."""
    submissions_per_minute: int = Field(default=600, ge=0)
    """Submissions per minute of an API key that has no limit of its own; 0 means no limit."""
    submissions_burst: int = Field(default=100, ge=1)
    """How many of them may come at once."""
    reads_per_minute: int = Field(default=3000, ge=0)
    """Other requests per minute of an API key that has no limit of its own; 0 means no limit."""
    gateway_streams: int = Field(default=1000, ge=1)
    """Event streams that one gateway keeps open at most."""
    api_key: SecretStr | None = None
    """The key that commands on this machine send to a gateway."""
    metrics_host: str = "127.0.0.1"
    """Address of a worker's metrics and probes."""
    metrics_port: int = Field(default=9464, ge=0, le=65535)
    """Port of a worker's metrics and probes; 0 takes any free one."""

    # Work in flight, and how patiently it is retried.
    in_flight: int = Field(default=16, ge=1, le=1024)
    """Events that each stage of a worker has in hand at most; one that computes, two per processor."""
    retry_limit: int = Field(default=4, ge=0, le=20)
    """Retries of a transient failure before the event becomes a dead letter."""
    retry_base_seconds: float = Field(default=0.2, gt=0)
    """The first wait between tries; it doubles."""
    retry_max_seconds: float = Field(default=5.0, gt=0)
    """The longest wait between tries."""
    drain_seconds: float = Field(default=20.0, gt=0)
    """How long a stopping worker waits for what it has in hand."""
    stall_seconds: float = Field(default=120.0, gt=0)
    """Without progress for this long a worker is not ready; for twice as long, it ends."""
    sweep_seconds: float = Field(default=10.0, gt=0)
    """How often stored outcomes that were never heard are said again."""
    refresh_hours: float = Field(default=0.0, ge=0, le=24 * 31)
    """How often a worker searches current affairs anew (004); 0 means never."""

    # Embedded back-pressure: the embedded broker keeps about 5 MB per partition, and a job's largest event
    # may wait in any one of them, so the bytes that all open jobs may need together stay below that.
    open_bytes_limit: int = Field(default=4_500_000, ge=1)
    """Embedded: what all open jobs may need in the broker together."""
    job_reserve_bytes: int = Field(default=32_000, ge=1)
    """Embedded: what one open job is counted with."""

    # The loop (001, 004).
    agentic_loop_max_iter: int = Field(default=3, ge=1, le=20, validation_alias=_spelled("AGENTIC_LOOP_MAX_ITER"))
    """Planned sets of queries per job (004)."""
    query_budget: int = Field(default=6, ge=0, le=50)
    """Searches per job (001)."""
    urls_per_query: int = Field(default=4, ge=1, le=50)
    """Pages fetched per search (001)."""
    pages_per_job: int = Field(default=12, ge=1, le=200)
    """Pages fetched per job, those that fail included (002)."""
    bytes_per_job: int = Field(default=60_000_000, ge=5_000_000)
    """Bytes of pages per job, unpacked; at least one page of the largest size, 5,000,000."""
    job_deadline_seconds: float = Field(default=120.0, gt=0)
    """After this a job is decided with what it has."""
    parent_deadline_seconds: float = Field(default=240.0, gt=0)
    """After this a decomposed claim is decided with the sub-claims that have answered, and says which have not."""
    rag_top_k: int = Field(default=10, ge=1, le=40, validation_alias=_spelled("RAG_TOP_K"))
    """Passages per query of the knowledge base (004)."""
    rerank_top_k: int = Field(default=25, ge=1, le=40, validation_alias=_spelled("RERANK_TOP_K"))
    """Candidates that are ranked (004)."""
    trust_mode: Literal["adaptive", "confidence"] = "adaptive"
    """Sufficiency mode of submissions that name none."""
    policy: Literal["specification", "calibrated"] = "calibrated"
    """The named profile of constants."""
    credible_domains: Annotated[tuple[str, ...], NoDecode] = Field(
        default=DEFAULT_CREDIBLE_DOMAINS, validation_alias=_spelled("CREDIBLE_DOMAINS")
    )
    """Comma-separated; replaces the default list (004)."""
    search_providers: Annotated[tuple[str, ...], NoDecode] = ()
    """In order: tavily, searxng, wikipedia, factcheck, sample; or none. Unset: tavily with a key, else sample."""
    searxng_url: str | None = None
    """A SearXNG instance of one's own."""
    google_fact_check_api_key: SecretStr | None = Field(
        default=None, validation_alias=_spelled("GOOGLE_FACT_CHECK_API_KEY")
    )
    """Key of Google's Fact Check Tools."""
    sample_web_url: str | None = None
    """Where the bundled sample web is served; the supervisor sets it."""

    # Claims that were seen before.
    match_claims: bool = True
    """Whether a claim that was decided a short while ago is answered with that verdict."""
    match_window_hours: float = Field(default=6.0, ge=0, le=24 * 31)
    """How long a verdict answers the same claim; one that found too little, an hour at most."""

    # Decomposition (004 §3).
    decompose_enabled: bool = Field(default=True, validation_alias=_spelled("DECOMPOSE_ENABLED"))
    """Whether compound claims are taken apart."""
    decompose_min_claim_length: int = Field(default=20, ge=1, validation_alias=_spelled("DECOMPOSE_MIN_CLAIM_LENGTH"))
    """Shorter claims are left whole."""
    decompose_max_subclaims: int = Field(default=5, ge=1, le=10, validation_alias=_spelled("DECOMPOSE_MAX_SUBCLAIMS"))
    """Parts at most."""
    decompose_use_llm: bool = Field(default=True, validation_alias=_spelled("DECOMPOSE_USE_LLM"))
    """Whether a language model may do it."""

    # Keys, as everyone spells them.
    openai_api_key: SecretStr | None = Field(default=None, validation_alias=_spelled("OPENAI_API_KEY"))
    """Key of an OpenAI-compatible endpoint."""
    openai_base_url: str | None = Field(default=None, validation_alias=_spelled("OPENAI_BASE_URL"))
    """Its address, if it is not OpenAI's own."""
    embedder: Literal["bge-small", "static", "openai"] = "bge-small"
    """What makes sentence vectors: the local model, the small static table, or OpenAI's `text-embedding-3-small`."""
    openai_calibration: tuple[float, float, float] | None = None
    """What `models/fit_calibration.py openai` printed, as JSON: `[0.1, 0.35, 0.8]`. Without it the `openai` embedder's
    similarities are read with provisional values that nobody fitted."""
    stance: Literal["auto", "model", "rules"] = "auto"
    """What says whether a passage supports or refutes: the local model, the rules, or the model where it is there."""
    stance_model: Path | None = None
    """Folder of the stance model; unset means the one that came with the package."""
    openai_model: str = "gpt-4o-mini"
    """The model that is asked."""
    openai_models: dict[CallTag, str] = {}
    """Another model for some calls, as JSON: `{"verdict": "gpt-4o", "facts": "gpt-4o-mini"}`."""
    openai_api_version: str = ""
    """For Azure-style endpoints: sent as `api-version`, and the key as `api-key`. `OPENAI_BASE_URL` ends with the
    deployment."""
    llm_prices: dict[str, tuple[PriceInDollars, PriceInDollars]] = {}
    """US dollars per million tokens, in and out, as JSON: `{"gpt-4o-mini": [0.15, 0.6]}`. A job's cost is in its
    verdict; a model that is not listed costs nothing that we know of."""
    llm_cache_hours: float = Field(default=24.0, ge=0, le=8_760, allow_inf_nan=False)
    """How long the answer to the same question, model and version of the prompt is used again; 0 keeps nothing."""
    llm_max_calls: int = Field(default=8, ge=2, le=100)
    """Model calls per job; two of them are kept for fact extraction and the verdict (001)."""
    llm_at_once: int = Field(default=32, ge=1, le=1024)
    """Model calls that one worker has open at once."""
    llm_agreeing_sources: int = Field(default=3, ge=0, le=40)
    """Stored evidence that settles a claim is not shown to a model if this many sources say the same and none says
    otherwise; 0 shows it always."""
    llm_max_tokens: int = Field(default=60_000, ge=0)
    """Tokens per job, in and out together."""
    tavily_api_key: SecretStr | None = Field(default=None, validation_alias=_spelled("TAVILY_API_KEY"))
    """Key of Tavily's search."""

    # Set by the supervisor of an embedded system for its own children.
    embedded: bool = False
    """Set by the supervisor for its children."""
    worker_metrics_url: str | None = None
    """Set by the supervisor: the worker's series, shown by the gateway too."""

    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """The least level that is written."""
    log_format: Literal["auto", "console", "json"] = "auto"
    """`auto` is readable on a terminal and JSON otherwise."""

    @field_validator("credible_domains", "search_providers", "cors_origins", mode="before")
    @classmethod
    def _comma_separated(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(part.strip().lower() for part in value.split(",") if part.strip())
        return value

    @field_validator("data_dir", "stance_model")
    @classmethod
    def _expanded(cls, value: Path | None) -> Path | None:
        return value.expanduser() if value is not None else None

    @field_validator("broker")
    @classmethod
    def _kafka_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        hosts = value.removeprefix("kafka://").split(",")
        if not all(host.rpartition(":")[2].isdigit() and host.rpartition(":")[0] for host in hosts):
            raise ValueError("expected kafka://host:port[,host:port]")
        return "kafka://" + ",".join(hosts)

    @field_validator("sample_web_url")
    @classmethod
    def _on_this_machine(cls, value: str | None) -> str | None:
        """The one exception to the fetcher's rule of addresses: it cannot be made to point anywhere else."""
        parts = urlsplit(value or "http://127.0.0.1:1")
        if parts.scheme != "http" or parts.hostname not in {"127.0.0.1", "::1"} or parts.port is None:
            raise ValueError("the sample web is served on this machine by `veristream up`, which sets it; unset it")
        return value

    @field_validator("openai_calibration")
    @classmethod
    def _rising(cls, value: tuple[float, float, float] | None) -> tuple[float, float, float] | None:
        if value is not None:
            SimilarityCalibration(*value)
        return value

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
    def gateway_url(self) -> str:
        """Where a client on this machine finds the gateway."""
        everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - looked up, not bound
        host = everywhere.get(self.gateway_host, self.gateway_host)
        return f"http://{f'[{host}]' if ':' in host else host}:{self.gateway_port}"

    @property
    def bootstrap_servers(self) -> str:
        """The broker's `host:port[,host:port]`, without the scheme."""
        if self.broker is None:
            raise SettingsError("no broker is configured: set VERISTREAM_BROKER or start `veristream up`")
        return self.broker.removeprefix("kafka://")


def known_keys() -> frozenset[str]:
    """Every VERISTREAM_ name that means something."""
    return frozenset(f"{PREFIX}{name.upper()}" for name in Settings.model_fields)


NOT_OURS = frozenset({f"{PREFIX}SERVICES_CACHE", f"{PREFIX}SOAK_ROUNDS"})
"""Read by the services script and by the tests; they may well be exported in the same shell."""


def refuse_unknown_keys(environment: Mapping[str, str]) -> None:
    """A misspelt key is an error that names the nearest real one: silence would run with a default."""
    known = known_keys()
    for key in environment:
        if key.startswith(PREFIX) and key.upper() not in known | NOT_OURS:
            nearest = difflib.get_close_matches(key.upper(), known, n=1, cutoff=0.0)
            raise SettingsError(f"{key} is not a setting; did you mean {nearest[0]}?")


def load_settings(**overrides: object) -> Settings:
    """Read the environment once, with `overrides` (command-line options) on top."""
    refuse_unknown_keys(os.environ)
    try:
        return Settings(**{name: value for name, value in overrides.items() if value is not None})  # type: ignore[arg-type]  # fields are validated by pydantic
    except EnvironmentUnreadable as error:
        named = next((name for name in Settings.model_fields if f'"{name}"' in str(error)), "a setting")
        raise SettingsError(f"{PREFIX}{named.upper()} is not valid JSON; docs/reference has an example") from None
    except ValidationError as error:
        first = error.errors()[0]
        name = str(first["loc"][0]).upper() if first["loc"] else "the settings"
        if name.lower() in Settings.model_fields and Settings.model_fields[name.lower()].validation_alias is None:
            name = PREFIX + name
        raise SettingsError(f"{name}: {first['msg'].removeprefix('Value error, ')}") from None
