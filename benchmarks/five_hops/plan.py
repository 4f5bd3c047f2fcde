"""What all variants have in common: the topics of the five hops, the message that travels, the order to a worker."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agents.claims.job import ClaimJob
from agents.claims.submission import Submission

HOPS = 5
VARIANTS = ("raw", "faust", "ours")
NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
CLAIM = "The council of Harrowmere voted on Tuesday to close the old bridge for repairs until the end of October 2026."


@dataclass(frozen=True, slots=True)
class Order:
    """What one worker process is told."""

    variant: str
    broker: str
    """`host:port[,host:port]`"""
    prefix: str
    """Put before topic and group names: every run has topics of its own."""
    wait: float
    """Seconds that every handler waits, as for an answer from elsewhere."""
    in_flight: int
    folder: Path


def topic(prefix: str, hop: int) -> str:
    """Hop 0 is where claims come in, hop 5 where they come out."""
    return f"{prefix}hop-{hop}"


def message(job_id: str) -> bytes:
    """A job as intake sends it on: the contract of the product, before any evidence is found."""
    submission = Submission(job_id=job_id, claim=CLAIM, source="https://gazette.example/2026/03/01/bridge")
    job = ClaimJob(
        job_id=job_id,
        submission=submission,
        accepted_at=NOON,
        deadline=NOON + timedelta(minutes=2),
    )
    return job.model_dump_json().encode()
