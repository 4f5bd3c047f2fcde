"""The table of topics: what flows under which name, how it is keyed, kept and shaped."""

from dataclasses import dataclass, field

from pydantic import BaseModel

from agents.claims.job import ClaimJob, SubEnd
from agents.claims.package import VerdictPackage
from agents.claims.submission import SUBMISSION_MAX_BYTES, Submission
from streams.contracts import ProgressEvent

DAY_MS = 24 * 60 * 60 * 1000
MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Topic:
    """One row of the table. `contract` None means raw bytes that nothing but a person or a replay reads."""

    name: str
    contract: type[BaseModel] | None
    purpose: str
    key: str = "job_id"
    retention_ms: int = 7 * DAY_MS
    broker_max_bytes: int = 4 * MIB
    value_max_bytes: int = 1 * MIB
    """What a stage accepts; the broker accepts more, so that what is too large still reaches the dead letters."""
    config: dict[str, str] = field(default_factory=dict)

    def broker_config(self) -> dict[str, str]:
        """Topic-level configuration for a real cluster."""
        return {
            "retention.ms": str(self.retention_ms),
            "max.message.bytes": str(self.broker_max_bytes),
            "cleanup.policy": "delete",
            **self.config,
        }


CLAIMS = Topic("claims", Submission, "submissions, as their senders write them", value_max_bytes=SUBMISSION_MAX_BYTES)
RETRIEVAL = Topic("retrieval", ClaimJob, "jobs that need evidence, new or again")
RANKING = Topic("ranking", ClaimJob, "jobs with their candidates")
TRUST = Topic("trust", ClaimJob, "jobs with ranked evidence")
SEARCH_EXPANSION = Topic("search-expansion", ClaimJob, "jobs whose evidence is not sufficient yet")
ADJUDICATION = Topic("adjudication", ClaimJob, "jobs ready to be decided")
AGGREGATION = Topic(
    "aggregation", SubEnd, "ends of sub-claims, for the claim they are parts of", key="the parent's job_id"
)
VERDICTS = Topic("verdicts", VerdictPackage, "one package per finished job", retention_ms=90 * DAY_MS)
PROGRESS = Topic(
    "progress",
    ProgressEvent,
    "every step a job takes",
    key="job_id, of a sub-claim its parent's",
    retention_ms=2 * DAY_MS,
)
DEAD_LETTERS = Topic(
    "dead-letters",
    None,
    "what could not be processed: raw value, original headers, the reason in headers",
    key="the original key",
    retention_ms=30 * DAY_MS,
    # Larger than any other topic's limit, so that an oversized message cannot make its own dead letter fail.
    broker_max_bytes=8 * MIB,
    value_max_bytes=8 * MIB,
)

TOPICS: tuple[Topic, ...] = (
    CLAIMS,
    RETRIEVAL,
    RANKING,
    TRUST,
    SEARCH_EXPANSION,
    ADJUDICATION,
    AGGREGATION,
    VERDICTS,
    PROGRESS,
    DEAD_LETTERS,
)
BY_NAME = {topic.name: topic for topic in TOPICS}
