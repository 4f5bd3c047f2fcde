"""Every Prometheus series, declared once. Label sets are closed: no job ids, no URLs, no free text."""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase
from prometheus_client.metrics_core import Metric

WORKER = CollectorRegistry()
"""What a worker counts."""
GATEWAY = CollectorRegistry()
"""What a gateway counts. The two share no name, so that one page can show both."""

CLAIMS_SUBMITTED = Counter("veristream_claims_submitted_total", "Claims accepted by intake.", registry=WORKER)
SUBMISSION_FIELDS_IGNORED = Counter(
    "veristream_submission_fields_ignored_total", "Unknown fields in submissions.", registry=WORKER
)
VERDICTS = Counter("veristream_verdicts_total", "Verdicts emitted.", ["verdict", "status"], registry=WORKER)
CLAIMS_DECOMPOSED = Counter(
    "veristream_claims_decomposed_total", "Claims that were taken apart into sub-claims.", registry=WORKER
)
SUB_CLAIMS = Counter(
    "veristream_sub_claims_total",
    "Sub-claims of decided claims: with a verdict, or missing by a dead letter or the deadline.",
    ["end"],
    registry=WORKER,
)
MATCHES = Counter(
    "veristream_matched_claims_total",
    "Claims that an earlier verdict answered (exact), or lent its evidence to (near).",
    ["kind"],
    registry=WORKER,
)
LOOP_COUNT = Histogram(
    "veristream_loop_count",
    "Loops (visits to search expansion) per finished job.",
    buckets=(0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20),
    registry=WORKER,
)
LOOP_STOP = Counter("veristream_loop_stop_total", "Why the loop of a finished job ended.", ["reason"], registry=WORKER)
STAGE_DURATION = Histogram(
    "veristream_stage_duration_seconds",
    "From taking an event in hand to its outputs being delivered.",
    ["stage"],
    buckets=(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60),
    registry=WORKER,
)
STAGE_IN_FLIGHT = Gauge("veristream_stage_in_flight", "Events in hand.", ["stage"], registry=WORKER)
STAGE_RETRIES = Counter("veristream_stage_retries_total", "Tries repeated.", ["stage", "reason"], registry=WORKER)
STAGE_PAUSED = Gauge("veristream_stage_paused", "1 while the stage waits for a dependency.", ["stage"], registry=WORKER)
DEAD_LETTERS = Counter(
    "veristream_dead_letters_total", "Events given up and kept in dead-letters.", ["stage", "reason"], registry=WORKER
)
END_TO_END = Histogram(
    "veristream_end_to_end_seconds",
    "From intake to the delivered verdict.",
    buckets=(0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300),
    registry=WORKER,
)
LANGUAGE_CALLS = Counter("veristream_language_calls_total", "Calls of language models.", registry=WORKER)
LANGUAGE_TOKENS = Counter("veristream_language_tokens_total", "Tokens in and out.", registry=WORKER)
LANGUAGE_COST = Counter(
    "veristream_language_cost_usd_total", "US dollars, by the prices in the settings.", registry=WORKER
)
LANGUAGE_CACHE_HITS = Counter(
    "veristream_language_cache_hits_total", "Questions answered from the store instead of a model.", registry=WORKER
)
LANGUAGE_SKIPPED = Counter(
    "veristream_language_skipped_total",
    "Calls that rules stood in for, and why.",
    ["call", "reason"],
    registry=WORKER,
)
CONSUMER_LAG = Gauge("veristream_consumer_lag", "Events waiting, per topic.", ["topic"], registry=WORKER)
LOST_EVENTS = Counter(
    "veristream_lost_events_total", "Offsets that vanished before they were read.", ["topic"], registry=WORKER
)
WORKER_READY = Gauge("veristream_worker_ready", "1 while the worker takes work.", registry=WORKER)

HTTP_REQUESTS = Counter(
    "veristream_http_requests_total", "Requests answered.", ["route", "method", "status"], registry=GATEWAY
)
HTTP_DURATION = Histogram("veristream_http_request_seconds", "Time to answer.", ["route"], registry=GATEWAY)
HTTP_WAITING = Gauge("veristream_http_waiting", "Requests that wait for a verdict.", registry=GATEWAY)
ADMISSION_REFUSED = Counter(
    "veristream_admission_refused_total", "Submissions refused because too much is open.", registry=GATEWAY
)
RATE_LIMITED = Counter(
    "veristream_rate_limited_total",
    "Requests refused because their key was over its limit.",
    ["kind"],
    registry=GATEWAY,
)
HTTP_STREAMS = Gauge("veristream_http_streams", "Event streams that are open.", registry=GATEWAY)


_SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_sum", "_count")}


def names() -> frozenset[str]:
    """Every series name, as dashboards and alerts spell it."""
    families = [family for registry in (WORKER, GATEWAY) for family in registry.collect()]
    return frozenset(family.name + suffix for family in families for suffix in _SUFFIXES.get(family.type, ("",)))


def catalogue() -> list[tuple[Metric, tuple[str, ...]]]:
    """Every family with its label names, for the handbook."""
    series = [value for value in globals().values() if isinstance(value, MetricWrapperBase)]
    return [(next(iter(one.describe())), tuple(one._labelnames)) for one in series]  # noqa: SLF001 - no public way
